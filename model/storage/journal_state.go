package storage

// JournalStatus is the status of the replica (JournalDisk!status).
type JournalStatus uint8

// The statuses.
const (
	JournalRunning JournalStatus = iota + 1
	JournalDown
	// JournalRefused is a typed refusal to boot (R16). It is final.
	JournalRefused
)

// String is the status as the module writes it.
func (s JournalStatus) String() string {
	switch s {
	case JournalRunning:
		return "running"
	case JournalDown:
		return "down"
	case JournalRefused:
		return "refused"
	}
	return "none"
}

// JournalRecordKind is the kind of a record in the WAL.
type JournalRecordKind uint8

// The kinds of records.
const (
	// JournalPrepare holds an entry with its body, and the log view in force (R2).
	JournalPrepare JournalRecordKind = iota + 1
	// JournalOther is a record of another group of the node.
	JournalOther
	// JournalStateRecord says all that the headers before it said (R2).
	JournalStateRecord
)

// JournalRecord is one record. Fields that its kind has no use for are zero.
type JournalRecord struct {
	Kind JournalRecordKind
	// Entry is that of a prepare; of a state record, it is the headers above From.
	Entry JournalLog
	// LogView is the log view in force, of a prepare and of a state record.
	LogView uint8
	// From is the op below the headers of a state record, Head the head of its log.
	From, Head uint8
	// InDoubt is whether the log is untrusted (R15).
	InDoubt bool
	// Hollow has bit o-1 set for each op o whose header the mutant hollow_headers_only
	// stores.
	Hollow uint8
}

// JournalRecords is a sequence of records. What is beyond Count is zero.
type JournalRecords struct {
	Count uint8
	All   [JournalRecordsMax]JournalRecord
}

// add appends a record.
func (r *JournalRecords) add(record JournalRecord) {
	r.All[r.Count] = record
	r.Count++
}

// bodies is JournalDisk!Bodies: the entries of the prepares.
func (r *JournalRecords) bodies() JournalEntries {
	var bodies JournalEntries
	for i := range r.Count {
		if r.All[i].Kind == JournalPrepare {
			bodies |= 1 << r.All[i].Entry
		}
	}
	return bodies
}

// hasState is JournalDisk!HasState.
func (r *JournalRecords) hasState() bool {
	for i := range r.Count {
		if r.All[i].Kind == JournalStateRecord {
			return true
		}
	}
	return false
}

// JournalBatch is a batch of the WAL. Its zero value is JournalDisk!NoBatch.
type JournalBatch struct {
	// Sequence is its number, from 1; 0 for no batch.
	Sequence uint8
	// Boot is the boot that wrote it, ParentBoot the boot of the batch before: the chain.
	Boot, ParentBoot uint8
	// SyncedThrough is the newest batch known to be synced when it was written.
	SyncedThrough uint8
	Records       JournalRecords
	// Unreadable: it does not verify. Illegible: its index does not verify either.
	Unreadable, Illegible bool
}

// broken is JournalDisk!Broken.
func (b JournalBatch) broken(legible bool) JournalBatch {
	b.Unreadable, b.Illegible = true, !legible
	return b
}

// JournalSuperblock is the state in a superblock file. Its zero value is
// JournalDisk!NoSuperblock.
type JournalSuperblock struct {
	Sequence, View, LogView, Checkpoint uint8
	// Unreadable: the file is damaged.
	Unreadable bool
}

// damagedSuperblock is JournalDisk!DamagedSuperblock.
func damagedSuperblock() JournalSuperblock { return JournalSuperblock{Unreadable: true} }

// JournalState is a state of Journal.tla, variable by variable. Slots and views beyond
// the bounds stay zero. It is a value: assignment copies it.
type JournalState struct {
	// WALDisk is what is durable, WALCache what the operating system shows; Base is the
	// first live sequence.
	WALDisk, WALCache [JournalSlotsMax]JournalBatch
	Base              uint8
	// SuperblockDisk and SuperblockCache are the two superblock files.
	SuperblockDisk, SuperblockCache [2]JournalSuperblock
	// SnapshotDisk and SnapshotCache are the op of the snapshot; 0 for none.
	SnapshotDisk, SnapshotCache uint8

	Status        JournalStatus
	View, LogView uint8
	// Headers is the log of the replica.
	Headers JournalLog
	// InDoubt: the log is untrusted (R15). LogLost: the log of LogView is gone (R2).
	InDoubt, LogLost bool
	// BodiesWritten and BodiesSynced are the index of the WAL.
	BodiesWritten, BodiesSynced JournalEntries
	// Queue holds the records that no write has taken yet.
	Queue JournalRecords
	// Written and Synced are the newest batch written, and synced.
	Written, Synced uint8
	// StateBatch is the batch of the newest state record, StateBase the op below its
	// headers, StateSynced whether it is synced.
	StateBatch, StateBase uint8
	StateSynced           bool
	// Superblock is known to be durable; SuperblockNext is being written.
	Superblock, SuperblockNext JournalSuperblock

	// PrepareOKs are the entries acknowledged, by the log view of the acknowledgement;
	// Owed are those of them that must survive the crashes so far.
	PrepareOKs, Owed [JournalViewMax + 1]JournalEntries
	// SentView and SentLogView are the highest of which a vote was sent.
	SentView, SentLogView uint8
	// Adopted and History are the log of each view as adopted, and with what was
	// appended in the view.
	Adopted, History [JournalViewMax + 1]JournalLog
	// Committed is the log under snapshots, Released the highest op released.
	Committed JournalLog
	Released  uint8

	Crashes, Rots, Damages uint8
}

// canSpeak is JournalDisk!CanSpeak (R1, R2).
func (s *JournalState) canSpeak() bool {
	return s.Status == JournalRunning && !s.LogLost && s.StateSynced &&
		s.Superblock.View == s.View && s.Superblock.LogView == s.LogView
}

// live is Journal!Live: it runs and its log is not lost.
func (s *JournalState) live() bool { return s.Status == JournalRunning && !s.LogLost }

// normal is Journal!Normal.
func (s *JournalState) normal() bool { return s.View == s.LogView && !s.LogLost }

// appendKey appends a compact injective encoding of the state.
func (s *JournalState) appendKey(dst []byte) []byte {
	differ := len(dst)
	dst = append(dst, 0) // Bit p: the durable batch of slot p is another one.
	for p := range s.WALCache {
		dst = s.WALCache[p].appendKey(dst)
		if s.WALDisk[p] != s.WALCache[p] {
			dst[differ] |= 1 << p
			dst = s.WALDisk[p].appendKey(dst)
		}
	}
	for k := range s.SuperblockCache {
		dst = s.SuperblockCache[k].appendKey(dst)
		if s.SuperblockDisk[k] != s.SuperblockCache[k] {
			dst[differ] |= 1 << (JournalSlotsMax + k)
			dst = s.SuperblockDisk[k].appendKey(dst)
		}
	}
	dst = s.Superblock.appendKey(dst)
	dst = s.SuperblockNext.appendKey(dst)
	dst = append(dst, s.Base, s.SnapshotDisk|s.SnapshotCache<<4, byte(s.Status)|s.View<<4,
		s.LogView|flags(s.InDoubt, s.LogLost, s.StateSynced)<<4, byte(s.Headers),
		s.Written|s.Synced<<4, s.StateBatch|s.StateBase<<4, s.Queue.Count)
	for i := range s.Queue.Count {
		dst = s.Queue.All[i].appendKey(dst)
	}
	dst = s.BodiesWritten.appendKey(dst)
	dst = s.BodiesSynced.appendKey(dst)
	for v := range s.PrepareOKs {
		dst = s.PrepareOKs[v].appendKey(dst)
		dst = s.Owed[v].appendKey(dst)
		dst = append(dst, byte(s.Adopted[v]), byte(s.History[v]))
	}
	return append(dst, s.SentView|s.SentLogView<<4, byte(s.Committed), s.Released|s.Rots<<4,
		s.Crashes|s.Damages<<4)
}

// flags packs booleans, the first in the lowest bit.
func flags(all ...bool) byte {
	var packed byte
	for i, set := range all {
		if set {
			packed |= 1 << i
		}
	}
	return packed
}

func (e JournalEntries) appendKey(dst []byte) []byte {
	return append(dst, byte(e), byte(e>>8), byte(e>>16)) // journalLogs bits.
}

func (b *JournalBatch) appendKey(dst []byte) []byte {
	dst = append(dst, b.Sequence|b.Boot<<4)
	if b.Sequence == 0 {
		return dst
	}
	dst = append(dst, b.ParentBoot|b.SyncedThrough<<4,
		b.Records.Count|flags(b.Unreadable, b.Illegible)<<4)
	for i := range b.Records.Count {
		dst = b.Records.All[i].appendKey(dst)
	}
	return dst
}

func (r *JournalRecord) appendKey(dst []byte) []byte {
	return append(dst, byte(r.Kind)|r.LogView<<2|r.From<<4|r.Head<<6,
		byte(r.Entry)|flags(r.InDoubt)<<5|r.Hollow<<6)
}

func (b *JournalSuperblock) appendKey(dst []byte) []byte {
	return append(dst, b.Sequence, b.View|b.LogView<<2|b.Checkpoint<<4|flags(b.Unreadable)<<6)
}
