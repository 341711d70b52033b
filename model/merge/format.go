package merge

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// format returns the state as lines "name = value" for people.
func (m *machine) format(s *State) []string {
	var lines []string
	for r := range m.N {
		lines = append(lines, fmt.Sprintf("r%d = %s", r, s.Replicas[r].format()))
	}
	for v := range uint8(m.MaxView + 1) {
		log := "not started"
		if s.hasStarted(v) {
			log = fmt.Sprintf("%s started with %d", s.ViewLog[v].format(), s.StartHead[v])
		}
		var votes []string
		for i := range s.Votes[v].Count {
			votes = append(votes, s.Votes[v].Votes[i].format())
		}
		lines = append(lines, fmt.Sprintf("view %d = %s votes {%s}", v, log, strings.Join(votes, ", ")))
	}
	return append(lines,
		"prepare_oks = "+canonical.Set(m.prepareOKs(s)),
		"committed = "+canonical.Set(m.committed(s)),
		fmt.Sprintf("count = requests %d rot %d restarts %d power losses %d (%d lose) wiped %d",
			s.Count.Request, s.Count.Rot, s.Count.Restart, s.Count.Power, s.Count.Loss, s.Count.Wipe))
}

func (x *Replica) format() string {
	doubt := ""
	if !x.Trusted {
		doubt = " untrusted"
	}
	text := fmt.Sprintf("%s view=%d log_view=%d %s adopted=%d commit=%d%s", x.Status, x.View,
		x.LogView, x.Log.format(), x.Adopted, x.Commit, doubt)
	if x.Parked {
		text += fmt.Sprintf(" parked with %s commit=%d of %s",
			x.Merged.Log.format(), x.Merged.Commit, x.Merged.Voters)
	}
	return text
}

// format is the log as [1:v0 stored, 2:v1 hollow]: op, view of the entry, body.
func (l *Log) format() string {
	var ops []string
	for i := range l.Length {
		text := strconv.Itoa(int(i)+1) + ":v" + strconv.Itoa(int(l.Headers[i]))
		if l.Bodies[i] != 0 {
			text += " " + l.Bodies[i].String()
		}
		ops = append(ops, text)
	}
	return "[" + strings.Join(ops, ", ") + "]"
}

func (v *Vote) format() string {
	doubt := ""
	if !v.Trusted {
		doubt = " untrusted"
	}
	return fmt.Sprintf("r%d log_view=%d %s commit=%d%s", v.Replica, v.LogView, v.Log.format(),
		v.Commit, doubt)
}
