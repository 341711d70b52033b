package retention

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	for _, f := range []struct{ name, value string }{
		{`["checkpoint":`, m.canonicalCheckpoint(&s.Checkpoint)},
		{`,"commit_min":`, canonical.Function(0, m.N, func(r int) string {
			return number(s.CommitMin[r])
		})},
		{`,"dropped":`, canonical.Set(s.dropped())},
		{`,"filed":`, number(s.Filed)},
		{`,"files":`, canonical.Function(1, int(s.FileCount), func(i int) string {
			f := s.Files[i-1]
			return fmt.Sprintf(`["first":%d,"next":%d]`, f.First, f.Next)
		})},
		{`,"given":`, canonical.Set(s.given())},
		{`,"log":`, canonical.Function(1, int(s.LogLength), func(i int) string {
			x := s.Log[i-1]
			return fmt.Sprintf(`["consumer":%d,"kind":"%s","number":%d]`,
				x.Consumer, x.Kind, x.Number)
		})},
		{`,"machine":`, canonical.Function(0, m.N, func(r int) string {
			return m.canonicalMachine(&s.Machine[r])
		})},
		{`,"pending":`, m.canonicalCheckpoint(&s.Pending)},
		{`,"polled":`, fmt.Sprintf(`["from":%d,"got":%s,"op":%d]`, s.Polled.From,
			canonical.Set(s.Polled.offsets()), s.Polled.Op)},
		{`,"restarts":`, number(s.Restarts)},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func number(n uint8) string { return strconv.Itoa(int(n)) }

func (m *machine) canonicalCheckpoint(c *Checkpoint) string {
	return fmt.Sprintf(`["filed":%d,"machine":%s,"op":%d]`,
		c.Filed, m.canonicalMachine(&c.Machine), c.Op)
}

func (m *machine) canonicalMachine(p *Machine) string {
	segments := canonical.Function(1, int(p.Count), func(i int) string {
		x := p.Segments[i-1]
		return fmt.Sprintf(`["first":%d,"next":%d,"stamp":%d]`, x.First, x.Next, x.Stamp)
	})
	stored := canonical.Function(1, m.Consumers, func(i int) string { return number(p.Stored[i-1]) })
	return fmt.Sprintf(`["generation":%d,"next":%d,"segments":%s,"start":%d,"stored":%s]`,
		p.Generation, p.Next, segments, p.Start, stored)
}

// each visits the ops and offsets of a set of bits, in order.
func each(set uint64, visit func(op, offset uint8)) {
	for op := uint8(1); op <= OpMax; op++ {
		for offset := range uint8(8) {
			if set&bit(op, offset) != 0 {
				visit(op, offset)
			}
		}
	}
}

func (s *State) given() (all []string) {
	each(s.Given, func(op, offset uint8) {
		all = append(all, fmt.Sprintf("[1:%d,2:%d]", op, offset))
	})
	return all
}

func (s *State) dropped() (all []string) {
	for unread, text := range []string{"F", "T"} {
		each(s.Dropped[unread], func(op, offset uint8) {
			all = append(all, fmt.Sprintf(`["offset":%d,"op":%d,"unread":%s]`, offset, op, text))
		})
	}
	return all
}

func (p *Polled) offsets() (all []string) {
	for o := range uint8(OpMax + 1) {
		if p.Got&(1<<o) != 0 {
			all = append(all, number(o))
		}
	}
	return all
}
