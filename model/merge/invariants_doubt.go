package merge

import "fmt"

// doubtEnds is Merge!DoubtEnds: who takes part in a view trusts its log, and the body of
// an op in doubt comes as soon as anybody has it.
func (m *machine) doubtEnds(s *State) error {
	for r := range uint8(m.N) {
		x := &s.Replicas[r]
		if x.Status != Normal {
			continue
		}
		if !x.Trusted {
			return fmt.Errorf("r%d is normal in view %d, and its log still in doubt", r, x.View)
		}
		if op := x.Log.firstMissing(); op > 0 && m.canFetch(s, r, op, x.Log.Headers[op-1]) {
			asks := false
			m.repairPrepare(s, r, op, func(Action, State) { asks = true })
			if !asks {
				return fmt.Errorf("r%d does not ask for the body of op %d, which is %s and which "+
					"another replica holds", r, op, x.Log.Bodies[op-1])
			}
		}
	}
	return nil
}

// firstMissing is the lowest op without a body, 0 if there is none.
func (l *Log) firstMissing() uint8 {
	for i, body := range l.Bodies[:l.Length] {
		if body != Stored {
			return uint8(i) + 1
		}
	}
	return 0
}

// doubtWide is Merge!DoubtWide: an untrusted log says of no body that it never came.
func (m *machine) doubtWide(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		for i, body := range x.Log.Bodies[:x.Log.Length] {
			if !x.Trusted && body == Hollow {
				return fmt.Errorf("r%d, whose log is in doubt, says that the body of op %d never "+
					"came", r, i+1)
			}
		}
	}
	return nil
}

// slotTrue is Merge!SlotTrue: a slot has one body.
func (m *machine) slotTrue(s *State) error {
	for p := range m.N {
		x := &s.Replicas[p]
		if !m.OneSlot || !x.Parked {
			continue
		}
		merged := &x.Merged.Log
		for i := range min(x.Log.Length, merged.Length) {
			if !x.Log.has(i+1, merged.Headers[i]) && merged.Bodies[i] == Stored &&
				x.Log.Bodies[i] == Stored {
				return fmt.Errorf("r%d has two bodies in the slot of op %d", p, i+1)
			}
		}
	}
	return nil
}
