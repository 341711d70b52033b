package atomic

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
)

func invariants() []explore.Property[State] {
	return []explore.Property[State]{
		{Name: "StartsWithCommitted", Check: func(s State) error { return startsWithCommitted(&s) }},
		{Name: "CommittedHeld", Check: func(s State) error { return committedHeld(&s) }},
		{Name: "ExecutedCommitted", Check: func(s State) error { return executedCommitted(&s) }},
		{Name: "StartsOnce", Check: func(s State) error { return startsOnce(&s) }},
	}
}

// startsWithCommitted is StartsWithCommitted: the highest view that has started did so
// with everything that is committed of earlier views. Mutants promise_alone and
// ack_after_leaving break it.
func startsWithCommitted(s *State) error {
	v := len(s.views) - 1
	for v >= 0 && len(s.views[v].starts) == 0 {
		v--
	}
	if v < 0 {
		return nil
	}
	for _, l := range s.views[v].starts {
		for _, e := range s.committed {
			if own, found := l.At(e.Op); e.View < vsr.View(v) && (!found || own != e) {
				return fmt.Errorf("op %d: view %d started without committed %v", e.Op, v, e)
			}
		}
	}
	return nil
}

// committedHeld is CommittedHeld: a committed entry is held by a quorum. Mutants
// promise_alone and ack_after_leaving break it.
func committedHeld(s *State) error {
	for _, e := range s.committed {
		holders := 0
		for r := range N {
			if own, found := s.log[r].At(e.Op); found && own == e && s.held[r].has(e.Op) {
				holders++
			}
		}
		if holders < quorum {
			return fmt.Errorf("op %d: committed %v is held by %d replicas", e.Op, e, holders)
		}
	}
	return nil
}

// executedCommitted is ExecutedCommitted: what a replica has executed is what is committed,
// and it has it in its log. Mutant executes_uncommitted breaks it.
func executedCommitted(s *State) error {
	for r := range N {
		for op := vsr.Op(1); op <= s.executed[r]; op++ {
			own, found := s.log[r].At(op)
			if c, committed := s.committed.At(op); !found || !committed || own != c {
				return fmt.Errorf("op %d: r%d executed %v, committed is %v", op, r, own, c)
			}
		}
	}
	return nil
}

// startsOnce is StartsOnce: a view starts once. Mutant start_again breaks it.
func startsOnce(s *State) error {
	for v := range s.views {
		if n := len(s.views[v].starts); n > 1 {
			return fmt.Errorf("view %d has started with %d logs", v, n)
		}
	}
	return nil
}

// goals are the situations that a search must have seen.
func goals(c Config) []explore.Goal[State] {
	if c.MaxRequest == 0 || c.MaxView == 0 {
		return nil
	}
	some := func(name string, reached func(s State) bool) explore.Goal[State] {
		return explore.Goal[State]{Name: name, Reached: reached}
	}
	return []explore.Goal[State]{
		some("a view starts with an entry of an earlier view", func(s State) bool {
			for v := 1; v < len(s.views); v++ {
				for _, l := range s.views[v].starts {
					if l.Head() > 0 {
						return true
					}
				}
			}
			return false
		}),
		some("an entry is committed that a later view started with", func(s State) bool {
			for v := 1; v < len(s.views); v++ {
				for _, l := range s.views[v].starts {
					if s.committed.Head() > 0 && l.Head() > 0 {
						return true
					}
				}
			}
			return false
		}),
		some("a hole is in a log", func(s State) bool {
			for r := range N {
				if s.held[r] != upTo(s.log[r].Head()) {
					return true
				}
			}
			return false
		}),
	}
}
