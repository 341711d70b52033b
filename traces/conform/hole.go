package conform

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// A replica that adopts a log whose lower part the sender has released knows no headers between
// what it has executed and what it was sent: a hole (R11), whose ops count as hollow though their
// bodies may be stored. In the model it knows the whole log. So in the hole, which an adoption
// opens and nothing else raises, an event may show as hollow what the model has.

// opens reports whether an event takes over a log that may leave a hole.
func opens(e traces.Event) bool {
	return e.Action == traces.ActionReceiveStartView || e.Action == traces.ActionRecover ||
		e.Action == traces.EventRaiseHead
}

// holeOf is the top of what may be a hole in an event's state, 0 if there is none: the run of
// hollow ops from the one that is to be executed next.
func holeOf(s traces.ReplicaState) vsr.Op {
	top := s.CommitMin
	for _, op := range s.Hollow {
		if op != top+1 {
			break
		}
		top++
	}
	if top == s.CommitMin {
		return 0
	}
	return vsr.Op(top)
}

// overHole makes want hollow in the hole as got is, where the model has more.
func overHole(want *traces.ReplicaState, got traces.ReplicaState, hole vsr.Op) {
	run := min(holeOf(got), hole)
	if run == 0 || want.CommitMin != got.CommitMin {
		return
	}
	var hollow []uint64
	for op := got.CommitMin + 1; op <= uint64(run); op++ {
		hollow = append(hollow, op)
	}
	for _, op := range want.Hollow {
		if op > uint64(run) {
			hollow = append(hollow, op)
		}
	}
	want.Hollow, want.Contiguous = slices.Clip(hollow), got.CommitMin
	if got.Stop == traces.StopMissingHeader && want.Stop != traces.StopNotNormal &&
		want.Stop != traces.StopCaughtUp {
		want.Stop = got.Stop
	}
}

// wider returns the explanation in which the adoption of an event leaves the hole that it shows,
// or in which a restart finds the widest of the adoptions again: what was repaired since is in no
// record of the log's state, and a later log may begin where the repair of an earlier one ended.
func (c *checker) wider(x explanation, e traces.Event) explanation {
	switch r := e.Replica; {
	case !c.compact:
	case e.Action == traces.ActionRestart:
		x.hole[r], x.transfers[r] = c.lower(x.adopted[r]), false
	case opens(e):
		x.hole[r] = holeOf(e.After)
		x.adopted[r] = max(x.adopted[r], c.raise(x.hole[r]))
	}
	return x
}
