package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// ShiVizParser is the regular expression by which ShiViz reads what [WriteShiViz] writes. It
// is the first line of the log; the second one, the delimiter between executions, is empty.
const ShiVizParser = `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`

// WriteShiViz writes a trace as a log for ShiViz: two lines for each event, the replica with
// its vector clock and what it did. A replica of a group is a host, named r1, or GROUP/r1
// where the trace has several groups. Clients are not hosts: a trace says nothing of what
// they know.
//
// Errors are w's.
//
// Source: the input format of ShiViz.
func WriteShiViz(w io.Writer, t *traces.Trace) error {
	clocks, hosts := vectorClocks(t), hostNames(t)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", ShiVizParser)
	for i, e := range t.Events {
		clock := map[string]int{}
		for at, count := range clocks[i] {
			clock[hosts(at)] = count
		}
		text, err := json.Marshal(clock) // Its keys are in order.
		if err != nil {
			return fmt.Errorf("write ShiViz log: %w", err)
		}
		fmt.Fprintf(out, "%s %s\n%d %s\n", hosts(place{e.Group, e.Replica}), text, e.Step,
			traces.Describe(e))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write ShiViz log: %w", err)
	}
	return nil
}

// vectorClocks returns the clock of each event.
func vectorClocks(t *traces.Trace) []map[place]int {
	clocks := make([]map[place]int, len(t.Events))
	last := map[place]map[place]int{}
	sources := map[int][]int{} // By the step that received: the steps that sent.
	for _, m := range Messages(t) {
		if m.Sent > 0 {
			sources[m.Received] = append(sources[m.Received], m.Sent)
		}
	}
	for i, e := range t.Events {
		at := place{e.Group, e.Replica}
		clock := map[place]int{}
		join := func(other map[place]int) {
			for p, count := range other {
				clock[p] = max(clock[p], count)
			}
		}
		join(last[at])
		for _, sent := range sources[e.Step] {
			join(clocks[sent-1])
		}
		clock[at]++
		last[at], clocks[i] = clock, clock
	}
	return clocks
}

// hostNames names a replica of a group by one word.
func hostNames(t *traces.Trace) func(at place) string {
	several := groupsOf(t)
	return func(at place) string {
		name := "r" + strconv.Itoa(at.replica)
		if len(several) < 2 {
			return name
		}
		return strings.Join(strings.Fields(at.group), "_") + "/" + name
	}
}

// groupsOf lists the groups of a trace, those of the header first.
func groupsOf(t *traces.Trace) []string {
	var groups []string
	seen := map[string]bool{}
	add := func(group string) {
		if !seen[group] {
			seen[group] = true
			groups = append(groups, group)
		}
	}
	for _, g := range t.Header.Groups {
		add(g.ID)
	}
	for _, e := range t.Events {
		add(e.Group)
	}
	return groups
}
