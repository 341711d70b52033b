package storage

// crash is JournalBoot!Crash: it takes what was in memory.
func (s *JournalState) crash() JournalState {
	return JournalState{
		WALDisk: s.WALDisk, WALCache: s.WALCache, Base: s.Base,
		SuperblockDisk: s.SuperblockDisk, SuperblockCache: s.SuperblockCache,
		SnapshotDisk: s.SnapshotDisk, SnapshotCache: s.SnapshotCache,
		Status:     JournalDown,
		PrepareOKs: s.PrepareOKs, Owed: s.Owed, SentView: s.SentView, SentLogView: s.SentLogView,
		Adopted: s.Adopted, History: s.History, Committed: s.Committed, Released: s.Released,
		Crashes: s.Crashes + 1, Rots: s.Rots, Damages: s.Damages,
	}
}

// kill is JournalBoot!Kill: SIGKILL. The operating system keeps what it has, and a
// write under way may be cut short.
func (j *journal) kill(s *JournalState, yield func(JournalAction, JournalState)) {
	yield(JournalAction{Kind: JournalKill, Left: JournalLeftNothing}, s.crash())
	if !j.canWrite(s) {
		return
	}
	batch := j.nextBatch(s)
	for _, left := range j.remains() {
		t := s.crash()
		t.WALCache[j.slot(batch.Sequence)] = batch.broken(left == JournalLeftLegible)
		yield(JournalAction{Kind: JournalKill, Left: left}, t)
	}
}

// remains says what a torn write can leave.
func (j *journal) remains() []JournalLeft {
	if j.Twin {
		return []JournalLeft{JournalLeftTorn, JournalLeftLegible}
	}
	return []JournalLeft{JournalLeftTorn}
}

// powerLoss is JournalBoot!PowerLoss: each unsynced batch is kept, lost or torn, and
// of the changed files any may have reached the disk.
func (j *journal) powerLoss(s *JournalState, yield func(JournalAction, JournalState)) {
	down := s.crash()
	if j.Policy == Replicated {
		for v := range down.Owed {
			down.Owed[v] &= s.BodiesSynced
		}
	}
	action := JournalAction{Kind: JournalPowerLoss, Slots: uint8(j.Slots)}
	for p := range j.Slots {
		action.Fate[p] = JournalKept
	}
	j.eachFate(&down, 0, false, action, func(a JournalAction, t *JournalState) {
		j.eachFile(s, a, t, yield)
	})
}

// eachFate decides what becomes of the slots from p on; torn says that some slot below
// is torn. Then the index of the torn ones may still be there (Twin).
func (j *journal) eachFate(
	s *JournalState, p int, torn bool, a JournalAction, visit func(JournalAction, *JournalState),
) {
	switch {
	case p == j.Slots:
		s.WALDisk = s.WALCache
		visit(a, s)
		return
	case s.WALCache[p] == s.WALDisk[p]:
		j.eachFate(s, p+1, torn, a, visit)
		return
	}
	kept := *s
	j.eachFate(&kept, p+1, torn, a, visit)
	lost := *s
	lost.WALCache[p] = s.WALDisk[p]
	a.Fate[p] = JournalLost
	j.eachFate(&lost, p+1, torn, a, visit)
	a.Fate[p] = JournalTorn
	for _, left := range j.remains() {
		legible := left == JournalLeftLegible
		if torn && legible != a.Legible { // All torn batches fare alike.
			continue
		}
		a.Legible = legible
		broken := *s
		broken.WALCache[p] = s.WALCache[p].broken(legible)
		j.eachFate(&broken, p+1, true, a, visit)
	}
}

// eachFile decides which of the changed superblock files, and whether the new snapshot,
// reached the disk. The state before the crash is s.
func (j *journal) eachFile(
	s *JournalState, a JournalAction, t *JournalState, yield func(JournalAction, JournalState),
) {
	var changed uint8
	for k := range s.SuperblockCache {
		if s.SuperblockCache[k] != s.SuperblockDisk[k] {
			changed |= 1 << k
		}
	}
	for files := uint8(0); files < 4; files++ {
		if files&^changed != 0 {
			continue
		}
		a.Files = files
		for k := range t.SuperblockDisk {
			t.SuperblockDisk[k] = s.SuperblockDisk[k]
			if files&(1<<k) != 0 {
				t.SuperblockDisk[k] = s.SuperblockCache[k]
			}
		}
		t.SuperblockCache = t.SuperblockDisk
		a.Snapshot = false
		t.SnapshotDisk, t.SnapshotCache = s.SnapshotDisk, s.SnapshotDisk
		yield(a, *t)
		if s.SnapshotCache != s.SnapshotDisk {
			a.Snapshot = true
			t.SnapshotDisk, t.SnapshotCache = s.SnapshotCache, s.SnapshotCache
			yield(a, *t)
		}
	}
}

// decay is what can happen to the disk of a replica that is down.
func (j *journal) decay(s *JournalState, yield func(JournalAction, JournalState)) {
	if int(s.Rots) < j.MaxRot {
		for p := range j.Slots {
			batch := &s.WALDisk[p]
			if *batch == s.WALCache[p] && !batch.Unreadable && batch.Sequence >= s.Base {
				j.rot(s, p, yield)
				j.misdirect(s, p, yield)
			}
		}
	}
	if int(s.Damages) < j.MaxDamage {
		j.damageSuperblock(s, yield)
		j.damageSnapshot(s, yield)
	}
}

// rot is JournalBoot!Rot: the batch in slot p becomes unreadable.
func (j *journal) rot(s *JournalState, p int, yield func(JournalAction, JournalState)) {
	t := *s
	t.Rots++
	t.WALDisk[p] = s.WALDisk[p].broken(j.Twin)
	t.WALCache[p] = t.WALDisk[p]
	yield(JournalAction{Kind: JournalRot, Number: uint8(p) + 1}, t)
}

// misdirect is JournalBoot!Misdirect: the write of the batch in slot p had gone to
// another slot, which shows it unless a younger one has been written there.
func (j *journal) misdirect(s *JournalState, p int, yield func(JournalAction, JournalState)) {
	batch := s.WALDisk[p]
	if !j.Misdirects || j.slot(batch.Sequence) != p {
		return
	}
	for q := range j.Slots {
		there := s.WALDisk[q]
		if q == p || there != s.WALCache[q] {
			continue
		}
		t := *s
		t.Rots++
		t.WALDisk[p], t.WALCache[p] = JournalBatch{}, JournalBatch{}
		younger := there.Boot > batch.Boot ||
			there.Boot == batch.Boot && there.Sequence > batch.Sequence
		if !younger {
			t.WALDisk[q], t.WALCache[q] = batch, batch
		}
		yield(JournalAction{Kind: JournalMisdirect, Number: uint8(p) + 1, To: uint8(q) + 1}, t)
	}
}

// damageSuperblock is JournalBoot!DamageSuperblock: a file becomes unreadable.
func (j *journal) damageSuperblock(s *JournalState, yield func(JournalAction, JournalState)) {
	for k, file := range s.SuperblockDisk {
		if file != s.SuperblockCache[k] || file.Sequence == 0 {
			continue
		}
		t := *s
		t.Damages++
		t.SuperblockDisk[k], t.SuperblockCache[k] = damagedSuperblock(), damagedSuperblock()
		yield(JournalAction{Kind: JournalDamageSuperblock, Number: uint8(k) + 1}, t)
	}
}

// damageSnapshot is JournalBoot!DamageSnapshot: the snapshot is gone.
func (j *journal) damageSnapshot(s *JournalState, yield func(JournalAction, JournalState)) {
	if s.SnapshotDisk != s.SnapshotCache || s.SnapshotDisk == 0 {
		return
	}
	t := *s
	t.Damages++
	t.SnapshotDisk, t.SnapshotCache = 0, 0
	yield(JournalAction{Kind: JournalDamageSnapshot}, t)
}
