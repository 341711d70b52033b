package traces

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wrong makes a FormatError that the reader or writer completes with its place.
func wrong(want, got string) *FormatError {
	return &FormatError{Want: want, Got: got}
}

// checkHeader returns nil or what is wrong with a header of this version. The
// format's name and version have been checked before.
func checkHeader(h *Header) *FormatError {
	if h.Replicas < 1 {
		return wrong("replicas of at least 1", strconv.Itoa(h.Replicas))
	}
	for _, q := range []struct {
		name string
		size int
	}{
		{"replication", h.Quorum.Replication},
		{"view_change", h.Quorum.ViewChange},
		{"nack", h.Quorum.Nack},
	} {
		if q.size < 0 || q.size > h.Replicas {
			return wrong(fmt.Sprintf("quorum.%s from 0 to %d", q.name, h.Replicas),
				strconv.Itoa(q.size))
		}
	}
	switch h.CommitDrivers {
	case "", CommitDriversWalk, CommitDriversWalkAndPipeline:
	default:
		return wrong(fmt.Sprintf("commit_drivers %q or %q",
			CommitDriversWalk, CommitDriversWalkAndPipeline), quote(h.CommitDrivers))
	}
	if h.RefusedAt < 0 {
		return wrong("refused_at of at least 0", strconv.Itoa(h.RefusedAt))
	}
	if h.Continues < 0 {
		return wrong("continues of at least 0", strconv.Itoa(h.Continues))
	}
	switch h.Order {
	case "", OrderTotal, OrderReplica:
	default:
		return wrong(fmt.Sprintf("order %q or %q", OrderTotal, OrderReplica), quote(h.Order))
	}
	texts := slices.Concat(h.Open, h.Files, []string{h.Source, h.Spec, h.Commit, h.Mutant, h.Violates})
	for _, g := range h.Groups {
		texts = append(texts, g.ID, g.Plane, g.Durability)
	}
	return checkTexts(texts...)
}

// checkEvent returns nil or what is wrong with the event that must be number step
// of a trace with the given number of replicas.
func checkEvent(e *Event, step, replicas int) *FormatError {
	switch {
	case e.Step == 0:
		return wrong(fmt.Sprintf("step %d", step), "no step")
	case e.Step != step:
		return wrong(fmt.Sprintf("step %d", step), fmt.Sprintf("step %d", e.Step))
	case e.Action == "":
		return missing("action")
	case !inRange(e.Replica, replicas):
		return wrong("a replica from 0 to "+strconv.Itoa(replicas-1), strconv.Itoa(e.Replica))
	case !e.Stutter && !ValidAction(e.Action):
		return wrong(`an action of the schema, or "stutter":true`, "action "+quote(e.Action))
	}
	if err := checkArgs(&e.Args, replicas); err != nil {
		return err
	}
	if err := checkState(&e.After, e.Says("status")); err != nil {
		return err
	}
	if o := e.Origin; o != nil && (o.File < 0 || o.Line < 1) {
		return wrong("an origin with a file from 0 and a line from 1 on",
			fmt.Sprintf("file %d, line %d", o.File, o.Line))
	}
	if e.At < 0 {
		return wrong("at of at least 0", strconv.FormatInt(e.At, 10))
	}
	if err := checkTexts(e.Open...); err != nil {
		return err
	}
	return checkTexts(e.Args.Parent, e.Args.Client, e.Args.Operation, e.Args.Message,
		e.Args.Role, e.Group, e.Action, e.Args.Checksum, e.Args.Incarnation, e.Args.Class,
		e.Args.Reason, e.After.HeadChecksum, e.After.Incarnation, e.After.Stop)
}

func checkArgs(a *Args, replicas int) *FormatError {
	want := " from 0 to " + strconv.Itoa(replicas-1)
	if a.To != nil && !inRange(*a.To, replicas) {
		return wrong("args.to"+want, strconv.Itoa(*a.To))
	}
	if a.From != nil && !inRange(*a.From, replicas) {
		return wrong("args.from"+want, strconv.Itoa(*a.From))
	}
	for _, r := range a.Quorum {
		if !inRange(r, replicas) {
			return wrong("replicas"+want+" in args.quorum", strconv.Itoa(r))
		}
	}
	return nil
}

// checkState returns nil or what is wrong with a state that may leave its status open.
func checkState(s *ReplicaState, saysStatus bool) *FormatError {
	switch s.Status {
	case StatusNormal, StatusViewChange, StatusRecovering:
	case "":
		if saysStatus {
			return missing("after.status")
		}
	default:
		return wrong(`after.status "normal", "view_change" or "recovering"`, quote(s.Status))
	}
	if n := len(s.Pipeline); n != 0 && (n != 2 || s.Pipeline[0] > s.Pipeline[1]) {
		return wrong("after.pipeline as [] or [first,last]", excerpt(list(s.Pipeline, "[", "]")))
	}
	for i := 1; i < len(s.Hollow); i++ {
		if s.Hollow[i-1] >= s.Hollow[i] {
			return wrong("after.hollow in ascending order",
				fmt.Sprintf("%d after %d", s.Hollow[i], s.Hollow[i-1]))
		}
	}
	return nil
}

// checkTexts refuses what JSON would silently replace. Lines that were read are
// known to be UTF-8; this is for the writer.
func checkTexts(texts ...string) *FormatError {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return wrong("UTF-8 text", quote(text))
		}
	}
	return nil
}

func missing(field string) *FormatError {
	return wrong("the required field "+quote(field), "none")
}

func inRange(replica, replicas int) bool {
	return replica >= 0 && replica < replicas
}

// quote puts a text that may be hostile into a message: short and printable.
func quote(text string) string {
	return strconv.QuoteToGraphic(excerpt(text))
}

// excerpt cuts a text after some 60 bytes, not inside of a character.
func excerpt(text string) string {
	const textMax = 60
	if len(text) <= textMax {
		return text
	}
	end := textMax
	for end > textMax-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// list prints numbers between two brackets.
func list[N int | uint64](numbers []N, open, closing string) string {
	var b strings.Builder
	b.WriteString(open)
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, n)
	}
	b.WriteString(closing)
	return b.String()
}
