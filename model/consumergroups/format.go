package consumergroups

import (
	"fmt"
	"strings"
)

// format returns the state as lines "name = value" for people. A member is its client, its id
// behind a # and its partitions.
func (m *machine) format(s *State) []string {
	var messages []string
	for _, x := range s.Log[:s.LogLength] {
		messages = append(messages, x.String())
	}
	lines := []string{"log = <" + strings.Join(messages, ", ") + ">"}
	for r := range m.N {
		lines = append(lines, fmt.Sprintf("r%d = op=%d %s", r, s.CommitMin[r],
			m.formatPart(&s.Table[r], &s.Group[r])))
	}
	if m.MaxRestart > 0 {
		lines = append(lines, fmt.Sprintf("checkpoint = op=%d %s restarts=%d", s.Checkpoint.Op,
			m.formatPart(&s.Checkpoint.Table, &s.Checkpoint.Group), s.Restarts))
	}
	return lines
}

// String is the message as people write it: "join client 1 session 2".
func (x Message) String() string {
	switch x.Kind {
	case RegisterKind:
		return fmt.Sprintf("register client %d", x.Client)
	case ChangeKind:
		return fmt.Sprintf("change to %d partitions", x.Number)
	case JoinKind, LeaveKind, LogoutKind:
	}
	return fmt.Sprintf("%s client %d session %d", x.Kind, x.Client, x.Number)
}

func (m *machine) formatPart(t *Table, g *Group) string {
	var sessions, members []string
	for c, row := range t[:m.Clients] {
		if row.Session > 0 {
			sessions = append(sessions, fmt.Sprintf("%d:%d@%d", c+1, row.Session, row.Newest))
		}
	}
	for i, x := range g.Members[:g.Count] {
		members = append(members, fmt.Sprintf("%d#%d%s", x.Client, x.ID,
			canonicalBits(m.share(g, i))))
	}
	return fmt.Sprintf("sessions={%s} members=<%s> generation=%d", strings.Join(sessions, " "),
		strings.Join(members, " "), g.Generation)
}
