package logspace

import (
	"fmt"
	"strings"
)

// format returns the state as lines "name = value" for people. A record is its group and op,
// as in 1:4, with an s behind a state record.
func (m *machine) format(s *State) []string {
	var lines []string
	for g := 1; g <= m.Groups; g++ {
		lines = append(lines, fmt.Sprintf("g%d = %s", g, s.Group[g].format()))
	}
	var files []string
	for _, f := range s.Files.Each[:s.Files.Count] {
		var records []string
		for _, x := range f[:f.count()] {
			records = append(records, x.String())
		}
		files = append(files, "<"+strings.Join(records, " ")+">")
	}
	line := "files = " + strings.Join(files, " ")
	if s.Moved {
		line += " moved"
	}
	return append(lines, line)
}

// String is the record as people write it.
func (x Record) String() string {
	text := fmt.Sprintf("%d:%d", x.Group, x.Op)
	if x.IsState {
		text += "s"
	}
	return text
}

func (x *Standing) format() string {
	text := fmt.Sprintf("head=%d stored=%d commit=%d base=%d released=%d", x.Head, x.Stored,
		x.Commit, x.Base, x.Released)
	if x.Running > 0 {
		text += fmt.Sprintf(" running=%d", x.Running)
	}
	for _, flag := range []struct {
		is   bool
		name string
	}{
		{x.Waits, "waits"},
		{x.Owes, "owes"},
		{x.Gone, "gone"},
		{x.Asked.Checkpoint, "asked for a checkpoint"},
		{x.Asked.State, "asked for its state"},
	} {
		if flag.is {
			text += " " + flag.name
		}
	}
	return text
}
