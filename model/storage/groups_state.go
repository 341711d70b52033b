package storage

// GroupsBodies is a set of prepares: those of group g, from 0, are the bits from
// g*GroupsOpMax on, op 1 first.
type GroupsBodies uint8

// body is the set of one prepare.
func body(g int, op uint8) GroupsBodies { return 1 << (g*GroupsOpMax + int(op) - 1) }

// has reports whether op of group g is in the set.
func (b GroupsBodies) has(g int, op uint8) bool { return b&body(g, op) != 0 }

// size is the number of prepares in the set.
func (b GroupsBodies) size() int { return ReplicaSet(b).size() }

// GroupsRecord is the state record of a group, if Said.
type GroupsRecord struct {
	Said          bool
	LogView, Head uint8
	InDoubt       bool
}

// GroupsBatch is a batch of the WAL. Its zero value is JournalGroups!NoBatch.
type GroupsBatch struct {
	// Sequence is its number, from 1; 0 for no batch.
	Sequence uint8
	// SyncedThrough is the newest batch known to be synced when it was written.
	SyncedThrough uint8
	Bodies        GroupsBodies
	// States are the state records that it holds, by group.
	States [GroupsMax]GroupsRecord
	// Unreadable: it does not verify. Over: its slot held such a batch before.
	Unreadable, Over bool
}

// wreck is JournalGroups!Wreck: a batch that cannot be read.
func wreck(sequence uint8) GroupsBatch {
	return GroupsBatch{Sequence: sequence, Unreadable: true}
}

// GroupsSuperblock is the state of a group in the superblock.
type GroupsSuperblock struct{ LogView, Checkpoint uint8 }

// GroupsState is a state of JournalGroups.tla, variable by variable. Group g of the
// module is element g-1; slots and groups beyond the bounds stay zero. It is a value:
// assignment copies it.
type GroupsState struct {
	WAL [GroupsSlotsMax]GroupsBatch
	// Base is the first sequence that is not released, Written and Synced the newest
	// batch written, and synced.
	Base, Written, Synced uint8
	Superblock            [GroupsMax]GroupsSuperblock
	Snapshot              [GroupsMax]uint8

	Running       bool
	LogView, Head [GroupsMax]uint8
	InDoubt       [GroupsMax]bool
	// Unsaid: what boot found is not written yet.
	Unsaid bool

	// PrepareOKs has bit op set if the group acknowledged it.
	PrepareOKs [GroupsMax]uint8
	// SentLogView is the highest log view of which a vote was sent, History the highest
	// op ever prepared.
	SentLogView, History [GroupsMax]uint8

	Crashes, Rots uint8
}

// lost is JournalGroups!Lost: the log of the log view that the superblock names is gone.
func (s *GroupsState) lost(g int) bool { return s.Superblock[g].LogView > s.LogView[g] }

// record is JournalGroups!StateRecord.
func (s *GroupsState) record(g int) GroupsRecord {
	return GroupsRecord{
		Said: true, LogView: s.LogView[g], Head: s.Head[g], InDoubt: s.InDoubt[g],
	}
}

// appendKey appends a compact injective encoding of the state.
func (s *GroupsState) appendKey(dst []byte) []byte {
	for p := range s.WAL {
		b := &s.WAL[p]
		dst = append(dst, b.Sequence|b.SyncedThrough<<4)
		if b.Sequence == 0 {
			continue
		}
		dst = append(dst, byte(b.Bodies)|flags(b.Unreadable, b.Over)<<6)
		for _, r := range b.States {
			dst = append(dst, r.LogView|r.Head<<3|flags(r.Said, r.InDoubt)<<5)
		}
	}
	for g := range s.LogView {
		dst = append(dst, s.Superblock[g].LogView|s.Superblock[g].Checkpoint<<3|
			s.Snapshot[g]<<5, s.LogView[g]|s.Head[g]<<3|flags(s.InDoubt[g])<<5,
			s.PrepareOKs[g], s.SentLogView[g]|s.History[g]<<3)
	}
	return append(dst, s.Base|s.Written<<4, s.Synced|flags(s.Running, s.Unsaid)<<4,
		s.Crashes|s.Rots<<4)
}
