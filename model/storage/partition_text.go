package storage

import (
	"fmt"
	"strconv"
	"strings"
)

// appendCanonical appends the canonical text of the state (see the package comment).
func (c Config) appendCanonical(dst []byte, s *PartitionState) []byte {
	dst = append(dst, '[')
	for i, f := range c.fields(s) { // In the order of their names.
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

type namedValue struct{ name, value string }

// fields returns the variables in the order of their names, as canonical text.
func (c Config) fields(s *PartitionState) []namedValue {
	number := func(n uint8) string { return strconv.Itoa(int(n)) }
	return []namedValue{
		{"crashes", number(s.Crashes)},
		{"excused", number(s.Excused)},
		{"in_doubt", canonicalReplicas(s.InDoubt)},
		{"log", c.perReplica(func(r int) string { return canonicalLog(s.Log[r]) })},
		{"log_view", c.perReplica(func(r int) string { return c.perGroup(s.LogView[r]) })},
		{"made", canonicalFunction(1, int(s.Operations), func(p int) string {
			return fmt.Sprintf(`["group":%q,"parent":%d]`, s.Made[p].Group, s.Made[p].Parent)
		})},
		{"power_failed", canonicalBool(s.PowerFailed)},
		{"prepare_oks", c.perReplica(func(r int) string {
			return canonicalPrepares(s.PrepareOKs[r])
		})},
		{"primary", c.perGroup(s.Primary)},
		{"published", c.perReplica(func(r int) string { return number(s.Published[r]) })},
		{"up", canonicalReplicas(s.Up)},
		{"written", c.perReplica(func(r int) string { return number(s.Written[r]) })},
	}
}

// format returns the state as lines "name = value" for people: one line a replica, one
// a group, and then what is promised.
func (c Config) format(s *PartitionState) []string {
	lines := make([]string, 0, c.N+policies+2)
	for r := range c.N {
		records := make([]string, s.Log[r].Len)
		for i, p := range s.Log[r].records() {
			records[i] = "torn"
			if p != 0 {
				records[i] = s.name(p)
			}
		}
		lines = append(lines, fmt.Sprintf("r%d = log [%s] written=%d published=%d%s",
			r, strings.Join(records, " "), s.Written[r], s.Published[r],
			words(!s.Up.has(r), "down", s.InDoubt.has(r), "in doubt")))
	}
	for _, g := range c.Policies {
		primary := "none"
		if c.led(s, g) {
			primary = fmt.Sprintf("r%d", s.Primary[g-1])
		}
		lines = append(lines, fmt.Sprintf("primary of %s = %s", g, primary))
	}
	return append(lines,
		"acknowledged = "+s.names(c.acknowledged(s)),
		fmt.Sprintf("crashes = %d%s", s.Crashes, words(s.PowerFailed, "power failed",
			s.Excused > 0, fmt.Sprintf("replicated prepares up to %d are not owed", s.Excused))))
}

// name is a prepare in lines for people: p1 is the first prepare, of the persisted
// group, r2 the second, of the replicated one.
func (s *PartitionState) name(p uint8) string {
	return fmt.Sprintf("%c%d", s.group(p).String()[0], p)
}

// names are the prepares of a set.
func (s *PartitionState) names(set PrepareSet) string {
	var members []string
	for p := uint8(1); p <= s.Operations; p++ {
		if set.has(p) {
			members = append(members, s.name(p))
		}
	}
	return "{" + strings.Join(members, " ") + "}"
}

// perReplica is the canonical text of a function on the replicas.
func (c Config) perReplica(value func(r int) string) string {
	return canonicalFunction(0, c.N, value)
}

// perGroup is the canonical text of a function on the groups.
func (c Config) perGroup(values [policies]uint8) string {
	members := make([]string, len(c.Policies))
	for i, g := range c.Policies {
		members[i] = fmt.Sprintf("%q:%d", g, values[g-1])
	}
	return "[" + strings.Join(members, ",") + "]"
}

// canonicalFunction is the canonical text of a function on from, ..., from+n-1, which
// must be below 10: text order is then number order.
func canonicalFunction(from, n int, value func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(from + i))
		b.WriteByte(':')
		b.WriteString(value(i))
	}
	b.WriteByte(']')
	return b.String()
}

func canonicalLog(l PrepareLog) string {
	return canonicalFunction(1, int(l.Len), func(i int) string {
		return strconv.Itoa(int(l.Prepares[i]))
	})
}

func canonicalPrepares(set PrepareSet) string { return canonicalBits(uint16(set)) }

func canonicalReplicas(set ReplicaSet) string { return canonicalBits(uint16(set)) }

func canonicalBits(set uint16) string {
	var members []string
	for i := range 16 {
		if set&(1<<i) != 0 {
			members = append(members, strconv.Itoa(i))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func canonicalBool(b bool) string {
	if b {
		return "T"
	}
	return "F"
}
