package vsr

import (
	"bytes"
	"slices"
	"strconv"
)

// Canonical appends the canonical text of a state: all variables of the spec as one
// record, in the form in which TLC's states and this model's are compared.
//
// A function, a record and a sequence are one kind, "[key:value,...]", a sequence
// being a function on 1..n; a set is "{member,...}"; texts stand in quotes. Keys and
// members are sorted by their own canonical text, so 10 comes before 2.
//
// The domain of the network is 0..MaxView or, where that is [Unbounded], reaches to
// the highest view of a replica or a message.
func Canonical(dst []byte, c Config, s State) []byte {
	w := canonicalWriter{n: s.n, out: dst}
	views := w.views(&c, &s)
	w.field('[', "acknowledged").log(s.acknowledged)
	w.perReplica("answers", func(r int) {
		w.set(len(s.answers[r]), func(i int) { w.answer(s.answers[r][i]) })
	})
	w.perReplica("bodies", func(r int) { w.entries(s.bodies[r]) })
	w.perReplica("commit_max", func(r int) { w.number(uint32(s.commitMax[r])) })
	w.perReplica("commit_min", func(r int) { w.number(uint32(s.commitMin[r])) })
	w.perView(&s, "commits", views, func(m *viewMessages) { w.number(uint32(m.commit)) })
	w.perView(&s, "do_view_changes", views, w.votes)
	w.perReplica("headers", func(r int) { w.log(s.headers[r]) })
	w.perReplica("log_view", func(r int) { w.number(uint32(s.logView[r])) })
	w.perReplica("log_view_durable", func(r int) { w.number(uint32(s.logViewDurable[r])) })
	w.perReplica("merged", func(r int) { w.merged(s.merged[r]) })
	w.perReplica("pipeline", func(r int) { w.log(s.pipeline[r]) })
	w.perView(&s, "prepare_oks", views, w.prepareOKs)
	w.perView(&s, "prepares", views, func(m *viewMessages) { w.entries(m.prepares) })
	w.field(',', "requests").number(uint32(s.requests))
	w.field(',', "restarts").number(s.restarts)
	w.perView(&s, "start_view_changes", views, func(m *viewMessages) {
		members := m.startViewChanges.Members()
		w.set(len(members), func(i int) { w.number(uint32(members[i])) })
	})
	w.perView(&s, "start_views", views, func(m *viewMessages) {
		w.set(len(m.startViews), func(i int) {
			w.logAndCommit(m.startViews[i].Log, m.startViews[i].Commit)
			w.byte(']')
		})
	})
	w.perReplica("status", func(r int) { w.text(s.status[r].String()) })
	w.perReplica("view", func(r int) { w.number(uint32(s.view[r])) })
	w.byte(']')
	return w.out
}

// canonicalWriter appends canonical text.
type canonicalWriter struct {
	n   int // Replicas.
	out []byte
}

// views returns the domain of the network in canonical order.
func (w *canonicalWriter) views(c *Config, s *State) []int {
	highest := c.MaxView
	if highest == Unbounded {
		highest = int(slices.Max(s.view[:s.n]))
		if last := len(s.network) - 1; last >= 0 {
			highest = max(highest, int(s.network[last].view))
		}
	}
	return textOrder(0, highest)
}

// textOrder returns first..last in the order of their texts.
func textOrder(first, last int) []int {
	numbers := make([]int, 0, last-first+1)
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	if last >= 10 {
		slices.SortFunc(numbers, func(a, b int) int {
			var textA, textB [20]byte
			return bytes.Compare(strconv.AppendInt(textA[:0], int64(a), 10),
				strconv.AppendInt(textB[:0], int64(b), 10))
		})
	}
	return numbers
}

func (w *canonicalWriter) byte(b byte) { w.out = append(w.out, b) }

func (w *canonicalWriter) number(n uint32) {
	w.out = strconv.AppendUint(w.out, uint64(n), 10)
}

func (w *canonicalWriter) text(text string) {
	w.out = append(w.out, '"')
	w.out = append(w.out, text...)
	w.out = append(w.out, '"')
}

// field writes what stands before a record's value: an opening or separating byte and
// the field's name.
func (w *canonicalWriter) field(before byte, name string) *canonicalWriter {
	w.byte(before)
	w.text(name)
	w.byte(':')
	return w
}

func (w *canonicalWriter) perReplica(name string, value func(r int)) {
	w.field(',', name)
	for r := range w.n {
		w.byte("[,"[min(r, 1)])
		w.number(uint32(r))
		w.byte(':')
		value(r)
	}
	w.byte(']')
}

func (w *canonicalWriter) perView(s *State, name string, views []int,
	value func(*viewMessages),
) {
	w.field(',', name)
	for i, v := range views {
		w.byte("[,"[min(i, 1)])
		w.number(uint32(v))
		w.byte(':')
		value(s.messages(View(v)))
	}
	w.byte(']')
}

// set writes the members in the order of their texts.
func (w *canonicalWriter) set(n int, member func(i int)) {
	w.byte('{')
	if n == 1 {
		member(0)
	} else if n > 1 {
		start := len(w.out)
		texts := make([][]byte, n)
		for i := range n {
			from := len(w.out)
			member(i)
			texts[i] = bytes.Clone(w.out[from:])
		}
		slices.SortFunc(texts, bytes.Compare)
		w.out = append(w.out[:start], bytes.Join(texts, []byte{','})...)
	}
	w.byte('}')
}

func (w *canonicalWriter) entry(e Entry) {
	w.field('[', "op").number(uint32(e.Op))
	w.field(',', "request").number(uint32(e.Request))
	w.field(',', "view").number(uint32(e.View))
	w.byte(']')
}

func (w *canonicalWriter) entries(set EntrySet) {
	w.set(len(set), func(i int) { w.entry(set[i]) })
}

func (w *canonicalWriter) log(l Log) {
	if len(l) == 0 {
		w.out = append(w.out, "[]"...)
		return
	}
	for i, position := range textOrder(1, len(l)) {
		w.byte("[,"[min(i, 1)])
		w.number(uint32(position))
		w.byte(':')
		w.entry(l[position-1])
	}
	w.byte(']')
}

// logAndCommit opens a record with the fields commit and log, and leaves it open.
func (w *canonicalWriter) logAndCommit(l Log, commit Op) {
	w.field('[', "commit").number(uint32(commit))
	w.field(',', "log").log(l)
}

func (w *canonicalWriter) answer(m Answer) {
	w.logAndCommit(m.Log, m.Commit)
	w.field(',', "view").number(uint32(m.View))
	w.byte(']')
}

func (w *canonicalWriter) merged(m *Merged) {
	if m == nil {
		w.out = append(w.out, "[]"...)
		return
	}
	w.out = append(w.out, "[1:"...)
	w.logAndCommit(m.Log, m.Commit)
	w.out = append(w.out, "]]"...)
}

func (w *canonicalWriter) votes(m *viewMessages) {
	var votes []*Vote
	for _, vote := range m.votes {
		if vote != nil {
			votes = append(votes, vote)
		}
	}
	w.set(len(votes), func(i int) {
		vote := votes[i]
		w.logAndCommit(vote.Log, vote.Commit)
		w.field(',', "log_view").number(uint32(vote.LogView))
		w.field(',', "present").entries(vote.Present)
		w.field(',', "replica").number(uint32(vote.Replica))
		w.byte(']')
	})
}

func (w *canonicalWriter) prepareOKs(m *viewMessages) {
	type prepareOK struct {
		replica int
		entry   Entry
	}
	var sent []prepareOK
	for r, entries := range m.prepareOKs {
		for _, e := range entries {
			sent = append(sent, prepareOK{r, e})
		}
	}
	w.set(len(sent), func(i int) { // A pair is a sequence of two.
		w.out = append(w.out, "[1:"...)
		w.number(uint32(sent[i].replica))
		w.out = append(w.out, ",2:"...)
		w.entry(sent[i].entry)
		w.byte(']')
	})
}
