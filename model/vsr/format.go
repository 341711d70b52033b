package vsr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Format describes a state to people, a line "name = value" per variable and replica
// and per kind of message and view. The lines have the same names in every state,
// except that the network's end with the highest view in use.
func Format(s State) []string {
	var lines []string
	add := func(value, name string, arguments ...any) {
		lines = append(lines, fmt.Sprintf(name, arguments...)+" = "+value)
	}
	for r := range s.n {
		add(s.status[r].String(), "status[%d]", r)
		add(numberText(s.view[r]), "view[%d]", r)
		add(numberText(s.logView[r]), "log_view[%d]", r)
		if s.lazy {
			add(numberText(s.logViewDurable[r]), "log_view_durable[%d]", r)
		}
		add(logText(s.headers[r]), "headers[%d]", r)
		add(setText(s.bodies[r]), "bodies[%d]", r)
		add(numberText(s.commitMin[r]), "commit_min[%d]", r)
		add(numberText(s.commitMax[r]), "commit_max[%d]", r)
		add(logText(s.pipeline[r]), "pipeline[%d]", r)
		add(s.merged[r].String(), "merged[%d]", r)
		add(listText(s.answers[r], Answer.String), "answers[%d]", r)
	}
	highest := slices.Max(s.view[:s.n])
	if last := len(s.network) - 1; last >= 0 {
		highest = max(highest, s.network[last].view)
	}
	for v := View(0); v <= highest; v++ {
		m := s.messages(v)
		add(setText(m.prepares), "prepares[%d]", v)
		for r, vouched := range m.prepareOKs[:s.n] {
			add(setText(vouched), "prepare_oks[%d] of r%d", v, r)
		}
		add(numberText(m.commit), "commits[%d]", v)
		add(m.startViewChanges.String(), "start_view_changes[%d]", v)
		add(listText(s.Votes(v), Vote.String), "do_view_changes[%d]", v)
		add(listText(m.startViews, StartView.String), "start_views[%d]", v)
	}
	add(numberText(s.requests), "requests")
	add(numberText(s.restarts), "restarts")
	add(logText(s.acknowledged), "acknowledged")
	return lines
}

// String is the merged log in one line, "none" for nil.
func (m *Merged) String() string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("%s commit %d", logText(m.Log), m.Commit)
}

// String is the vote in one line.
func (v Vote) String() string {
	return fmt.Sprintf("r%d log_view %d commit %d log %s present %s",
		v.Replica, v.LogView, v.Commit, logText(v.Log), setText(v.Present))
}

// String is the StartView in one line.
func (m StartView) String() string {
	return fmt.Sprintf("%s commit %d", logText(m.Log), m.Commit)
}

// String is the answer in one line.
func (m Answer) String() string {
	return fmt.Sprintf("view %d %s commit %d", m.View, logText(m.Log), m.Commit)
}

func numberText[T ~uint32](n T) string {
	return strconv.FormatUint(uint64(n), 10)
}

func logText(l Log) string {
	return "<" + listed(l, Entry.String, " ") + ">"
}

func setText(set EntrySet) string {
	return "{" + listed(set, Entry.String, " ") + "}"
}

func listText[T any](list []T, text func(T) string) string {
	return "{" + listed(list, text, "; ") + "}"
}

func listed[T any](list []T, text func(T) string, separator string) string {
	var b strings.Builder
	for i, element := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(text(element))
	}
	return b.String()
}
