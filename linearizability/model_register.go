package linearizability

// registerSpecification: one value, read, written, or replaced if it is the one
// expected. A compare and set of unknown outcome takes effect if it can.
var registerSpecification = specification{
	kinds:     []Kind{Read, Write, CAS},
	null:      true,
	step:      stepRegister,
	explains:  func(answer, v Value) bool { return answer == v },
	once:      true,
	long:      decideZones,
	longFrom:  zonesFrom,
	observers: func() observers { return &registerObservers{values: map[Value]int{}} },
}

func stepRegister(state Value, o *Operation) (bool, Value) {
	if o.Kind == Read {
		return !o.constrains() || state == o.Output.Value, state
	}
	if o.Kind == Write {
		return true, o.Input.Value
	}
	if o.Kind != CAS {
		return false, state
	}
	swapped := state == o.Input.From
	possible := o.Open || swapped == o.Output.OK
	if swapped {
		return possible, o.Input.To
	}
	return possible, state
}

// registerObservers counts who can tell that a value was there: a read that
// returned it and a compare and set that expects it. A compare and set that failed
// could owe its failure to any value but the one that it expected, so while there
// is one, every value counts as seen.
type registerObservers struct {
	values map[Value]int
	failed int
}

func (s *registerObservers) add(o *Operation)    { s.count(o, 1) }
func (s *registerObservers) remove(o *Operation) { s.count(o, -1) }

func (s *registerObservers) count(o *Operation, by int) {
	switch {
	case o.Kind == CAS:
		s.values[o.Input.From] += by
		if !o.Open && !o.Output.OK {
			s.failed += by
		}
	case o.constrains():
		s.values[o.Output.Value] += by
	}
}

func (s *registerObservers) sees(v Value) bool { return s.failed > 0 || s.values[v] > 0 }
