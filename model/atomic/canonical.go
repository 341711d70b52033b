package atomic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// appendCanonical appends the canonical text of a state: all variables as one record, in
// the form in which TLC's states and this model's are compared (see package vsr). Numbers
// of views and ops are below 10 wherever graphs are compared, so their order is that of
// their texts.
func (s *State) appendCanonical(dst []byte) []byte {
	replica := func(value func(r int) string) string { return functionText(0, N, value) }
	view := func(value func(f *facts) string) string {
		return functionText(0, len(s.views), func(v int) string { return value(&s.views[v]) })
	}
	number := func(n uint32) string { return fmt.Sprint(n) }
	for _, f := range []struct{ name, value string }{
		{`["committed":`, logText(s.committed)},
		{`,"executed":`, replica(func(r int) string { return number(uint32(s.executed[r])) })},
		{`,"held":`, replica(func(r int) string { return heldText(s.log[r], s.held[r]) })},
		{`,"log":`, replica(func(r int) string { return logText(s.log[r]) })},
		{`,"log_view":`, replica(func(r int) string { return number(uint32(s.logView[r])) })},
		{`,"log_view_durable":`, replica(func(r int) string {
			return number(uint32(s.logViewDurable[r]))
		})},
		{`,"oks":`, view(oksText)},
		{`,"prepared":`, view(func(f *facts) string { return entriesText(f.prepared) })},
		{`,"promises":`, view(func(f *facts) string { return setText(f.promises, promise.text) })},
		{`,"requests":`, number(uint32(s.requests))},
		{`,"starts":`, view(func(f *facts) string { return setText(f.starts, logText) })},
		{`,"status":`, replica(func(r int) string { return `"` + s.status[r].String() + `"` })},
		{`,"view":`, replica(func(r int) string { return number(uint32(s.view[r])) })},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func (m promise) text() string {
	return fmt.Sprintf(`["commit":%d,"log":%s,"log_view":%d,"present":%s,"replica":%d]`,
		m.commit, logText(m.log), m.logView, heldText(m.log, m.present), m.replica)
}

func oksText(f *facts) string {
	var texts []string
	for r, entries := range f.oks {
		for _, e := range entries {
			texts = append(texts, fmt.Sprintf("[1:%d,2:%s]", r, entryText(e)))
		}
	}
	return setText(texts, func(text string) string { return text })
}

func entryText(e vsr.Entry) string {
	return fmt.Sprintf(`["op":%d,"request":%d,"view":%d]`, e.Op, e.Request, e.View)
}

func entriesText(entries []vsr.Entry) string { return setText(entries, entryText) }

func logText(l vsr.Log) string {
	return functionText(1, len(l), func(i int) string { return entryText(l[i-1]) })
}

// heldText is the set of the entries of a log at some of its ops.
func heldText(l vsr.Log, held ops) string {
	var entries []vsr.Entry
	for i, e := range l {
		if held.has(vsr.Op(i + 1)) {
			entries = append(entries, e)
		}
	}
	return entriesText(entries)
}

// functionText is the canonical text of a function on from, ..., from+n-1.
func functionText(from, n int, value func(i int) string) string {
	texts := make([]string, n)
	for i := range n {
		texts[i] = fmt.Sprintf("%d:%s", from+i, value(from+i))
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// setText is the canonical text of a set: its members in the order of their texts.
func setText[M any](members []M, text func(M) string) string {
	texts := make([]string, len(members))
	for i, member := range members {
		texts[i] = text(member)
	}
	slices.Sort(texts)
	return "{" + strings.Join(texts, ",") + "}"
}

// format describes a state to people, a line "name = value" per variable and replica or
// view.
func (s *State) format() []string {
	var lines []string
	add := func(name string, i int, value any) {
		lines = append(lines, fmt.Sprintf("%s[%d] = %v", name, i, value))
	}
	for r := range N {
		add("status", r, s.status[r])
		add("view", r, s.view[r])
		add("log_view", r, s.logView[r])
		add("log_view_durable", r, s.logViewDurable[r])
		add("log", r, s.log[r])
		add("held", r, heldText(s.log[r], s.held[r]))
		add("executed", r, s.executed[r])
	}
	for v := range s.views {
		f := &s.views[v]
		add("promises", v, setText(f.promises, promise.text))
		add("starts", v, f.starts)
		add("prepared", v, f.prepared)
		for r := range N {
			lines = append(lines, fmt.Sprintf("oks[%d] of r%d = %v", v, r, f.oks[r]))
		}
	}
	return append(lines, fmt.Sprintf("requests = %d", s.requests),
		fmt.Sprintf("committed = %v", s.committed))
}
