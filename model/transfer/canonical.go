package transfer

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	for i, f := range []struct{ name, value string }{
		{"barrier", m.perReplica(s, func(x *Replica) string { return number(x.Barrier) })},
		{"base", m.perReplica(s, func(x *Replica) string { return number(x.Base) })},
		{"bodies", m.perReplica(s, func(x *Replica) string { return m.canonicalBodies(x) })},
		{"checkpoints", number(s.Checkpoints)},
		{"commit_max", m.perReplica(s, func(x *Replica) string { return number(x.CommitMax) })},
		{"committed", m.texts[s.Committed]},
		{"crashes", number(s.Crashes)},
		{"executed", m.perReplica(s, func(x *Replica) string { return m.texts[x.Executed] })},
		{"headers", m.perReplica(s, func(x *Replica) string { return m.canonicalLog(&x.Headers) })},
		{"log_view", m.perReplica(s, func(x *Replica) string { return number(x.LogView) })},
		{"pairing", m.perReplica(s, func(x *Replica) string { return m.texts[x.Pairing] })},
		{"prepare_oks", m.perReplica(s, func(x *Replica) string { return m.canonicalOKs(x) })},
		{"requests", number(s.Requests)},
		{"rewound", truth(s.Rewound)},
		{"snapshot", m.perReplica(s, func(x *Replica) string { return m.texts[x.Snapshot] })},
		{"start_views", canonical.Function(0, m.MaxView+1, func(v int) string {
			w := &s.StartViews[v]
			return fmt.Sprintf(`["commit_max":%d,"headers":%s,"sent":%s]`,
				w.CommitMax, m.canonicalLog(&w.Headers), truth(w.Sent))
		})},
		{"status", m.perReplica(s, func(x *Replica) string { return `"` + x.Status.String() + `"` })},
		{"transfer", m.perReplica(s, func(x *Replica) string { return m.canonicalTransfer(x) })},
		{"view", m.perReplica(s, func(x *Replica) string { return number(x.View) })},
		{"view_logs", canonical.Function(0, m.MaxView+1, func(v int) string {
			return m.texts[s.ViewLogs[v]]
		})},
	} {
		separator := `,"`
		if i == 0 {
			separator = `["`
		}
		dst = append(dst, separator...)
		dst = append(dst, f.name...)
		dst = append(dst, `":`...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func (m *machine) perReplica(s *State, value func(x *Replica) string) string {
	return canonical.Function(0, m.N, func(r int) string { return value(&s.Replicas[r]) })
}

func (m *machine) canonicalBodies(x *Replica) string {
	var all []string
	for rest := x.Bodies; ; {
		e, ok := rest.pop()
		if !ok {
			return canonical.Set(all)
		}
		all = append(all, m.texts[e])
	}
}

func (m *machine) canonicalOKs(x *Replica) string {
	var all []string
	for r, rest := range x.PrepareOKs {
		for e, ok := rest.pop(); ok; e, ok = rest.pop() {
			all = append(all, fmt.Sprintf("[1:%d,2:%s]", r, m.texts[e]))
		}
	}
	return canonical.Set(all)
}

func (m *machine) canonicalLog(l *Log) string {
	return canonical.Function(1, int(l.Length), func(op int) string { return m.texts[l.at(op)] })
}

func (m *machine) canonicalTransfer(x *Replica) string {
	t := &x.Transfer
	chunks := canonical.Function(1, int(t.ChunkCount), func(i int) string {
		return m.texts[t.Chunks[i-1]]
	})
	return fmt.Sprintf(`["chunks":%s,"sender":%d,"stage":%d,"target":%s]`,
		chunks, t.Sender, t.Stage, m.texts[t.Target])
}

func number(n uint8) string { return strconv.Itoa(int(n)) }

// truth is the text of a BOOLEAN, as package tlc writes it.
func truth(b bool) string {
	if b {
		return "T"
	}
	return "F"
}
