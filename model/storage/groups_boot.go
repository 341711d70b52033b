package storage

// crash is JournalGroups!Crash: what is synced stays, and any prefix of the rest; the
// batch after it may be torn.
func (j *journalGroups) crash(s *GroupsState, yield func(GroupsAction, GroupsState)) {
	for keep := s.Synced; keep <= s.Written; keep++ {
		t := *s
		t.Crashes++
		t.Running, t.Unsaid, t.Written, t.Synced = false, false, 0, 0
		t.LogView, t.Head, t.InDoubt = [GroupsMax]uint8{}, [GroupsMax]uint8{}, [GroupsMax]bool{}
		for sequence := keep + 1; sequence <= s.Written; sequence++ {
			cell := j.cell(&t, sequence)
			switch {
			case cell.Unreadable:
			case cell.Over:
				*cell = wreck(sequence)
			default:
				*cell = GroupsBatch{}
			}
		}
		yield(GroupsAction{Kind: GroupsCrash, Number: keep}, t)
		if keep < s.Written {
			*j.cell(&t, keep+1) = wreck(keep + 1)
			yield(GroupsAction{Kind: GroupsCrash, Number: keep, Torn: true}, t)
		}
	}
}

// rot is JournalGroups!Rot: a batch that is not released becomes unreadable.
func (j *journalGroups) rot(s *GroupsState, yield func(GroupsAction, GroupsState)) {
	if int(s.Rots) >= j.MaxRot {
		return
	}
	for sequence := s.Base; sequence < s.Base+uint8(j.Slots); sequence++ {
		if !j.readable(s, sequence) {
			continue
		}
		t := *s
		t.Rots++
		*j.cell(&t, sequence) = wreck(sequence)
		yield(GroupsAction{Kind: GroupsRot, Number: sequence}, t)
	}
}

// readable is JournalGroups!Readable.
func (j *journalGroups) readable(s *GroupsState, sequence uint8) bool {
	cell := j.cell(s, sequence)
	return cell.Sequence == sequence && !cell.Unreadable
}

// end is JournalGroups!End: where boot ends the log. A batch that cannot be read is not
// its end if one behind it says that it was synced (R14).
func (j *journalGroups) end(s *GroupsState) uint8 {
	beyond := s.Base + uint8(j.Slots)
	at := s.Base
	for at < beyond && (j.readable(s, at) || j.readOn(s, at, beyond)) {
		at++
	}
	return at
}

// readOn is JournalGroups!ReadOn.
func (j *journalGroups) readOn(s *GroupsState, at, beyond uint8) bool {
	for k := at + 1; k < beyond && j.readable(s, k); k++ {
		if j.cell(s, k).SyncedThrough >= at {
			return true
		}
	}
	return false
}

// boot is JournalGroups!Boot: of each group the newest state record, and the prepares
// behind it. What cannot be read may have been of any group, so all are in doubt but those
// whose state record lies behind it (R15). What lies behind the end is no part of the log
// again (R14).
func (j *journalGroups) boot(s *GroupsState, take groupsTake) {
	last := j.end(s) - 1
	var unreadable uint8 // The newest batch that cannot be read.
	for sequence := s.Base; sequence < s.Base+uint8(j.Slots); sequence++ {
		if cell := j.cell(s, sequence); cell.Sequence == sequence && cell.Unreadable {
			unreadable = sequence
		}
	}
	t := *s
	t.Running, t.Written, t.Synced = true, last, last
	for p := range t.WAL {
		if t.WAL[p].Sequence > last && !t.WAL[p].Unreadable {
			t.WAL[p] = GroupsBatch{}
		}
	}
	for g := range j.Groups {
		var record GroupsRecord
		from := s.Base // Without a state record, prepares are those of log view 0.
		said := j.stateBatch(s, g, s.Base, last)
		if said > 0 {
			record, from = j.cell(s, said).States[g], said
		}
		head := max(record.Head, s.Snapshot[g])
		for op := head + 1; int(op) <= j.MaxOp; op++ {
			if j.hasBody(s, g, op, from, last) {
				head = op
			}
		}
		gap := false
		for op := s.Snapshot[g] + 1; op <= head; op++ {
			gap = gap || !j.hasBody(s, g, op, s.Base, last)
		}
		t.LogView[g], t.Head[g] = record.LogView, head
		t.InDoubt[g] = record.InDoubt ||
			unreadable > said && (gap || !j.has(doubtForOneGroupOnly))
		t.Unsaid = t.Unsaid || said == 0 && !j.has(noFirstStates) || t.InDoubt[g] != record.InDoubt
	}
	take(GroupsAction{Kind: GroupsBoot}, &t)
}
