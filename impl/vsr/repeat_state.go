package vsr

// RepeatState asks for the state record anew, as the log is now. A WAL lets go of its oldest file
// only if each group with a record in it has a newer state record; a group that is idle, or has
// nothing new to checkpoint, would hold up all others. One record may answer several inputs.
//
// Source: R2, R17; spec/Journal.tla RepeatState.
type RepeatState struct{}

func (RepeatState) isInput() {}

// storing reports whether a state record over the same log view is on its way.
func (b *rebase) storing() bool { return !b.to.IsZero() || b.repeating }

// repeatState writes the log as it is, if that is wanted. Nothing follows from it in memory.
func (r *Replica) repeatState() {
	if !r.rebase.repeat {
		return
	}
	r.rebase.repeat, r.rebase.repeating = false, true
	r.storeLog(r.log)
}
