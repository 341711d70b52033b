package sample

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Defect is a change of a log that breaks a rule, at a place that is known.
type Defect string

// The defects. Each names what it does to one line of the log.
const (
	ViewBack        Defect = "view_back"        // a view goes back
	SecondPrimary   Defect = "second_primary"   // a backup queues
	ParentChanged   Defect = "parent_changed"   // a prepare has another parent
	NotQueued       Defect = "not_queued"       // an op is acknowledged that was not queued
	CountedTwice    Defect = "counted_twice"    // an acknowledgement counts twice
	ChecksumChanged Defect = "checksum_changed" // another prepare is acknowledged
	CommitEarly     Defect = "commit_early"     // an op is executed before its quorum
	CommitRaised    Defect = "commit_raised"    // a commit point is above all ops
	CommitBack      Defect = "commit_back"      // a commit point goes back
	OtherRequest    Defect = "other_request"    // an op executes another request
	EarlyReply      Defect = "early_reply"      // an op is answered before it is executed
)

// Defects lists all of them. The caller owns the slice.
func Defects() []Defect {
	return []Defect{
		ViewBack, SecondPrimary, ParentChanged, NotQueued, CountedTwice, ChecksumChanged,
		CommitEarly, CommitRaised, CommitBack, OtherRequest, EarlyReply,
	}
}

// Place is where a defect can be put into a log, and the line where it shows.
type Place struct {
	Lines []string
	Line  int // 1-based
}

// Break returns the log with the defect at each place that can have it: none if the log has
// none, such as a log without a view change for [ViewBack]. lines are not changed.
func Break(lines []string, defect Defect) []Place {
	var out []Place
	for i := range lines {
		if p, ok := breakAt(lines, i, defect); ok {
			out = append(out, p)
		}
	}
	return out
}

func breakAt(lines []string, i int, defect Defect) (Place, bool) {
	line, number := lines[i], func(key string) uint64 { return numberOf(lines[i], key) }
	switch kind := eventOf(line); defect {
	case ViewBack:
		if b := before(lines, i); b < 0 || number("view") == 0 || numberOf(lines[b], "view") == 0 {
			return Place{}, false
		}
		return replaced(lines, i, set(set(line, "view", 0), "log_view", 0))
	case SecondPrimary:
		return replaced(lines, i, set(line, "replica_id", number("replica_id")^1),
			kind == "PrepareQueued")
	case ParentChanged:
		return replaced(lines, i, add(line, "parent_checksum"), kind == "PrepareQueued",
			number("op") > 1)
	case NotQueued:
		return notQueued(lines, i, kind == "PrepareQueued" && number("view") == 0 && number("op") > 1)
	case CountedTwice:
		if kind != "PrepareAcked" {
			return Place{}, false
		}
		again := strings.ReplaceAll(add(line, "ack_count"), "quorum_reached=true", "quorum_reached=false")
		return Place{slices.Insert(slices.Clone(lines), i+1, again), i + 2}, true
	case ChecksumChanged:
		return replaced(lines, i, add(line, "prepare_checksum"), kind == "PrepareAcked",
			number("ack_count") > 1)
	case CommitEarly:
		return moved(lines, i, kind == "OperationCommitted" && quorums(lines[:i], line) == 1,
			`quorum_reached=true`)
	case CommitRaised:
		return replaced(lines, i, set(line, "commit", number("commit")+1000), before(lines, i) >= 0)
	case CommitBack:
		b := before(lines, i)
		return replaced(lines, i, set(line, "commit", 0), kind == "ClientRequestReceived", b >= 0,
			number("commit") > 0 && b >= 0 && numberOf(lines[max(b, 0)], "commit") > 0)
	case OtherRequest:
		return replaced(lines, i, add(line, "client_id"), kind == "OperationCommitted")
	case EarlyReply:
		return moved(lines, i, kind == "ClientReplyEmitted" && number("op") > 1,
			`sim_event="OperationCommitted"`)
	}
	return Place{}, false
}

// replaced is the log with another line i, if all conditions hold.
func replaced(lines []string, i int, line string, conditions ...bool) (Place, bool) {
	if slices.Contains(conditions, false) {
		return Place{}, false
	}
	out := slices.Clone(lines)
	out[i] = line
	return Place{out, i + 1}, true
}

// notQueued is the log without line i; it shows where the op is acknowledged first.
func notQueued(lines []string, i int, applies bool) (Place, bool) {
	if !applies {
		return Place{}, false
	}
	for j := i + 1; j < len(lines); j++ {
		if same(lines[i], lines[j], "replica_id", "namespace_raw", "op") &&
			eventOf(lines[j]) == "PrepareAcked" {
			return Place{slices.Delete(slices.Clone(lines), i, i+1), j}, true
		}
	}
	return Place{}, false
}

// moved is the log with line i in front of the earlier line of the same replica and op that
// holds mark.
func moved(lines []string, i int, applies bool, mark string) (Place, bool) {
	for j := i - 1; applies && j >= 0; j-- {
		if strings.Contains(lines[j], mark) &&
			same(lines[i], lines[j], "replica_id", "namespace_raw", "op") {
			out := slices.Delete(slices.Clone(lines), i, i+1)
			return Place{slices.Insert(out, j, lines[i]), j + 1}, true
		}
	}
	return Place{}, false
}

// quorums counts how often the op of a line has reached one: again in a later view, if the new
// primary could not know.
func quorums(lines []string, line string) int {
	n := 0
	for _, l := range lines {
		if strings.Contains(l, "quorum_reached=true") && same(l, line, "namespace_raw", "op") {
			n++
		}
	}
	return n
}

// before is the index of the last event of the same replica and group, or -1.
func before(lines []string, i int) int {
	for j := i - 1; j >= 0; j-- {
		if eventOf(lines[i]) != "" && eventOf(lines[j]) != "" &&
			same(lines[i], lines[j], "replica_id", "namespace_raw") {
			return j
		}
	}
	return -1
}

var event = regexp.MustCompile(` iggy\.sim: sim_event="(\w+)"`)

// eventOf is the kind of event of a line, or nothing.
func eventOf(line string) string {
	if m := event.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func same(a, b string, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		return valueOf(a, key) != valueOf(b, key)
	})
}

// valueOf is the text of a bare value, or nothing.
func valueOf(line, key string) string {
	_, rest, _ := strings.Cut(line, " "+key+"=")
	value, _, _ := strings.Cut(rest, " ")
	return value
}

func numberOf(line, key string) uint64 {
	n, _ := strconv.ParseUint(valueOf(line, key), 10, 64)
	return n
}

func set(line, key string, value uint64) string {
	return strings.Replace(line, " "+key+"="+valueOf(line, key),
		" "+key+"="+strconv.FormatUint(value, 10), 1)
}

// add changes a number a little.
func add(line, key string) string { return set(line, key, numberOf(line, key)+1) }
