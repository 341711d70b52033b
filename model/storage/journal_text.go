package storage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// appendCanonical appends the canonical text of the state (see the package comment).
func (j *journal) appendCanonical(dst []byte, s *JournalState) []byte {
	dst = append(dst, '[')
	for i, f := range j.fields(s) { // In the order of their names.
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, f.name...)
		dst = append(dst, '"', ':')
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

// fields returns the variables in the order of their names, as canonical text.
func (j *journal) fields(s *JournalState) []namedValue {
	number := func(n uint8) string { return strconv.Itoa(int(n)) }
	return []namedValue{
		{"adopted", j.perView(&s.Adopted)},
		{"bodies_synced", canonicalEntries(s.BodiesSynced)},
		{"bodies_written", canonicalEntries(s.BodiesWritten)},
		{"committed", canonicalJournalLog(s.Committed)},
		{"crashes", number(s.Crashes)},
		{"damages", number(s.Damages)},
		{"headers", canonicalJournalLog(s.Headers)},
		{"history", j.perView(&s.History)},
		{"in_doubt", canonicalBool(s.InDoubt)},
		{"log_lost", canonicalBool(s.LogLost)},
		{"log_view", number(s.LogView)},
		{"owed", canonicalPromises(&s.Owed)},
		{"prepare_oks", canonicalPromises(&s.PrepareOKs)},
		{"queue", canonicalRecords(&s.Queue)},
		{"released", number(s.Released)},
		{"rots", number(s.Rots)},
		{"sent_log_view", number(s.SentLogView)},
		{"sent_view", number(s.SentView)},
		{"snapshot_cache", number(s.SnapshotCache)},
		{"snapshot_disk", number(s.SnapshotDisk)},
		{"state_base", number(s.StateBase)},
		{"state_batch", number(s.StateBatch)},
		{"state_synced", canonicalBool(s.StateSynced)},
		{"status", strconv.Quote(s.Status.String())},
		{"superblock", canonicalSuperblock(s.Superblock)},
		{"superblock_cache", canonicalFiles(&s.SuperblockCache)},
		{"superblock_disk", canonicalFiles(&s.SuperblockDisk)},
		{"superblock_next", canonicalSuperblock(s.SuperblockNext)},
		{"synced", number(s.Synced)},
		{"view", number(s.View)},
		{"wal_base", number(s.Base)},
		{"wal_cache", j.canonicalWAL(&s.WALCache)},
		{"wal_disk", j.canonicalWAL(&s.WALDisk)},
		{"written", number(s.Written)},
	}
}

func (j *journal) perView(logs *[JournalViewMax + 1]JournalLog) string {
	return canonicalFunction(0, j.MaxView+1, func(v int) string {
		return canonicalJournalLog(logs[v])
	})
}

func (j *journal) canonicalWAL(wal *[JournalSlotsMax]JournalBatch) string {
	return canonicalFunction(1, j.Slots, func(p int) string {
		b := wal[p]
		return fmt.Sprintf(`["boot":%d,"legible":%s,"parent_boot":%d,"records":%s,"sequence":%d,`+
			`"synced_through":%d,"whole":%s]`, b.Boot, canonicalBool(!b.Illegible), b.ParentBoot,
			canonicalRecords(&b.Records), b.Sequence, b.SyncedThrough, canonicalBool(!b.Unreadable))
	})
}

func canonicalRecords(records *JournalRecords) string {
	return canonicalFunction(1, int(records.Count), func(i int) string {
		switch r := records.All[i]; r.Kind {
		case JournalPrepare:
			return fmt.Sprintf(`["entry":%s,"kind":"prepare","log_view":%d]`,
				canonicalJournalLog(r.Entry), r.LogView)
		case JournalStateRecord:
			return fmt.Sprintf(`["from":%d,"head":%d,"headers":%s,"hollow":%s,"in_doubt":%s,`+
				`"kind":"state","log_view":%d]`, r.From, r.Head, canonicalJournalLog(r.Entry),
				canonicalBits(uint16(r.Hollow)<<1), canonicalBool(r.InDoubt), r.LogView)
		case JournalOther:
		}
		return `["kind":"other"]`
	})
}

func canonicalFiles(files *[2]JournalSuperblock) string {
	return canonicalFunction(1, 2, func(k int) string { return canonicalSuperblock(files[k]) })
}

func canonicalSuperblock(b JournalSuperblock) string {
	return fmt.Sprintf(`["checkpoint":%d,"log_view":%d,"sequence":%d,"view":%d,"whole":%s]`,
		b.Checkpoint, b.LogView, b.Sequence, b.View, canonicalBool(!b.Unreadable))
}

// canonicalEntries is the text of a set of entries, sorted as text.
func canonicalEntries(entries JournalEntries) string {
	var members []string
	entries.each(func(e JournalLog) { members = append(members, canonicalJournalLog(e)) })
	slices.Sort(members)
	return "{" + strings.Join(members, ",") + "}"
}

// canonicalPromises is the text of a set of pairs of entry and log view.
func canonicalPromises(promises *[JournalViewMax + 1]JournalEntries) string {
	var members []string
	for v, entries := range promises {
		entries.each(func(e JournalLog) {
			members = append(members, fmt.Sprintf("[1:%s,2:%d]", canonicalJournalLog(e), v))
		})
	}
	slices.Sort(members)
	return "{" + strings.Join(members, ",") + "}"
}

// format returns the state as lines "name = value" for people. A log is the views of
// its ops: <0,0,1>; ? is an op without a header.
func (j *journal) format(s *JournalState) []string {
	lines := []string{
		fmt.Sprintf("replica = %s view=%d log_view=%d log %s%s", s.Status, s.View, s.LogView,
			j.logText(s.Headers), words(s.InDoubt, "in doubt", s.LogLost, "lost")),
		fmt.Sprintf("bodies = written %s synced %s", j.entriesText(s.BodiesWritten),
			j.entriesText(s.BodiesSynced)),
		fmt.Sprintf("batches = base=%d written=%d synced=%d queue %s", s.Base, s.Written, s.Synced,
			j.recordsText(&s.Queue)),
		fmt.Sprintf("state record = batch=%d base=%d%s", s.StateBatch, s.StateBase,
			words(s.StateSynced, "synced")),
	}
	for p := range j.Slots {
		lines = append(lines, fmt.Sprintf("slot %d = %s", p+1, j.batchText(s.WALCache[p])))
		if s.WALDisk[p] != s.WALCache[p] {
			lines[len(lines)-1] += "; on disk " + j.batchText(s.WALDisk[p])
		}
	}
	for k := range s.SuperblockCache {
		lines = append(lines,
			fmt.Sprintf("superblock %d = %s", k+1, superblockText(s.SuperblockCache[k])))
		if s.SuperblockDisk[k] != s.SuperblockCache[k] {
			lines[len(lines)-1] += "; on disk " + superblockText(s.SuperblockDisk[k])
		}
	}
	lines = append(lines,
		fmt.Sprintf("superblock = known %s, writing %s", superblockText(s.Superblock),
			superblockText(s.SuperblockNext)),
		fmt.Sprintf("snapshot = op %d, durable %d; released up to op %d, committed %s",
			s.SnapshotCache, s.SnapshotDisk, s.Released, j.logText(s.Committed)),
		fmt.Sprintf("promised = view %d, log_view %d", s.SentView, s.SentLogView))
	for v := range j.MaxView + 1 {
		lines = append(lines, fmt.Sprintf("view %d = adopted %s history %s acknowledged %s owed %s",
			v, j.logText(s.Adopted[v]), j.logText(s.History[v]), j.entriesText(s.PrepareOKs[v]),
			j.entriesText(s.Owed[v])))
	}
	return append(lines,
		fmt.Sprintf("counts = crashes %d rots %d damages %d", s.Crashes, s.Rots, s.Damages))
}

// words returns the words whose condition holds, each after a space.
func words(pairs ...any) string {
	var text strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == true {
			fmt.Fprintf(&text, " %s", pairs[i+1])
		}
	}
	return text.String()
}

func (j *journal) logText(l JournalLog) string {
	views := make([]string, 0, JournalOpMax)
	for o := uint8(1); o <= l.head(); o++ {
		if l.at(o) == j.unknown {
			views = append(views, "?")
		} else {
			views = append(views, strconv.Itoa(int(l.at(o))))
		}
	}
	return "<" + strings.Join(views, ",") + ">"
}

func (j *journal) entriesText(entries JournalEntries) string {
	var members []string
	entries.each(func(e JournalLog) { members = append(members, j.logText(e)) })
	return "{" + strings.Join(members, " ") + "}"
}

func (j *journal) recordsText(records *JournalRecords) string {
	members := make([]string, 0, JournalRecordsMax)
	for _, r := range records.All[:records.Count] {
		switch r.Kind {
		case JournalPrepare:
			members = append(members,
				fmt.Sprintf("prepare %s in log_view %d", j.logText(r.Entry), r.LogView))
		case JournalOther:
			members = append(members, "other group")
		case JournalStateRecord:
			members = append(members, fmt.Sprintf("state log_view %d head %d headers above %d %s%s",
				r.LogView, r.Head, r.From, j.logText(r.Entry), words(r.InDoubt, "in doubt")))
		}
	}
	return "[" + strings.Join(members, "; ") + "]"
}

func (j *journal) batchText(b JournalBatch) string {
	if b.Sequence == 0 {
		return "no batch"
	}
	return fmt.Sprintf("batch %d boot %d after boot %d synced_through %d %s%s", b.Sequence, b.Boot,
		b.ParentBoot, b.SyncedThrough, j.recordsText(&b.Records),
		words(b.Illegible, "unreadable", b.Unreadable && !b.Illegible, "index only"))
}

func superblockText(b JournalSuperblock) string {
	switch {
	case b.Unreadable:
		return "damaged"
	case b.Sequence == 0:
		return "none"
	}
	return fmt.Sprintf("(%d: view %d, log_view %d, checkpoint %d)", b.Sequence, b.View, b.LogView,
		b.Checkpoint)
}
