package reads

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	perReplica := func(values *[ReplicasMax]uint8) string {
		return canonical.Function(0, m.N, func(r int) string { return number(values[r]) })
	}
	perView := func(value func(v int) string) string {
		return canonical.Function(0, m.MaxView+1, value)
	}
	for _, f := range []struct{ name, value string }{
		{`["acknowledged":`, number(s.Acknowledged)},
		{`,"clock":`, perReplica(&s.Clock)},
		{`,"commit_max":`, perReplica(&s.CommitMax)},
		{`,"commit_min":`, perReplica(&s.CommitMin)},
		{`,"commits":`, perView(func(v int) string { return number(s.Commits[v]) })},
		{`,"committed":`, s.Committed.canonical()},
		{`,"inherited":`, perView(func(v int) string { return number(s.Inherited[v]) })},
		{`,"log":`, canonical.Function(0, m.N, func(r int) string {
			return s.Log[r].canonical()
		})},
		{`,"log_view":`, perReplica(&s.LogView)},
		{`,"prepare_oks":`, perView(func(v int) string { return perReplica(&s.PrepareOKs[v]) })},
		{`,"prepares":`, perView(func(v int) string { return s.Prepares[v].canonical() })},
		{`,"reads":`, canonical.Function(1, int(s.ReadCount), func(i int) string {
			return s.Reads[i-1].canonical()
		})},
		{`,"started":`, canonicalNumbers(s.Started)},
		{`,"status":`, canonical.Function(0, m.N, func(r int) string {
			return strconv.Quote(s.Status[r].String())
		})},
		{`,"view":`, perReplica(&s.View)},
		{`,"votes":`, perView(func(v int) string { return m.canonicalVotes(&s.Votes[v]) })},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func number(n uint8) string { return strconv.Itoa(int(n)) }

func (l Log) canonical() string {
	return canonical.Function(1, int(l.Len), func(op int) string { return number(l.Views[op-1]) })
}

func (x *Read) canonical() string {
	return fmt.Sprintf(`["asker":%d,"at":%d,"confirmed":%s,"floor":%d,"index":%d,"label":"%s",`+
		`"seen":%d,"shown":%s,"view":%d]`, x.Asker, x.At, canonicalNumbers(x.Confirmed),
		x.Floor, x.Index, x.Label, x.Seen, x.Shown.canonical(), x.View)
}

func (m *machine) canonicalVotes(votes *[ReplicasMax]Vote) string {
	var all []string
	for r := range m.N {
		if x := &votes[r]; x.Sent {
			all = append(all, fmt.Sprintf(`["commit":%d,"log":%s,"log_view":%d,"replica":%d]`,
				x.Commit, x.Log.canonical(), x.LogView, r))
		}
	}
	return canonical.Set(all)
}

// canonicalNumbers is the canonical text of the set of the bits that are 1.
func canonicalNumbers(set uint8) string {
	var all []string
	for i := range uint8(8) {
		if set&(1<<i) != 0 {
			all = append(all, number(i))
		}
	}
	return canonical.Set(all)
}
