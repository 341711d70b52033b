package merge

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	replicas := func(value func(r int, x *Replica) string) string {
		return canonical.Function(0, m.N, func(r int) string { return value(r, &s.Replicas[r]) })
	}
	views := func(value func(v int) string) string {
		return canonical.Function(0, m.MaxView+1, value)
	}
	number := func(n uint8) string { return strconv.Itoa(int(n)) }
	for _, f := range []struct{ name, value string }{
		{`["adopted":`, replicas(func(_ int, x *Replica) string { return number(x.Adopted) })},
		{`,"bodies":`, replicas(func(_ int, x *Replica) string { return x.Log.bodies() })},
		{`,"commit":`, replicas(func(_ int, x *Replica) string { return number(x.Commit) })},
		{`,"committed":`, canonical.Set(m.committed(s))},
		{`,"count":`, s.Count.canonical()},
		{`,"headers":`, replicas(func(_ int, x *Replica) string { return x.Log.headers() })},
		{`,"log_view":`, replicas(func(_ int, x *Replica) string { return number(x.LogView) })},
		{`,"merged":`, replicas(func(_ int, x *Replica) string { return x.merged() })},
		{`,"prepare_oks":`, canonical.Set(m.prepareOKs(s))},
		{`,"start_head":`, views(func(v int) string { return number(s.StartHead[v]) })},
		{`,"started":`, canonical.Set(m.started(s))},
		{`,"status":`, replicas(func(_ int, x *Replica) string {
			return strconv.Quote(x.Status.String())
		})},
		{`,"trusted":`, replicas(func(_ int, x *Replica) string { return truth(x.Trusted) })},
		{`,"view":`, replicas(func(_ int, x *Replica) string { return number(x.View) })},
		{`,"view_log":`, views(func(v int) string { return s.ViewLog[v].headers() })},
		{`,"votes":`, views(func(v int) string { return s.Votes[v].canonical() })},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func truth(b bool) string {
	if b {
		return "T"
	}
	return "F"
}

func (l *Log) headers() string {
	return canonical.Function(1, int(l.Length), func(op int) string {
		return strconv.Itoa(int(l.Headers[op-1]))
	})
}

func (l *Log) bodies() string {
	return canonical.Function(1, int(l.Length), func(op int) string {
		return strconv.Quote(l.Bodies[op-1].String())
	})
}

func (c *Counts) canonical() string {
	return fmt.Sprintf(`["loss":%d,"power":%d,"request":%d,"restart":%d,"rot":%d,"wipe":%d]`,
		c.Loss, c.Power, c.Request, c.Restart, c.Rot, c.Wipe)
}

func (x *Replica) merged() string {
	if !x.Parked {
		return "[]"
	}
	var voters []string
	if x.Merged.Voters != 0 {
		voters = strings.Split(x.Merged.Voters.digits(","), ",")
	}
	return fmt.Sprintf(`[1:["bodies":%s,"commit":%d,"log":%s,"voters":%s]]`,
		x.Merged.Log.bodies(), x.Merged.Commit, x.Merged.Log.headers(), canonical.Set(voters))
}

func (l *Votes) canonical() string {
	var all []string
	for i := range l.Count {
		v := &l.Votes[i]
		all = append(all, fmt.Sprintf(`["bodies":%s,"commit":%d,"headers":%s,"log_view":%d,`+
			`"replica":%d,"trusted":%s]`,
			v.Log.bodies(), v.Commit, v.Log.headers(), v.LogView, v.Replica, truth(v.Trusted)))
	}
	return canonical.Set(all)
}

func (m *machine) committed(s *State) []string {
	var all []string
	for i := range m.MaxOp {
		s.Committed[i].eachPair(func(v, w uint8) {
			all = append(all, fmt.Sprintf("[1:%d,2:%d,3:%d]", i+1, v, w))
		})
	}
	return all
}

func (m *machine) prepareOKs(s *State) []string {
	var all []string
	for r := range m.N {
		for i := range m.MaxOp {
			s.PrepareOKs[r][i].eachPair(func(v, w uint8) {
				all = append(all, fmt.Sprintf("[1:%d,2:%d,3:%d,4:%d]", r, i+1, v, w))
			})
		}
	}
	return all
}

func (m *machine) started(s *State) []string {
	var all []string
	for v := range uint8(m.MaxView + 1) {
		if s.hasStarted(v) {
			all = append(all, strconv.Itoa(int(v)))
		}
	}
	return all
}
