package storage

// JournalObserver answers what a reader outside this package asks about a state of Journal.tla.
type JournalObserver struct{ j *journal }

// NewJournalObserver observes states of the model under c.
//
// A configuration that Validate refuses is the caller's bug and panics.
func NewJournalObserver(c JournalConfig) JournalObserver { return JournalObserver{newJournal(c)} }

// JournalScan is what boot reads of the WAL (JournalBoot!Scan).
type JournalScan struct {
	used uint32
	// End is the sequence behind the last batch that boot reads.
	End uint8
	// Rot: some batch below End cannot be read and was synced.
	Rot bool
}

// Uses reports whether boot reads the batch of a sequence.
func (s JournalScan) Uses(sequence uint8) bool { return s.used&(1<<sequence) != 0 }

// Scan returns what boot reads in a state.
func (o JournalObserver) Scan(s JournalState) JournalScan {
	read := o.j.scan(&s)
	return JournalScan{used: read.used, End: read.end, Rot: read.rot}
}

// Misplaced is JournalBoot!Misplaced: traces of a write that landed in another slot.
func (o JournalObserver) Misplaced(s JournalState) bool {
	return o.j.misplaced(&s, o.j.scan(&s).end)
}

// Boot returns the state after Boot in a state that is down.
func (o JournalObserver) Boot(s JournalState) (booted JournalState) {
	o.j.boot(&s, func(_ JournalAction, t JournalState) { booted = t })
	return booted
}

// Unknown is the header of an op of which no more is known than that it is there.
func (o JournalObserver) Unknown() uint8 { return o.j.unknown }

// Views returns the views in which the ops of a log were first prepared, oldest first.
func (l JournalLog) Views() []uint8 {
	views := make([]uint8, 0, JournalOpMax)
	for op := uint8(1); op <= l.head(); op++ {
		views = append(views, l.at(op))
	}
	return views
}

// JournalLogOf is the log of so many ops, first prepared in these views.
func JournalLogOf(views ...uint8) JournalLog {
	var l JournalLog
	for _, v := range views {
		l = l.add(v)
	}
	return l
}

// EachJournalLog calls visit with every log that a model can hold.
func EachJournalLog(visit func(JournalLog)) {
	eachJournalLog(JournalOpMax, JournalViewMax+2, visit)
}
