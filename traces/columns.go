package traces

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Columns prints two states side by side, a field a line, under the titles of who they are
// and of both sides. A line whose values differ begins with an exclamation mark:
//
//	  r1            model       cores
//	  status        normal      normal
//	! commit_max    2           1
func Columns(of, wantTitle, gotTitle string, want, got ReplicaState) string {
	rows := [][3]string{{of, wantTitle, gotTitle}}
	a, b := StateFields(want), StateFields(got)
	for i, field := range a {
		rows = append(rows, [3]string{field.Name, field.Value, b[i].Value})
	}
	var widths [2]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	var text strings.Builder
	for i, row := range rows {
		mark := " "
		if i > 0 && row[1] != row[2] {
			mark = "!"
		}
		fmt.Fprintf(&text, "%s %-*s  %-*s  %s\n", mark, widths[0], row[0], widths[1], row[1], row[2])
	}
	return text.String()
}
