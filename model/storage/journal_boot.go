package storage

// openSuperblock is JournalBoot!Outcome: what boot makes of the two files, and whether
// it can read them at all (R16).
func (j *journal) openSuperblock(s *JournalState) (state JournalSuperblock, readable bool) {
	damaged := false
	for _, file := range s.SuperblockCache {
		damaged = damaged || file.Unreadable
		if !file.Unreadable && file.Sequence > state.Sequence {
			state = file
		}
	}
	if state.Sequence > 0 && (!damaged || j.Mirror || j.has(superblockAnyValid)) {
		return state, true
	}
	return JournalSuperblock{}, !damaged || j.has(superblockUnreadableIsEmpty)
}

// scan is what boot reads of the WAL (JournalBoot!Scan).
type scan struct {
	used      uint32 // Bit s: the batch of sequence s.
	end       uint8  // Where they end.
	rot, torn bool   // Rot was found; the end is a batch that nobody can read.
}

// has reports whether boot reads the batch of a sequence.
func (r scan) has(sequence uint8) bool { return r.used&(1<<sequence) != 0 }

func (j *journal) cell(s *JournalState, sequence uint8) *JournalBatch {
	return &s.WALCache[j.slot(sequence)]
}

// valid is JournalBoot!Valid: the batch verifies, or its index does.
func (j *journal) valid(s *JournalState, sequence uint8) bool {
	cell := j.cell(s, sequence)
	return (!cell.Illegible || j.has(adoptTorn)) &&
		(cell.Sequence == sequence || j.has(staleRecycled) && cell.Sequence > 0)
}

// chained is JournalBoot!Chained: it also continues the batch before it.
func (j *journal) chained(s *JournalState, sequence uint8) bool {
	return j.valid(s, sequence) && (j.has(staleRecycled) ||
		j.cell(s, sequence).ParentBoot == j.cell(s, sequence-1).Boot)
}

// resumes is JournalBoot!Resumes: an unbroken chain from k on says that what is
// unreadable right below k was synced, so it is rot (R14).
func (j *journal) resumes(s *JournalState, k, top uint8) bool {
	if !j.valid(s, k) {
		return false
	}
	if j.has(noSyncedThrough) || j.has(adoptPastHole) {
		return true
	}
	for at := k; at <= top && (at == k || j.chained(s, at)); at++ {
		if j.cell(s, at).SyncedThrough >= k-1 {
			return true
		}
	}
	return false
}

// scan is JournalBoot!Scan from the first live sequence.
func (j *journal) scan(s *JournalState) scan {
	top := s.Base + uint8(j.Slots) - 1
	var read scan
	at := s.Base
	for {
		for at <= top && j.valid(s, at) && (at == s.Base || j.chained(s, at)) {
			read.used |= 1 << at
			at++
		}
		resumed := at + 1
		for resumed <= top && (j.has(rotIsEnd) || !j.resumes(s, resumed, top)) {
			resumed++
		}
		if resumed > top {
			read.end, read.torn = at, at <= top && j.cell(s, at).Illegible
			return read
		}
		read.used |= 1 << resumed
		read.rot = true
		at = resumed + 1
	}
}

// misplaced is JournalBoot!Misplaced: traces of a write that landed in another slot.
func (j *journal) misplaced(s *JournalState, end uint8) bool {
	for p := range j.Slots {
		b := &s.WALCache[p]
		if b.Illegible || b.Sequence > 0 && j.slot(b.Sequence) != p {
			return true
		}
	}
	for k := end + 1; k < s.Base+uint8(j.Slots); k++ {
		if cell := j.cell(s, k); cell.Sequence == k && !cell.Illegible {
			return true
		}
	}
	return false
}

// replayed is what the records read so far amount to.
type replayed struct {
	logView uint8
	headers JournalLog
	inDoubt bool
	bodies  JournalEntries
}

// replay is JournalBoot!Replay of all that was scanned.
func (j *journal) replay(s *JournalState, read scan) replayed {
	var a replayed
	for sequence := s.Base; sequence < read.end; sequence++ {
		if !read.has(sequence) {
			continue
		}
		cell := j.cell(s, sequence)
		for _, record := range cell.Records.All[:cell.Records.Count] {
			j.apply(&a, record, !cell.Unreadable || j.has(adoptTorn))
		}
	}
	return a
}

// apply is JournalBoot!Apply. Of a batch that is not whole there are no bodies.
func (j *journal) apply(a *replayed, r JournalRecord, whole bool) {
	switch r.Kind {
	case JournalOther:
	case JournalPrepare:
		if whole {
			a.bodies |= 1 << r.Entry
		}
		if r.LogView == a.logView || j.has(ignoreRecordLogView) {
			a.headers = j.place(a.headers, r.Entry)
		}
	case JournalStateRecord:
		a.logView, a.inDoubt = r.LogView, r.InDoubt
		switch {
		case j.has(logViewWithoutHeaders):
			a.headers = a.headers.prefix(r.Head)
		case j.has(hollowHeadersOnly):
			a.headers = j.onlyHollow(a.headers, r)
		default:
			a.headers = a.headers.prefix(r.From).pad(r.From, j.unknown).then(r.Entry)
		}
	}
}

// place is JournalBoot!Place: an op above a gap makes the ops in between known, but
// not their headers.
func (j *journal) place(log, entry JournalLog) JournalLog {
	op := entry.head()
	switch {
	case op > log.head():
		return log.pad(op-1, j.unknown).add(entry.last())
	case log.at(op) == j.unknown:
		return log.with(op, entry.last())
	}
	return log
}

// onlyHollow is what the mutant hollow_headers_only makes of a state record.
func (j *journal) onlyHollow(log JournalLog, r JournalRecord) JournalLog {
	var headers JournalLog
	for o := uint8(1); o <= r.Head; o++ {
		switch {
		case o > r.From && (o == r.Head || r.Hollow&(1<<(o-1)) != 0):
			headers = headers.add(r.Entry.at(o - r.From))
		case o <= log.head():
			headers = headers.add(log.at(o))
		default:
			headers = headers.add(j.unknown)
		}
	}
	return headers
}

// boot is JournalBoot!Boot: reads superblock, snapshot and WAL, or refuses.
func (j *journal) boot(s *JournalState, yield func(JournalAction, JournalState)) {
	t := *s
	state, readable := j.openSuperblock(s)
	if !readable || state.Checkpoint > s.SnapshotCache {
		t.Status = JournalRefused
		yield(JournalAction{Kind: JournalBoot}, t)
		return
	}
	read := scan{end: s.Base}
	if !j.has(truncateToFrontier) {
		read = j.scan(s)
	}
	a := j.replay(s, read)
	t.Status = JournalRunning
	t.LogView, t.View = max(state.LogView, a.logView), max(state.View, a.logView)
	t.LogLost = state.LogView > a.logView && !j.has(logViewFromSuperblock)
	t.Headers = s.Committed.prefix(s.SnapshotCache).then(a.headers.suffix(s.SnapshotCache))
	t.InDoubt = a.inDoubt ||
		j.Policy == Replicated && !j.has(nackAfterRestart) ||
		read.rot && !j.has(nackAfterRot) && !j.has(adoptPastHole) ||
		read.torn && !j.Twin && !j.has(nackAfterTorn) ||
		j.Misdirects && !j.has(misdirectedIsEnd) && j.misplaced(s, read.end)
	t.BodiesWritten, t.BodiesSynced = a.bodies, a.bodies
	t.Superblock = state
	doubt := t.InDoubt && !j.has(cutForgetsDoubt)
	t.Queue.add(j.stateRecord(a.logView, t.Headers, state.Checkpoint, doubt))
	t.Written, t.Synced = read.end-1, read.end-1
	t.StateBase = state.Checkpoint
	if j.has(speakBeforeBootFlush) {
		t.StateSynced = true
	} else {
		j.flushWhatWasRead(&t)
	}
	j.speak(&t)
	yield(JournalAction{Kind: JournalBoot}, t)
}

// flushWhatWasRead makes durable what may have been in the page cache only (R14), and
// the copies of the superblock equal (R16).
func (j *journal) flushWhatWasRead(t *JournalState) {
	if j.Mirror && !j.has(copiesLeftUnequal) {
		t.SuperblockCache = [2]JournalSuperblock{t.Superblock, t.Superblock}
	}
	t.SuperblockDisk = t.SuperblockCache
	t.WALDisk = t.WALCache
	t.SnapshotDisk = t.SnapshotCache
}
