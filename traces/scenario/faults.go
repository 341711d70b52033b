package scenario

import (
	"errors"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// rule keeps packets for later.
type rule struct {
	filter

	again bool // they come now, too: what is kept is a duplicate
}

// filter returns which packets a command is about.
func (s *stage) filter(c command) (filter, error) {
	if len(c.args) == 0 {
		return filter{}, fmt.Errorf("%s: expected a command such as prepare, or any", c.name)
	}
	f := filter{command: c.args[0].key}
	known := f.command == "any"
	for _, command := range wire.Commands() {
		known = known || command.String() == f.command
	}
	if !known {
		return f, fmt.Errorf("%s %s: expected any or one of %v", c.name, f.command, wire.Commands())
	}
	var err error
	if f.from, err = s.optionalReplica(c, "from"); err != nil {
		return f, err
	}
	if f.to, err = s.optionalReplica(c, "to"); err != nil {
		return f, err
	}
	op, err := c.number("op", 0)
	f.op = uint64(op)
	return f, err
}

func (s *stage) drop(c command) error {
	f, err := s.filter(c)
	if err == nil {
		s.drops = append(s.drops, f)
	}
	return err
}

func (s *stage) delay(c command) error {
	f, err := s.filter(c)
	if err == nil {
		s.rules = append(s.rules, rule{filter: f})
	}
	return err
}

func (s *stage) duplicate(c command) error {
	f, err := s.filter(c)
	if err == nil {
		s.rules = append(s.rules, rule{filter: f, again: true})
	}
	return err
}

// kept reports whether a packet waits for "deliver" instead of being delivered now.
func (s *stage) kept(p sim.Packet) bool {
	for _, r := range s.rules {
		if !r.matches(p) {
			continue
		}
		p.Frame = slices.Clone(p.Frame)
		s.late = append(s.late, p)
		return !r.again
	}
	return false
}

// deliver brings what was kept, oldest first, each settled. The rules end.
func (s *stage) deliver(_ command) error {
	late := s.late
	s.late, s.rules = nil, nil
	if len(late) == 0 {
		return errors.New("deliver: nothing was kept, expected delay or duplicate before it")
	}
	for _, p := range late {
		if !s.quiet {
			s.print("%s comes late", packetText(p))
		}
		s.cluster.Deliver(p)
		if err := s.settle(); err != nil {
			return err
		}
	}
	return nil
}

// parts are what of a replica can be held.
var parts = []string{"machine", "disk", "reads"}

func (s *stage) hold(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	what := parts[0]
	if len(c.args) > 1 {
		what = c.args[1].key
	}
	if !slices.Contains(parts, what) {
		return fmt.Errorf("hold %s: expected one of %v", what, parts)
	}
	s.held[held{r, what}] = true
	return nil
}

func (s *stage) release(c command) error {
	r, err := s.replica(c)
	for _, what := range parts {
		delete(s.held, held{r, what})
	}
	return err
}

func (s *stage) wipe(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	s.cluster.Wipe(r)
	s.print("r%d has an empty disk", r)
	return nil
}

func (s *stage) rot(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	op, err := c.number("op", 0)
	if err != nil {
		return err
	}
	if !s.cluster.Rot(r, wire.Op(op)) {
		return fmt.Errorf("rot r%d op=%d: expected an op that it has stored", r, op)
	}
	s.print("r%d cannot read op %d any more", r, op)
	return nil
}

// checkpoint has a replica take a checkpoint of what it has executed, which releases the log
// below.
func (s *stage) checkpoint(c command) error {
	r, err := s.replica(c)
	if err != nil {
		return err
	}
	if !s.cluster.Up(r) {
		return fmt.Errorf("checkpoint r%d: it is down", r)
	}
	s.cluster.TakeCheckpoint(r)
	return s.settle()
}
