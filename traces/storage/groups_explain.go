package storage

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// ExplainGroups looks for behaviours of JournalGroups.tla that a recording is of. The error is a
// [*Unexplained] if there are none.
func ExplainGroups(c model.GroupsConfig, r GroupsRecording) (Explained, error) {
	m := model.JournalGroups(c)
	x := &groupsExplainer{config: c, model: m, now: m.Init()}
	var done Explained
	for i, line := range r.Lines {
		x.now = x.explain(line)
		if len(x.now) == 0 {
			return done, &Unexplained{Line: i + 1, Text: line.String()}
		}
		done.took(line.Do, len(x.now))
	}
	return done, nil
}

type groupsExplainer struct {
	config model.GroupsConfig
	model  explore.Model[groupsState, groupsAction]
	now    []groupsState
}

// step takes the model's steps of some kinds from some states, as far as keep agrees.
func (x *groupsExplainer) step(
	from []groupsState, keep func(a groupsAction, s, t *groupsState) bool,
	kinds ...model.GroupsActionKind,
) []groupsState {
	var next []groupsState
	for _, s := range from {
		x.model.Next(s, func(a groupsAction, t groupsState) {
			if slices.Contains(kinds, a.Kind) && (keep == nil || keep(a, &s, &t)) {
				next = append(next, t)
			}
		})
	}
	return x.distinct(next)
}

func (x *groupsExplainer) distinct(all []groupsState) []groupsState {
	return distinct(all, func(s groupsState) groupsState { return s })
}

// explain returns the states after a line.
func (x *groupsExplainer) explain(line GroupsLine) []groupsState {
	switch line.Do {
	case DoAppend:
		return x.append(x.now, line.Batch)
	case DoSync:
		return x.step(x.now, nil, model.GroupsSync)
	case DoSuperblock:
		return x.superblock(x.now, line.Superblock)
	case DoSnapshot:
		return x.snapshot(x.now, line.Snapshot)
	case DoRelease:
		now := x.now
		for range line.Released {
			now = x.step(now, nil, model.GroupsRelease)
		}
		return now
	case DoKill, DoPowerLoss:
		return x.crash(line)
	case DoBoot:
		return x.step(x.now, func(_ groupsAction, _, t *groupsState) bool {
			return slices.EqualFunc(line.Found, x.found(t), equalFound)
		}, model.GroupsBoot)
	}
	return nil
}

// append returns the states whose newest batch has become the line's, by whatever step writes it.
func (x *groupsExplainer) append(from []groupsState, batch []GroupsLineRecord) []groupsState {
	var want model.GroupsBatch
	for _, r := range batch {
		if r.State {
			want.States[r.Group-1] = model.GroupsRecord{
				Said: true, LogView: uint8(r.LogView), Head: uint8(r.Op), InDoubt: r.InDoubt,
			}
		} else {
			want.Bodies |= 1 << ((r.Group-1)*model.GroupsOpMax + r.Op - 1)
		}
	}
	return x.step(from, func(_ groupsAction, _, t *groupsState) bool {
		b := t.WAL[(int(t.Written)-1)%x.config.Slots]
		if b.Bodies != want.Bodies || b.States != want.States {
			return false
		}
		for _, r := range batch {
			if !r.State && int(t.LogView[r.Group-1]) != r.LogView {
				return false
			}
		}
		return true
	}, model.GroupsAppendPrepare, model.GroupsAdopt, model.GroupsSayStates, model.GroupsMove)
}

func (x *groupsExplainer) superblock(from []groupsState, said []GroupsLineSaid) []groupsState {
	return x.step(from, func(_ groupsAction, _, t *groupsState) bool {
		return slices.Equal(said, x.said(t))
	}, model.GroupsWriteSuperblock)
}

func (x *groupsExplainer) said(t *groupsState) []GroupsLineSaid {
	said := make([]GroupsLineSaid, x.config.Groups)
	for i := range said {
		said[i] = GroupsLineSaid{int(t.Superblock[i].LogView), int(t.Superblock[i].Checkpoint)}
	}
	return said
}

func (x *groupsExplainer) snapshot(from []groupsState, of *GroupsLineOp) []groupsState {
	return x.step(from, func(a groupsAction, _, _ *groupsState) bool {
		return int(a.Group) == of.Group && int(a.Number) == of.Op
	}, model.GroupsTakeSnapshot)
}

// crash returns the states in which a process can have died that was at what the line says. A
// killed process leaves all that the operating system had; but of the batch under way, any part.
func (x *groupsExplainer) crash(line GroupsLine) []groupsState {
	now := x.now
	if line.Superblock != nil {
		now = slices.Concat(now, x.superblock(now, line.Superblock))
	}
	if line.Snapshot != nil {
		now = slices.Concat(now, x.snapshot(now, line.Snapshot))
	}
	next := x.died(now, line.Do, 0)
	if line.Batch != nil {
		next = slices.Concat(next, x.died(x.append(now, line.Batch), line.Do, 1))
	}
	return x.distinct(next)
}

func (x *groupsExplainer) died(from []groupsState, how string, underWay uint8) []groupsState {
	return x.step(from, func(a groupsAction, s, _ *groupsState) bool {
		return how == DoPowerLoss || a.Number+underWay >= s.Written
	}, model.GroupsCrash)
}

// found is what a boot of the model found.
func (x *groupsExplainer) found(t *groupsState) []GroupsLineFound {
	said := x.said(t)
	all := make([]GroupsLineFound, x.config.Groups)
	for i := range all {
		all[i] = GroupsLineFound{
			Said: said[i], Snapshot: int(t.Snapshot[i]), LogView: int(t.LogView[i]),
			Head: int(t.Head[i]), InDoubt: t.InDoubt[i],
		}
		for op := uint8(1); int(op) <= x.config.MaxOp; op++ {
			for n := t.Base; n <= t.Written; n++ {
				b := &t.WAL[(int(n)-1)%x.config.Slots]
				if b.Sequence == n && !b.Unreadable && hasBody(b, i, op) {
					all[i].Bodies = append(all[i].Bodies, int(op))
					break
				}
			}
		}
	}
	return all
}

func equalFound(a, b GroupsLineFound) bool {
	same := slices.Equal(a.Bodies, b.Bodies)
	return same && a.Said == b.Said && a.Snapshot == b.Snapshot && a.LogView == b.LogView &&
		a.Head == b.Head && a.InDoubt == b.InDoubt
}
