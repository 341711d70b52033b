package linearizability

// longBounds bound a decision without a search.
type longBounds struct {
	ended       func() StopReason
	skipWitness bool
}

// longResult is such a decision.
type longResult struct {
	verdict Verdict
	// witness is, of a violation, a part that is one. exact says that the shrinker has
	// nothing to add; minimal and reason then are those of the [Witness].
	witness        []*Operation
	exact, minimal bool
	reason         string
	// base and parts are those of the Witness.
	base  int64
	parts []Operation
}

// longOperationBytes is a guess of what the checkers of long histories need an operation,
// from the sizes of what they keep. It was not measured.
const longOperationBytes = 400

// decideLong decides what can be decided without a search, and says whether it found a
// violation, which decides the history.
func (r *rounds) decideLong() bool {
	violation := false
	for i, p := range r.partitions {
		if r.spec.long == nil || len(p.operations) < r.spec.longFrom || r.options.SearchAlways {
			continue
		}
		report := &r.reports[i]
		if stop := r.ended(); stop != StopNone {
			report.Stop, report.Searched = stop, len(p.operations)
			continue
		}
		if uint64(len(p.operations))*longOperationBytes > r.options.MemoryMaxBytes {
			report.Stop, report.Searched = StopMemory, len(p.operations)
			continue
		}
		found, applies := r.spec.long(p.operations, longBounds{
			ended: r.ended, skipWitness: r.options.SkipWitness,
		})
		if !applies {
			continue
		}
		report.Searched, report.Verdict, report.Stop = len(p.operations), found.verdict, StopNone
		switch found.verdict {
		case Violation:
			r.violations[i], r.long[i], violation = found.witness, found, true
		case Linearizable:
			report.Linearized = report.Searched
		case Undecided:
			report.Stop = StopTime
		}
	}
	if violation {
		for i := range r.reports {
			if r.reports[i].Verdict == Undecided {
				r.reports[i].Stop = StopElsewhere
			}
		}
	}
	return violation
}

// decideZones decides a partition of a register by its zones.
func decideZones(operations []*Operation, _ longBounds) (longResult, bool) {
	witness, violated, applies := zones(operations)
	if !applies {
		return longResult{}, false
	}
	if violated {
		return longResult{verdict: Violation, witness: witness}, true
	}
	return longResult{verdict: Linearizable}, true
}

// report makes the witness of a violation that needs no shrinking.
func (l longResult) report(key string) *Witness {
	w := &Witness{
		Key: key, Minimal: l.minimal, Reason: l.reason, Base: l.base, parts: l.parts,
	}
	for _, o := range l.witness {
		w.Operations = append(w.Operations, *o)
	}
	return w
}
