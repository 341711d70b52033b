package storage

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// JournalGroups returns the model of JournalGroups.tla under c: one WAL and one
// superblock for all groups of a node. With c.Bugs empty all invariants hold; the comment
// of each invariant names the mutants that break it.
//
// A configuration that Validate refuses is the caller's bug and panics.
func JournalGroups(c GroupsConfig) explore.Model[GroupsState, GroupsAction] {
	j := newJournalGroups(c)
	return explore.Model[GroupsState, GroupsAction]{
		Name:      "JournalGroups",
		Init:      j.init,
		Next:      j.next,
		Key:       func(dst []byte, s GroupsState) []byte { return s.appendKey(dst) },
		Canonical: func(dst []byte, s GroupsState) []byte { return j.appendCanonical(dst, &s) },
		Always:    j.invariants(),
		Sometimes: j.goals(),
		Format:    func(s GroupsState) []string { return j.format(&s) },
	}
}

// journalGroups is the model under one configuration.
type journalGroups struct{ GroupsConfig }

func newJournalGroups(c GroupsConfig) *journalGroups {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &journalGroups{c}
}

// has reports whether a mutant is switched on.
func (j *journalGroups) has(b Bug) bool { return slices.Contains(j.Bugs, b) }

// init is JournalGroups!Init.
func (j *journalGroups) init() []GroupsState {
	return []GroupsState{{Base: 1, Running: true, Unsaid: !j.has(noFirstStates)}}
}

// groupsTake is how a step is handed on: the state is copied.
type groupsTake func(a GroupsAction, t *GroupsState)

// next yields the steps out of s: JournalGroups!Next. Each step of a running node ends
// with speaking, and after the last boot nothing more is done.
func (j *journalGroups) next(s GroupsState, yield func(GroupsAction, GroupsState)) {
	spoken := func(a GroupsAction, t *GroupsState) {
		j.speak(t)
		yield(a, *t)
	}
	if !s.Running {
		j.rot(&s, yield)
		j.boot(&s, spoken)
		return
	}
	if int(s.Crashes) >= j.MaxCrash {
		return
	}
	for g := range j.Groups {
		j.appendPrepare(&s, g, spoken)
		j.adopt(&s, g, spoken)
		j.takeSnapshot(&s, g, spoken)
	}
	j.sayStates(&s, spoken)
	j.sync(&s, spoken)
	j.writeSuperblock(&s, spoken)
	j.release(&s, spoken)
	j.move(&s, spoken)
	j.crash(&s, yield)
}

// stateSynced is JournalGroups!StateSynced.
func (j *journalGroups) stateSynced(s *GroupsState, g int) bool {
	return !s.Unsaid && j.stateBatch(s, g, s.Base, s.Written) <= s.Synced
}

// canSpeak is JournalGroups!CanSpeak (R1, R2).
func (j *journalGroups) canSpeak(s *GroupsState, g int) bool {
	return s.Running && s.Superblock[g].LogView == s.LogView[g] && j.stateSynced(s, g)
}

// speak is JournalGroups!Speak: each group votes and acknowledges whatever it may.
func (j *journalGroups) speak(s *GroupsState) {
	for g := range j.Groups {
		if !j.canSpeak(s, g) {
			continue
		}
		s.SentLogView[g] = max(s.SentLogView[g], s.LogView[g])
		for op := uint8(1); op <= s.Head[g]; op++ {
			if j.hasBody(s, g, op, s.Base, s.Synced) {
				s.PrepareOKs[g] |= 1 << op
			}
		}
	}
}

// appendPrepare is JournalGroups!AppendPrepare: the next op of a group, if the ring takes
// it. A refused one has no effect.
func (j *journalGroups) appendPrepare(s *GroupsState, g int, take groupsTake) {
	if s.Unsaid || s.lost(g) || s.InDoubt[g] || int(s.Head[g]) >= j.MaxOp {
		return
	}
	t := *s
	t.Head[g]++
	t.History[g] = max(t.History[g], t.Head[g])
	switch {
	case j.takes(s):
		if !j.write(&t, GroupsBatch{Bodies: body(g, t.Head[g])}) {
			return
		}
	case j.has(fullIsAcknowledged):
		t.PrepareOKs[g] |= 1 << t.Head[g]
	default:
		return
	}
	take(GroupsAction{Kind: GroupsAppendPrepare, Group: uint8(g) + 1}, &t)
}

// adopt is JournalGroups!Adopt: a StartView, or the merge of a new primary.
func (j *journalGroups) adopt(s *GroupsState, g int, take groupsTake) {
	view := max(s.LogView[g], s.Superblock[g].LogView) + 1
	if s.Unsaid || j.free(s) <= j.least() || int(view) > j.MaxView {
		return
	}
	t := *s
	t.LogView[g], t.Head[g], t.InDoubt[g] = view, s.History[g], false
	var batch GroupsBatch
	batch.States[g] = t.record(g)
	if j.write(&t, batch) {
		take(GroupsAction{Kind: GroupsAdopt, Group: uint8(g) + 1}, &t)
	}
}

// sayStates is JournalGroups!SayStates: after a boot one batch has what was found of all
// groups.
func (j *journalGroups) sayStates(s *GroupsState, take groupsTake) {
	if !s.Unsaid || j.free(s) <= j.least() {
		return
	}
	t := *s
	t.Unsaid = false
	var batch GroupsBatch
	for g := range j.Groups {
		batch.States[g] = s.record(g)
	}
	if j.write(&t, batch) {
		take(GroupsAction{Kind: GroupsSayStates}, &t)
	}
}

// sync is JournalGroups!Sync: one flush covers what was written for all groups.
func (j *journalGroups) sync(s *GroupsState, take groupsTake) {
	if s.Synced >= s.Written {
		return
	}
	t := *s
	t.Synced = s.Written
	take(GroupsAction{Kind: GroupsSync}, &t)
}

// writeSuperblock is JournalGroups!WriteSuperblock: the state of every group (R2).
func (j *journalGroups) writeSuperblock(s *GroupsState, take groupsTake) {
	next := s.Superblock
	for g := range j.Groups {
		next[g].Checkpoint = s.Snapshot[g]
		if j.stateSynced(s, g) || j.has(superblockUnsynced) {
			next[g].LogView = max(next[g].LogView, s.LogView[g])
		}
	}
	if next == s.Superblock {
		return
	}
	t := *s
	t.Superblock = next
	for g := range j.Groups {
		if j.has(superblockOfOneGroup) && next[g] == s.Superblock[g] {
			t.Superblock[g] = GroupsSuperblock{}
		}
	}
	take(GroupsAction{Kind: GroupsWriteSuperblock}, &t)
}

// takeSnapshot is JournalGroups!TakeSnapshot: it covers synced ops only (R17).
func (j *journalGroups) takeSnapshot(s *GroupsState, g int, take groupsTake) {
	if !j.canSpeak(s, g) {
		return
	}
	for op := s.Snapshot[g] + 1; op <= s.Head[g]; op++ {
		if !j.hasBody(s, g, op, s.Base, s.Synced) {
			return
		}
		t := *s
		t.Snapshot[g] = op
		take(GroupsAction{Kind: GroupsTakeSnapshot, Group: uint8(g) + 1, Number: op}, &t)
	}
}
