package retention

import (
	"fmt"
	"strings"
)

// format returns the state as lines "name = value" for people. A segment is its offsets, as in
// 0..1, with the op of its last message behind an @.
func (m *machine) format(s *State) []string {
	var ops []string
	for _, x := range s.Log[:s.LogLength] {
		ops = append(ops, x.String())
	}
	lines := []string{"log = <" + strings.Join(ops, ", ") + ">"}
	for r := range m.N {
		lines = append(lines, fmt.Sprintf("r%d = op=%d %s", r, s.CommitMin[r],
			m.formatMachine(&s.Machine[r])))
	}
	var files []string
	for _, f := range s.Files[:s.FileCount] {
		files = append(files, fmt.Sprintf("%d..%d", f.First, f.Next-1))
	}
	lines = append(lines, fmt.Sprintf("files = <%s> filed=%d", strings.Join(files, " "), s.Filed))
	if s.Pending.Op > 0 {
		lines = append(lines, fmt.Sprintf("pending = op=%d", s.Pending.Op))
	}
	if m.MaxRestart > 0 {
		lines = append(lines, fmt.Sprintf("checkpoint = op=%d %s restarts=%d", s.Checkpoint.Op,
			m.formatMachine(&s.Checkpoint.Machine), s.Restarts))
	}
	if len(s.dropped()) > 0 {
		lines = append(lines, "dropped = "+strings.Join(s.dropped(), " "))
	}
	if p := &s.Polled; p.Op > 0 {
		lines = append(lines, fmt.Sprintf("polled = from %d at op %d: offsets {%s}", p.From, p.Op,
			strings.Join(p.offsets(), ",")))
	}
	return lines
}

// String is the op as people write it: "store consumer 1 offset 2".
func (x Op) String() string {
	switch x.Kind {
	case Send, Retain:
	case Truncate:
		return fmt.Sprintf("truncate below %d", x.Number)
	case Purge:
		return fmt.Sprintf("purge %d", x.Number)
	case Store, Advance:
		return fmt.Sprintf("%s consumer %d offset %d", x.Kind, x.Consumer, x.Number)
	}
	return x.Kind.String()
}

func (m *machine) formatMachine(p *Machine) string {
	var segments []string
	for _, x := range p.Segments[:p.Count] {
		segments = append(segments, fmt.Sprintf("%d..%d@%d", x.First, x.Next-1, x.Stamp))
	}
	text := fmt.Sprintf("start=%d next=%d <%s>", p.Start, p.Next, strings.Join(segments, " "))
	if m.Consumers > 0 {
		text += fmt.Sprintf(" stored=%v", p.Stored[:m.Consumers])
	}
	if m.MaxPurge > 0 {
		text += fmt.Sprintf(" generation=%d", p.Generation)
	}
	return text
}
