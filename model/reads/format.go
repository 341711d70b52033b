package reads

import (
	"fmt"
	"strings"
)

// format returns the state as lines "name = value" for people. A log is the views of
// its ops.
func (m *machine) format(s *State) []string {
	var lines []string
	for r := range m.N {
		line := fmt.Sprintf("r%d = %s view=%d log_view=%d log=%s commit=%d/%d", r, s.Status[r],
			s.View[r], s.LogView[r], s.Log[r], s.CommitMin[r], s.CommitMax[r])
		if m.MaxTick > 0 {
			line += fmt.Sprintf(" clock=%d", s.Clock[r])
		}
		lines = append(lines, line)
	}
	for v := range m.MaxView + 1 {
		if s.Started&(1<<v) != 0 {
			lines = append(lines, fmt.Sprintf("view %d = sent %s, inherited %d, commits %d, "+
				"prepare_oks %v", v, s.Prepares[v], s.Inherited[v], s.Commits[v],
				s.PrepareOKs[v][:m.N]))
		} else {
			lines = append(lines, fmt.Sprintf("view %d = votes %s", v,
				m.canonicalVotes(&s.Votes[v])))
		}
	}
	for i := range int(s.ReadCount) {
		lines = append(lines, fmt.Sprintf("read %d = %s", i+1, s.Reads[i].format()))
	}
	return append(lines, fmt.Sprintf("acknowledged = %d", s.Acknowledged),
		"committed = "+s.Committed.String())
}

// String is the views of the ops: "<0,0,1>".
func (l Log) String() string {
	var views []string
	for _, v := range l.Views[:l.Len] {
		views = append(views, number(v))
	}
	return "<" + strings.Join(views, ",") + ">"
}

func (x *Read) format() string {
	switch x.Label {
	case Waiting:
		line := fmt.Sprintf("waiting at r%d view=%d index=%d confirmed=%s floor=%d seen=%d",
			x.At, x.View, x.Index, canonicalNumbers(x.Confirmed), x.Floor, x.Seen)
		if x.Asker != x.At {
			line += fmt.Sprintf(" for r%d", x.Asker)
		}
		return line
	case Indexed:
		return fmt.Sprintf("indexed at r%d view=%d index=%d floor=%d seen=%d",
			x.At, x.View, x.Index, x.Floor, x.Seen)
	case Linearizable:
		return fmt.Sprintf("linearizable shown=%s floor=%d seen=%d", x.Shown, x.Floor, x.Seen)
	case Serializable:
		return fmt.Sprintf("serializable shown=%s", x.Shown)
	case GivenUp:
	}
	return x.Label.String()
}
