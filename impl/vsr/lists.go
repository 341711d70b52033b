package vsr

// outcomeCounts counts what votes came to; the first place is unused.
type outcomeCounts [len(outcomeNames)]uint64

// Outcomes lists what a set of votes can come to.
func Outcomes() []Outcome {
	var all []Outcome
	for o := OutcomeAwaitingQuorum; int(o) < len(outcomeNames); o++ {
		all = append(all, o)
	}
	return all
}

// Merged returns how often votes came to an outcome here, since the boot.
func (r *Replica) Merged(o Outcome) uint64 { return r.outcomes[o] }

// StopReasons lists why a commit walk can stop.
func StopReasons() []StopReason {
	var all []StopReason
	for s := StopCaughtUp; int(s) < len(stopNames); s++ {
		all = append(all, s)
	}
	return all
}

// DefectNames lists the names of all defects.
func DefectNames() []string {
	names := make([]string, len(defectNames))
	for i, d := range defectNames {
		names[i] = d.name
	}
	return names
}
