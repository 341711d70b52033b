package storage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// status is the status as the module writes it.
func (s *GroupsState) status() string {
	if s.Running {
		return "running"
	}
	return "down"
}

// appendCanonical appends the canonical text of the state (see the package comment).
func (j *journalGroups) appendCanonical(dst []byte, s *GroupsState) []byte {
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
func (j *journalGroups) fields(s *GroupsState) []namedValue {
	number := func(n uint8) string { return strconv.Itoa(int(n)) }
	numbers := func(values [GroupsMax]uint8) string {
		return j.perGroup(func(g int) string { return number(values[g]) })
	}
	return []namedValue{
		{"base", number(s.Base)},
		{"crashes", number(s.Crashes)},
		{"head", numbers(s.Head)},
		{"history", numbers(s.History)},
		{"in_doubt", j.perGroup(func(g int) string { return canonicalBool(s.InDoubt[g]) })},
		{"log_view", numbers(s.LogView)},
		{"prepare_oks", j.perGroup(func(g int) string {
			return canonicalBits(uint16(s.PrepareOKs[g]))
		})},
		{"rots", number(s.Rots)},
		{"sent_log_view", numbers(s.SentLogView)},
		{"snapshot", numbers(s.Snapshot)},
		{"status", strconv.Quote(s.status())},
		{"superblock", j.perGroup(func(g int) string {
			return fmt.Sprintf(`["checkpoint":%d,"log_view":%d]`, s.Superblock[g].Checkpoint,
				s.Superblock[g].LogView)
		})},
		{"synced", number(s.Synced)},
		{"unsaid", canonicalBool(s.Unsaid)},
		{"wal", canonicalFunction(1, j.Slots, func(p int) string { return j.batch(&s.WAL[p]) })},
		{"written", number(s.Written)},
	}
}

// perGroup is the canonical text of a function on the groups.
func (j *journalGroups) perGroup(value func(g int) string) string {
	return canonicalFunction(1, j.Groups, value)
}

// batch is the canonical text of a batch.
func (j *journalGroups) batch(b *GroupsBatch) string {
	var bodies, states []string
	for g := range j.Groups {
		for op := uint8(1); op <= GroupsOpMax; op++ {
			if b.Bodies.has(g, op) {
				bodies = append(bodies, fmt.Sprintf("[1:%d,2:%d]", g+1, op))
			}
		}
		if r := b.States[g]; r.Said {
			states = append(states, fmt.Sprintf(`["group":%d,"head":%d,"in_doubt":%s,"log_view":%d]`,
				g+1, r.Head, canonicalBool(r.InDoubt), r.LogView))
		}
	}
	slices.Sort(bodies)
	slices.Sort(states)
	return fmt.Sprintf(`["bodies":{%s},"over":%s,"sequence":%d,"states":{%s},`+
		`"synced_through":%d,"whole":%s]`, strings.Join(bodies, ","), canonicalBool(b.Over),
		b.Sequence, strings.Join(states, ","), b.SyncedThrough, canonicalBool(!b.Unreadable))
}

// format returns the state as lines "name = value" for people.
func (j *journalGroups) format(s *GroupsState) []string {
	lines := []string{fmt.Sprintf("node = %s base=%d written=%d synced=%d free=%d%s", s.status(),
		s.Base, s.Written, s.Synced, j.free(s), words(s.Unsaid, "states unsaid"))}
	for g := range j.Groups {
		lines = append(lines, fmt.Sprintf("group %d = log_view=%d head=%d%s; superblock log_view=%d "+
			"checkpoint=%d; snapshot of op %d", g+1, s.LogView[g], s.Head[g],
			words(s.InDoubt[g], "in doubt", s.lost(g), "lost"), s.Superblock[g].LogView,
			s.Superblock[g].Checkpoint, s.Snapshot[g]),
			fmt.Sprintf("group %d promised = log_view %d, ops %s", g+1, s.SentLogView[g],
				canonicalBits(uint16(s.PrepareOKs[g]))))
	}
	for p := range j.Slots {
		lines = append(lines, fmt.Sprintf("slot %d = %s", p+1, j.batchText(&s.WAL[p])))
	}
	return append(lines, fmt.Sprintf("counts = crashes %d rots %d", s.Crashes, s.Rots))
}

func (j *journalGroups) batchText(b *GroupsBatch) string {
	if b.Sequence == 0 {
		return "no batch"
	}
	var records []string
	for g := range j.Groups {
		for op := uint8(1); op <= GroupsOpMax; op++ {
			if b.Bodies.has(g, op) {
				records = append(records, fmt.Sprintf("prepare %d of group %d", op, g+1))
			}
		}
		if r := b.States[g]; r.Said {
			records = append(records, fmt.Sprintf("state of group %d log_view %d head %d%s", g+1,
				r.LogView, r.Head, words(r.InDoubt, "in doubt")))
		}
	}
	return fmt.Sprintf("batch %d synced_through %d [%s]%s", b.Sequence, b.SyncedThrough,
		strings.Join(records, "; "), words(b.Unreadable, "unreadable"))
}
