package storage

// cell is JournalGroups!Cell.
func (j *journalGroups) cell(s *GroupsState, sequence uint8) *GroupsBatch {
	return &s.WAL[(int(sequence)+j.Slots-1)%j.Slots]
}

// free is JournalGroups!Free.
func (j *journalGroups) free(s *GroupsState) int {
	return j.Slots + int(s.Base) - int(s.Written) - 1
}

// write is JournalGroups!Write: a batch in the hands of the OS. It reports whether the
// bound allows it.
func (j *journalGroups) write(s *GroupsState, batch GroupsBatch) bool {
	if int(s.Written) >= j.MaxBatch {
		return false
	}
	s.Written++
	batch.Sequence, batch.SyncedThrough = s.Written, s.Synced
	batch.Over = j.cell(s, s.Written).Sequence > 0
	*j.cell(s, s.Written) = batch
	return true
}

// hasBody is JournalGroups!HasBody: a readable batch of the range holds the prepare.
func (j *journalGroups) hasBody(s *GroupsState, g int, op, first, last uint8) bool {
	for sequence := first; sequence <= last; sequence++ {
		if cell := j.cell(s, sequence); !cell.Unreadable && cell.Bodies.has(g, op) {
			return true
		}
	}
	return false
}

// says is JournalGroups!Says: the batch holds a state record of the group.
func (j *journalGroups) says(s *GroupsState, sequence uint8, g int) bool {
	cell := j.cell(s, sequence)
	return !cell.Unreadable && cell.States[g].Said
}

// stateBatch is JournalGroups!StateBatch: the newest batch of the range with a state
// record of the group; 0 for none.
func (j *journalGroups) stateBatch(s *GroupsState, g int, first, last uint8) uint8 {
	for sequence := last; sequence >= first && sequence > 0; sequence-- {
		if j.says(s, sequence, g) {
			return sequence
		}
	}
	return 0
}

// bodies is JournalGroups!Bodies: those in the batch that no checkpoint covers and that
// no later batch up to last holds too.
func (j *journalGroups) bodies(s *GroupsState, sequence, last uint8) GroupsBodies {
	cell := j.cell(s, sequence)
	if cell.Unreadable {
		return 0
	}
	var needed GroupsBodies
	for g := range j.Groups {
		for op := s.Superblock[g].Checkpoint + 1; int(op) <= j.MaxOp; op++ {
			if cell.Bodies.has(g, op) && !j.hasBody(s, g, op, sequence+1, last) {
				needed |= body(g, op)
			}
		}
	}
	return needed
}

// states is JournalGroups!States: the groups whose newest state record, up to last, is
// in the batch. Bit g is group g.
func (j *journalGroups) states(s *GroupsState, sequence, last uint8) uint8 {
	var groups uint8
	for g := range j.Groups {
		if j.says(s, sequence, g) && j.stateBatch(s, g, sequence+1, last) == 0 {
			groups |= 1 << g
		}
	}
	return groups
}

// needed is JournalGroups!Needed.
func (j *journalGroups) needed(s *GroupsState, sequence, last uint8) bool {
	return j.bodies(s, sequence, last) != 0 || j.states(s, sequence, last) != 0
}

// least is JournalGroups!Least: the free slots at which only moving goes on.
func (j *journalGroups) least() int {
	if j.has(noSlotForBoot) {
		return 1
	}
	return 2
}

// takes is JournalGroups!Takes: whether the ring takes another prepare (R17).
func (j *journalGroups) takes(s *GroupsState) bool {
	if j.has(noReservedSlot) {
		return j.free(s) >= 1
	}
	reserved := j.Groups + j.least() + 1
	if j.has(noSlotForMoving) {
		reserved--
	}
	var pending GroupsBodies
	for sequence := s.Base; sequence <= s.Written; sequence++ {
		pending |= j.bodies(s, sequence, sequence)
	}
	return j.free(s) > j.least() && pending.size()+1+reserved <= j.Slots
}

// release is JournalGroups!Release: the oldest batch goes when nothing in it, of any
// group, is needed.
func (j *journalGroups) release(s *GroupsState, take groupsTake) {
	if s.Base > s.Synced || !j.mayRelease(s) {
		return
	}
	t := *s
	*j.cell(&t, s.Base) = GroupsBatch{}
	t.Base++
	take(GroupsAction{Kind: GroupsRelease}, &t)
}

func (j *journalGroups) mayRelease(s *GroupsState) bool {
	last := s.Synced
	if j.has(releaseUnsyncedCopy) {
		last = s.Written
	}
	bodies, states := j.bodies(s, s.Base, last), j.states(s, s.Base, last)
	var taken uint8 // Groups with a checkpoint.
	free := false   // Of one of them the batch holds nothing needed.
	for g := range j.Groups {
		if s.Superblock[g].Checkpoint > 0 {
			taken |= 1 << g
			own := bodies >> (g * GroupsOpMax) & (1<<GroupsOpMax - 1)
			free = free || own == 0 && states&(1<<g) == 0
		}
	}
	switch {
	case j.has(releaseByOneGroup) && taken != 0:
		return free
	case j.has(dropsOtherState) && taken != 0:
		return bodies == 0 && states&taken == 0
	}
	return bodies == 0 && states == 0
}

// move is JournalGroups!Move: what is needed of the oldest batch is written again.
func (j *journalGroups) move(s *GroupsState, take groupsTake) {
	free := j.free(s)
	if free != j.least() && (free != 1 || !s.Unsaid) || s.Base > s.Synced ||
		!j.needed(s, s.Base, s.Written) {
		return
	}
	batch := GroupsBatch{Bodies: j.bodies(s, s.Base, s.Written)}
	states := j.states(s, s.Base, s.Written)
	if s.Unsaid {
		states = 1<<j.Groups - 1
	}
	for g := range j.Groups {
		switch {
		case states&(1<<g) == 0:
		case j.has(moveVerbatim):
			batch.States[g] = j.cell(s, s.Base).States[g]
		default:
			batch.States[g] = s.record(g)
		}
	}
	t := *s
	t.Unsaid = false
	if j.write(&t, batch) {
		take(GroupsAction{Kind: GroupsMove}, &t)
	}
}
