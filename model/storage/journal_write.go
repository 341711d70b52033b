package storage

// slot is JournalDisk!Slot, from 0.
func (j *journal) slot(sequence uint8) int { return (int(sequence) + j.Slots - 1) % j.Slots }

// canWrite is JournalDisk!CanWrite: a batch lies in the ring until it is released.
func (j *journal) canWrite(s *JournalState) bool {
	return s.Queue.Count > 0 && int(s.Written) < j.MaxBatch &&
		int(s.Written)-int(s.Synced) < j.MaxAhead &&
		(int(s.Written)+2-int(s.Base) <= j.Slots || j.has(fullOverwrites))
}

// nextBatch is JournalDisk!NextBatch.
func (j *journal) nextBatch(s *JournalState) JournalBatch {
	batch := JournalBatch{
		Sequence: s.Written + 1, Boot: s.Crashes, SyncedThrough: s.Synced, Records: s.Queue,
	}
	if s.Written > 0 {
		batch.ParentBoot = s.WALCache[j.slot(s.Written)].Boot
	}
	return batch
}

// writeBatch is Journal!WriteBatch: the queue becomes a batch in the page cache.
func (j *journal) writeBatch(s *JournalState, take take) {
	if !j.canWrite(s) {
		return
	}
	t := *s
	t.WALCache[j.slot(s.Written+1)] = j.nextBatch(s)
	t.Written++
	t.Queue = JournalRecords{}
	t.BodiesWritten |= s.Queue.bodies()
	if s.Queue.hasState() {
		t.StateBatch = t.Written
	}
	take(JournalAction{Kind: JournalWriteBatch}, &t)
}

// syncWAL is Journal!SyncWAL: one flush covers all that was written.
func (j *journal) syncWAL(s *JournalState, take take) {
	if s.Synced >= s.Written {
		return
	}
	t := *s
	t.Synced = s.Written
	t.WALDisk = s.WALCache
	t.BodiesSynced = s.BodiesWritten
	t.StateSynced = s.StateSynced || !s.Queue.hasState()
	take(JournalAction{Kind: JournalSyncWAL}, &t)
}

// superblock takes the next step of an update: file and rename, the second file where
// they are copies, the directory.
func (j *journal) superblock(s *JournalState, take take) {
	switch {
	case s.SuperblockNext == JournalSuperblock{}:
		j.writeSuperblock(s, take)
	case j.Mirror && s.SuperblockCache[1] != s.SuperblockNext:
		j.mirrorSuperblock(s, take)
	default:
		j.syncSuperblock(s, take)
	}
}

// mirrorSuperblock is Journal!MirrorSuperblock: the second copy.
func (j *journal) mirrorSuperblock(s *JournalState, take take) {
	t := *s
	t.SuperblockCache[1] = s.SuperblockNext
	take(JournalAction{Kind: JournalMirrorSuperblock}, &t)
}

// syncSuperblock is Journal!SyncSuperblock: the update is durable.
func (j *journal) syncSuperblock(s *JournalState, take take) {
	t := *s
	if j.has(sameSlotSuperblock) {
		t.SuperblockCache[0] = s.SuperblockNext
	}
	t.SuperblockDisk = t.SuperblockCache
	t.Superblock, t.SuperblockNext = s.SuperblockNext, JournalSuperblock{}
	take(JournalAction{Kind: JournalSyncSuperblock}, &t)
}

// writeSuperblock is Journal!WriteSuperblock, after the state record is synced (R2).
func (j *journal) writeSuperblock(s *JournalState, take take) {
	if !s.StateSynced && !j.has(superblockBeforeAdoption) {
		return
	}
	next := JournalSuperblock{
		Sequence: s.Superblock.Sequence + 1, View: s.View, LogView: s.LogView,
		Checkpoint: s.SnapshotDisk,
	}
	if j.has(pairingBeforeSnapshot) {
		next.Checkpoint = s.SnapshotCache
	}
	same := s.Superblock
	same.Sequence++
	if next == same { // There is nothing new to say.
		return
	}
	t := *s
	t.SuperblockNext = next
	switch {
	case j.has(sameSlotSuperblock): // In place: meanwhile the file is broken.
		t.SuperblockCache[0] = damagedSuperblock()
		t.SuperblockDisk = t.SuperblockCache
	case j.Mirror:
		t.SuperblockCache[0] = next
	default:
		t.SuperblockCache[next.Sequence%2] = next
	}
	take(JournalAction{Kind: JournalWriteSuperblock}, &t)
}

// checkpoint has the actions of R17.
func (j *journal) checkpoint(s *JournalState, take take) {
	j.takeSnapshot(s, take)
	j.syncSnapshot(s, take)
	j.repeatState(s, take)
	for to := s.Base + 1; to <= s.Synced; to++ {
		j.release(s, to, take)
	}
}

// takeSnapshot is Journal!TakeSnapshot: of synced ops of a log whose log view is
// durable.
func (j *journal) takeSnapshot(s *JournalState, take take) {
	early := j.has(snapshotAheadOfLog)
	if !s.normal() || s.SnapshotCache != s.SnapshotDisk || !s.canSpeak() && !early {
		return
	}
	stored := s.BodiesSynced
	if early {
		stored = s.BodiesWritten
	}
	for op := s.SnapshotCache + 1; op <= s.Headers.head(); op++ {
		if !stored.has(s.Headers.prefix(op)) {
			return
		}
		t := *s
		t.SnapshotCache = op
		t.Committed = s.Headers.prefix(op)
		take(JournalAction{Kind: JournalTakeSnapshot, Number: op}, &t)
	}
}

// syncSnapshot is Journal!SyncSnapshot: it is durable.
func (j *journal) syncSnapshot(s *JournalState, take take) {
	if s.SnapshotCache == s.SnapshotDisk {
		return
	}
	t := *s
	t.SnapshotDisk = s.SnapshotCache
	take(JournalAction{Kind: JournalSyncSnapshot}, &t)
}

// repeatState is Journal!RepeatState: the newest state record must stay, so it is
// written again above the checkpoint before its batch goes.
func (j *journal) repeatState(s *JournalState, take take) {
	paired := j.paired(s)
	if !j.room(s) || !s.StateSynced || s.StateBase >= paired {
		return
	}
	t := *s
	t.Queue.add(j.stateRecord(s.LogView, s.Headers, paired, s.InDoubt))
	t.StateBase = paired
	take(JournalAction{Kind: JournalRepeatState}, &t)
}

// paired is Journal!Paired: the checkpoint below which the WAL may go.
func (j *journal) paired(s *JournalState) uint8 {
	if j.has(releaseBeforePairing) {
		return s.SnapshotDisk
	}
	return s.Superblock.Checkpoint
}

// release is Journal!Release: the batches below to go, by a synced log only, and the
// bodies in them are stored no more (R3).
func (j *journal) release(s *JournalState, to uint8, take take) {
	switch {
	case to > s.StateBatch && !j.has(releaseDropsAdoption):
		return
	case s.StateBatch > s.Synced, !s.StateSynced && !j.has(releaseUnderAdoption):
		return
	}
	t := *s
	paired, covered := j.paired(s), true
	j.bodiesIn(s, s.Base, to-1).each(func(e JournalLog) {
		if e.fits(s.Headers, j.unknown) {
			covered = covered && e.head() <= paired
			t.Released = max(t.Released, e.head())
		}
	})
	if !covered {
		return
	}
	t.Base = to
	if !j.has(releaseKeepsIndex) {
		t.BodiesWritten &= j.bodiesIn(s, to, s.Written)
		t.BodiesSynced &= j.bodiesIn(s, to, s.Synced)
	}
	take(JournalAction{Kind: JournalRelease, Number: to}, &t)
}

// bodiesIn returns the bodies that the readable batches of a range hold.
func (j *journal) bodiesIn(s *JournalState, first, last uint8) JournalEntries {
	var bodies JournalEntries
	for sequence := first; sequence <= last; sequence++ {
		if cell := &s.WALCache[j.slot(sequence)]; !cell.Unreadable {
			bodies |= cell.Records.bodies()
		}
	}
	return bodies
}
