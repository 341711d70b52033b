package consumergroups

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	for _, f := range []struct{ name, value string }{
		{`["checkpoint":`, fmt.Sprintf(`["group":%s,"op":%d,"table":%s]`,
			canonicalGroup(&s.Checkpoint.Group), s.Checkpoint.Op,
			m.canonicalTable(&s.Checkpoint.Table))},
		{`,"commit_min":`, canonical.Function(0, m.N, func(r int) string {
			return number(s.CommitMin[r])
		})},
		{`,"dealt":`, canonical.Set(s.dealt())},
		{`,"ended":`, canonical.Set(s.ended())},
		{`,"group":`, canonical.Function(0, m.N, func(r int) string {
			return canonicalGroup(&s.Group[r])
		})},
		{`,"ids":`, canonical.Set(s.ids())},
		{`,"log":`, canonical.Function(1, int(s.LogLength), func(i int) string {
			x := s.Log[i-1]
			return fmt.Sprintf(`["client":%d,"kind":"%s","number":%d]`, x.Client, x.Kind, x.Number)
		})},
		{`,"restarts":`, number(s.Restarts)},
		{`,"table":`, canonical.Function(0, m.N, func(r int) string {
			return m.canonicalTable(&s.Table[r])
		})},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func number(n uint8) string { return strconv.Itoa(int(n)) }

func (m *machine) canonicalTable(t *Table) string {
	return canonical.Function(1, m.Clients, func(i int) string {
		return fmt.Sprintf(`["newest":%d,"session":%d]`, t[i-1].Newest, t[i-1].Session)
	})
}

func canonicalGroup(g *Group) string {
	members := canonical.Function(1, int(g.Count), func(i int) string {
		return fmt.Sprintf(`["client":%d,"id":%d]`, g.Members[i-1].Client, g.Members[i-1].ID)
	})
	return fmt.Sprintf(`["generation":%d,"known":%s,"last":%d,"members":%s,"partitions":%d]`,
		g.Generation, canonicalBits(g.Known), g.Last, members, g.Partitions)
}

// canonicalBits is the set of the numbers whose bits are 1; bit 0 is 1.
func canonicalBits(bits uint8) string {
	var all []string
	for i := range uint8(8) {
		if bits&(1<<i) != 0 {
			all = append(all, number(i+1))
		}
	}
	return canonical.Set(all)
}

func (s *State) dealt() (all []string) {
	for _, d := range s.Dealt[:s.DealtCount] {
		var shares []string
		for _, x := range d.Shares[:d.Count] {
			shares = append(shares, fmt.Sprintf("[1:%d,2:%s]", x.Client, canonicalBits(x.Partitions)))
		}
		all = append(all, fmt.Sprintf("[1:%d,2:%d,3:%s]", d.Op, d.Generation, canonical.Set(shares)))
	}
	return all
}

func (s *State) ended() (all []string) {
	for op := uint8(1); op <= OpMax; op++ {
		for c := uint8(1); c <= ClientsMax; c++ {
			if s.Ended&(1<<(4*(op-1)+c)) != 0 {
				all = append(all, fmt.Sprintf("[1:%d,2:%d]", c, op))
			}
		}
	}
	return all
}

func (s *State) ids() (all []string) {
	for op := uint8(1); op <= OpMax; op++ {
		for id := range uint8(8) {
			if s.IDs&(1<<(8*(op-1)+id)) != 0 {
				all = append(all, fmt.Sprintf("[1:%d,2:%d]", op, id))
			}
		}
	}
	return all
}
