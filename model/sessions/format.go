package sessions

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// format returns the state as lines "name = value" for people.
func (m *machine) format(s *State) []string {
	lines := []string{"sent = " + strings.Join(m.sentMessages(s), " ")}
	var log []string
	for op := 1; op <= int(s.LogLength); op++ {
		log = append(log, fmt.Sprintf("%d:%s", op, m.at(s, op)))
	}
	lines = append(lines, "log = "+strings.Join(log, " "))
	for r := range m.N {
		lines = append(lines, fmt.Sprintf("r%d = commit_min=%d %s",
			r, s.CommitMin[r], formatTable(&s.Table[r])))
	}
	if m.MaxRestart > 0 {
		lines = append(lines, fmt.Sprintf("checkpoint = op=%d %s restarts=%d",
			s.CheckpointOp, formatTable(&s.CheckpointTable), s.Restarts))
	}
	for c := range m.Clients {
		lines = append(lines, fmt.Sprintf("client %d = %s", c+1, s.Client[c].format()))
	}
	return append(lines,
		"executed = "+canonical.Set(m.executed(s)),
		"ended = "+canonical.Set(m.ended(s)),
		"confirmed = "+canonical.Set(m.confirmed(s)),
		"refused = "+canonical.Set(m.refused(s)))
}

func (m *machine) sentMessages(s *State) []string {
	var all []string
	for i, message := range m.all {
		if s.Sent.has(uint8(i)) {
			all = append(all, message.String())
		}
	}
	return all
}

func formatTable(t *Table) string {
	var rows []string
	for i := range t.Rows {
		w := &t.Rows[i]
		if w.Client == 0 {
			continue
		}
		var replies []string
		for _, reply := range w.Replies[:w.ReplyCount] {
			replies = append(replies, fmt.Sprintf("%d.%d=payload %d at op %d",
				reply.Session, reply.Number, reply.Payload, reply.Op))
		}
		rows = append(rows, fmt.Sprintf("%d:[client %d owner %d session %d registration %d born %d "+
			"watermark %d/%d newest %d replies {%s}]", i+1, w.Client, w.Owner, w.Session, w.Registration,
			w.Born, w.BoundWatermark, w.Watermark, w.Newest, strings.Join(replies, ", ")))
	}
	if rows == nil {
		return fmt.Sprintf("%d empty slots", t.Slots)
	}
	return fmt.Sprintf("%d slots ", t.Slots) + strings.Join(rows, " ")
}

func (x *Client) format() string {
	var open []string
	for i, number := range x.Open {
		if number != 0 {
			open = append(open, fmt.Sprintf("%d=payload %d", number, i+1))
		}
	}
	return fmt.Sprintf("%s session=%d born=%d registration=%d number=%d payload=%d open {%s}",
		x.Phase, x.Session, x.Born, x.Registration, x.Number, x.Payload, strings.Join(open, ", "))
}
