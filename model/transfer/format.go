package transfer

import (
	"fmt"
	"strings"
)

// format returns the state as lines "name = value" for people. An entry is written as
// the views of its ops: <0,1> is op 2 of view 1 upon op 1 of view 0; <> is none.
func (m *machine) format(s *State) []string {
	var lines []string
	for r := range m.N {
		lines = append(lines, fmt.Sprintf("r%d = %s", r, m.formatReplica(&s.Replicas[r])))
	}
	var logs, starts []string
	for v := range m.MaxView + 1 {
		logs = append(logs, m.text(s.ViewLogs[v]))
		if w := &s.StartViews[v]; w.Sent {
			starts = append(starts, fmt.Sprintf("view %d: %s commit %d",
				v, m.formatLog(&w.Headers), w.CommitMax))
		}
	}
	return append(lines,
		"committed = "+m.text(s.Committed),
		"view_logs = "+strings.Join(logs, " "),
		"start_views = "+strings.Join(starts, "; "),
		fmt.Sprintf("bounds = requests %d crashes %d checkpoints %d rewound %t",
			s.Requests, s.Crashes, s.Checkpoints, s.Rewound))
}

func (m *machine) formatReplica(x *Replica) string {
	var bodies, oks []string
	for rest := x.Bodies; rest != 0; {
		e, _ := rest.pop()
		bodies = append(bodies, m.text(e))
	}
	for r, rest := range x.PrepareOKs {
		for rest != 0 {
			e, _ := rest.pop()
			oks = append(oks, fmt.Sprintf("r%d:%s", r, m.text(e)))
		}
	}
	text := fmt.Sprintf("%s view=%d log_view=%d headers=[%s] bodies={%s} executed=%s "+
		"commit_max=%d snapshot=%s pairing=%s base=%d",
		x.Status, x.View, x.LogView, m.formatLog(&x.Headers), strings.Join(bodies, " "),
		m.text(x.Executed), x.CommitMax, m.text(x.Snapshot), m.text(x.Pairing), x.Base)
	if x.Barrier > 0 {
		text += fmt.Sprintf(" barrier=%d", x.Barrier)
	}
	if t := &x.Transfer; t.Stage != stageNone {
		text += fmt.Sprintf(" transfer={stage %d from r%d of %s, %d chunks}",
			t.Stage, t.Sender, m.text(t.Target), t.ChunkCount)
	}
	if oks != nil {
		text += " prepare_oks={" + strings.Join(oks, " ") + "}"
	}
	return text
}

func (m *machine) formatLog(l *Log) string {
	var all []string
	for op := 1; op <= int(l.Length); op++ {
		all = append(all, m.text(l.at(op)))
	}
	return strings.Join(all, " ")
}
