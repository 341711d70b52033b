package vsr

import "github.com/viewstamp/viewstamp/traces"

// Project is what a trace can see of replica r in state s: what spec, model and
// production core agree on. In traces of the model the checksum of a prepare is its
// entry's text, "op.view.request", and a log without entries has the checksum "".
//
// The view is its own durable copy (R1), as in the spec. Bodies are looked up by
// checksum whatever a mutant does: the projection is what an observer sees, not what
// a defective replica believes. InDoubt and Incarnation have no counterpart in the
// spec and stay empty.
func Project(s State, r int) traces.ReplicaState {
	after := traces.ReplicaState{
		Status:         s.status[r].String(),
		View:           uint32(s.view[r]),
		LogView:        uint32(s.logView[r]),
		ViewDurable:    uint32(s.view[r]),
		LogViewDurable: uint32(s.LogViewDurable(r)),
		OpHead:         uint64(s.headers[r].Head()),
		CommitMin:      uint64(s.commitMin[r]),
		CommitMax:      uint64(s.commitMax[r]),
		Stop:           s.stop(r),
	}
	if head, found := s.headers[r].At(s.headers[r].Head()); found {
		after.HeadChecksum = head.String()
	}
	contiguous := s.headers[r].Head()
	bodies := s.bodies[r] // Both ascend: what is before the entry in hand is passed for good.
	for _, e := range s.headers[r] {
		for len(bodies) > 0 && bodies[0] != e && bodies[0].compare(e) < 0 {
			bodies = bodies[1:]
		}
		if len(bodies) == 0 || bodies[0] != e {
			after.Hollow = append(after.Hollow, uint64(e.Op))
			contiguous = min(contiguous, e.Op-1)
		}
	}
	after.Contiguous = uint64(contiguous)
	if n := len(s.pipeline[r]); n > 0 {
		after.Pipeline = []uint64{uint64(s.pipeline[r][0].Op), uint64(s.pipeline[r][n-1].Op)}
	}
	return after
}

// stop is why the commit walk of r does not go on by itself (R5).
func (s *State) stop(r int) string {
	switch next, found := s.headers[r].At(s.commitMin[r] + 1); {
	case s.status[r] != StatusNormal:
		return traces.StopNotNormal
	case s.commitMin[r] == s.commitMax[r]:
		return traces.StopCaughtUp
	case !found:
		return traces.StopMissingHeader
	case !s.bodies[r].Has(next):
		return traces.StopMissingBody
	}
	return traces.StopAwaitingExecution
}
