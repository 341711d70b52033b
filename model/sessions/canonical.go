package sessions

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	for _, f := range []struct{ name, value string }{
		{`["checkpoint":`, fmt.Sprintf(`["op":%d,"table":%s]`,
			s.CheckpointOp, canonicalTable(&s.CheckpointTable))},
		{`,"client":`, canonical.Function(1, m.Clients, func(i int) string {
			return s.Client[i-1].canonical()
		})},
		{`,"commit_min":`, canonical.Function(0, m.N, func(i int) string {
			return strconv.Itoa(int(s.CommitMin[i]))
		})},
		{`,"confirmed":`, canonical.Set(m.confirmed(s))},
		{`,"ended":`, canonical.Set(m.ended(s))},
		{`,"executed":`, canonical.Set(m.executed(s))},
		{`,"log":`, canonical.Function(1, int(s.LogLength), func(i int) string {
			return m.texts[s.Log[i-1]]
		})},
		{`,"refused":`, canonical.Set(m.refused(s))},
		{`,"restarts":`, strconv.Itoa(int(s.Restarts))},
		{`,"sent":`, canonical.Set(m.sent(s))},
		{`,"table":`, canonical.Function(0, m.N, func(i int) string {
			return canonicalTable(&s.Table[i])
		})},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func (m *machine) confirmed(s *State) []string {
	var all []string
	for c := range m.Clients {
		for p := uint8(1); int(p) <= m.MaxRequest; p++ {
			for op := range uint8(OpMax + 2) {
				if s.Confirmed[c]&confirmedBit(p, op) != 0 {
					all = append(all, fmt.Sprintf("[1:%d,2:%d,3:%d]", c+1, p, op))
				}
			}
		}
	}
	return all
}

func (m *machine) refused(s *State) []string {
	var all []string
	for c := range m.Clients {
		for p := 1; p <= m.MaxRequest; p++ {
			if s.Refused[c]&(1<<p) != 0 {
				all = append(all, fmt.Sprintf("[1:%d,2:%d]", c+1, p))
			}
		}
	}
	return all
}

func (m *machine) executed(s *State) []string {
	var all []string
	for op := 1; op <= m.MaxOp; op++ {
		if s.Executed&(1<<op) != 0 {
			all = append(all, strconv.Itoa(op))
		}
	}
	return all
}

func (m *machine) ended(s *State) []string {
	var all []string
	for i := range m.MaxOp {
		for bit := range ClientsMax * OpMax * whyMax {
			if s.Ended[i]&(1<<bit) != 0 {
				e := endingAt(bit)
				all = append(all, fmt.Sprintf(`[1:%d,2:%d,3:%d,4:"%s"]`,
					e.Client, e.Session, i+1, e.Why))
			}
		}
	}
	return all
}

func (m *machine) sent(s *State) []string {
	var all []string
	for i, text := range m.texts {
		if s.Sent.has(uint8(i)) {
			all = append(all, text)
		}
	}
	return all
}

func (x *Client) canonical() string {
	var open []string
	for i, number := range x.Open {
		if number != 0 {
			open = append(open, fmt.Sprintf(`["number":%d,"payload":%d]`, number, i+1))
		}
	}
	return fmt.Sprintf(`["born":%d,"number":%d,"open":%s,"payload":%d,"phase":"%s",`+
		`"registration":%d,"session":%d]`,
		x.Born, x.Number, canonical.Set(open), x.Payload, x.Phase, x.Registration, x.Session)
}

func canonicalTable(t *Table) string {
	return canonical.Function(1, int(t.Slots), func(i int) string {
		return t.Rows[i-1].canonical()
	})
}

func (w *Row) canonical() string {
	if w.Client == 0 {
		return `["client":0]`
	}
	return fmt.Sprintf(`["born":%d,"bound_watermark":%d,"client":%d,"newest":%d,`+
		`"owner":%d,"registration":%d,"replies":%s,"session":%d,"watermark":%d]`,
		w.Born, w.BoundWatermark, w.Client, w.Newest, w.Owner, w.Registration,
		canonical.Function(1, int(w.ReplyCount), func(i int) string {
			reply := w.Replies[i-1]
			return fmt.Sprintf(`["number":%d,"op":%d,"payload":%d,"session":%d]`,
				reply.Number, reply.Op, reply.Payload, reply.Session)
		}), w.Session, w.Watermark)
}
