package vsr

// RepeatState asks for the state record anew, as the log is now. A WAL lets go of its oldest file
// only if each group with a record in it has a newer state record; a group that is idle, or has
// nothing new to checkpoint, would hold up all others. One record may answer several inputs.
//
// The record says what is true now, and has what is being stored: a copy of the old one would cut
// the ops prepared since (mutant move_verbatim).
//
// Source: R2, R17; spec/Journal.tla RepeatState (above a new checkpoint), spec/JournalGroups.tla
// Move (without one). To the protocol it is a stutter: neither log nor view changes.
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
