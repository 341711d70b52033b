package traces

import (
	"fmt"
	"strconv"
	"strings"
)

// Describe returns an event as one readable line:
//
//	r1 BecomePrimary quorum={1,2} -> normal view=1 log_view=1 head=21 commit=20/20
//
// The pair after commit is commit_min/commit_max. Durable views are added where they
// lag, hollow ops and doubt where there are any, and the group in front where it is
// not the first one, "0".
func Describe(e Event) string {
	return describeStep(e) + " -> " + describeState(e.After)
}

// describeStep is who did what: the part of an event before its effect.
func describeStep(e Event) string {
	var b strings.Builder
	if e.Group != "" && e.Group != "0" {
		b.WriteString("[" + token(e.Group) + "] ")
	}
	fmt.Fprintf(&b, "r%d %s", e.Replica, token(e.Action))
	if e.Stutter {
		b.WriteString(" (stutter)")
	}
	for _, arg := range ArgFields(e.Args) {
		b.WriteString(" " + arg.Name + "=" + arg.Value)
	}
	return b.String()
}

// ArgFields lists the arguments that are present, in the order of the format. Texts that are
// not one printable word are quoted.
func ArgFields(a Args) []Field {
	var fields []Field
	add := func(present bool, name, value string) {
		if present {
			fields = append(fields, Field{name, value})
		}
	}
	addReplica := func(name string, replica *int) {
		if replica != nil {
			add(true, name, strconv.Itoa(*replica))
		}
	}
	add(a.Op != 0, "op", number(a.Op))
	add(a.Checksum != "", "checksum", token(a.Checksum))
	add(a.View != 0, "view", number(a.View))
	add(a.Commit != 0, "commit", number(a.Commit))
	addReplica("to", a.To)
	add(len(a.Quorum) > 0, "quorum", list(a.Quorum, "{", "}"))
	add(a.Request != 0, "request", number(a.Request))
	addReplica("from", a.From)
	add(a.Incarnation != "", "incarnation", token(a.Incarnation))
	add(a.Class != "", "class", token(a.Class))
	add(a.Reason != "", "reason", token(a.Reason))
	add(a.Parent != "", "parent", token(a.Parent))
	add(a.Client != "", "client", token(a.Client))
	add(a.Operation != "", "operation", token(a.Operation))
	add(a.Message != "", "message", token(a.Message))
	add(a.OldView != 0, "old_view", number(a.OldView))
	add(a.Acknowledged != 0, "acknowledged", strconv.Itoa(a.Acknowledged))
	add(a.Needed != 0, "needed", strconv.Itoa(a.Needed))
	add(a.Reached, "reached", "true")
	return fields
}

func describeState(s ReplicaState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s view=%d log_view=%d head=%d commit=%d/%d",
		token(s.Status), s.View, s.LogView, s.OpHead, s.CommitMin, s.CommitMax)
	if s.ViewDurable != s.View {
		fmt.Fprintf(&b, " view_durable=%d", s.ViewDurable)
	}
	if s.LogViewDurable != s.LogView {
		fmt.Fprintf(&b, " log_view_durable=%d", s.LogViewDurable)
	}
	if len(s.Hollow) > 0 {
		b.WriteString(" hollow=" + list(s.Hollow, "{", "}"))
	}
	if s.InDoubt {
		b.WriteString(" in_doubt")
	}
	return b.String()
}
