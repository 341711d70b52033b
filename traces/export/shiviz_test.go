package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/export"
)

// logged is an event as ShiViz reads it.
type logged struct {
	host  string
	clock map[string]int
	event string
}

// readShiViz reads a log as ShiViz does: with the expression of its first line.
func readShiViz(text string) ([]logged, error) {
	lines := strings.SplitN(text, "\n", 3)
	if len(lines) < 3 || lines[1] != "" {
		return nil, fmt.Errorf("expected an expression and an empty delimiter")
	}
	parser, err := regexp.Compile("(?m)" + lines[0])
	if err != nil {
		return nil, err
	}
	var all []logged
	rest := lines[2]
	for rest != "" {
		at := parser.FindStringSubmatchIndex(rest)
		if at == nil || at[0] != 0 {
			return nil, fmt.Errorf("not matched: %.80s", rest)
		}
		group := func(name string) string {
			i := 2 * parser.SubexpIndex(name)
			return rest[at[i]:at[i+1]]
		}
		l := logged{host: group("host"), event: group("event")}
		if err := json.Unmarshal([]byte(group("clock")), &l.clock); err != nil {
			return nil, err
		}
		all = append(all, l)
		rest = strings.TrimPrefix(rest[at[1]:], "\n")
	}
	return all, nil
}

// clockFault holds a log against the rules of vector clocks: the own component counts the
// host's events one by one, no component ever falls, and each other component is that of an
// event which the log has, whose whole clock is known as well.
func clockFault(log []logged) error {
	last := map[string]map[string]int{}
	seen := map[string]map[int]map[string]int{}
	for i, l := range log {
		if l.host == "" || strings.ContainsAny(l.host, " \t") {
			return fmt.Errorf("event %d has host %q", i+1, l.host)
		}
		if l.clock[l.host] != last[l.host][l.host]+1 {
			return fmt.Errorf("event %d: the own component goes from %d to %d", i+1,
				last[l.host][l.host], l.clock[l.host])
		}
		for host, count := range last[l.host] {
			if l.clock[host] < count {
				return fmt.Errorf("event %d: the component of %s falls", i+1, host)
			}
		}
		for host, count := range l.clock {
			if host == l.host {
				continue
			}
			source, ok := seen[host][count]
			if !ok {
				return fmt.Errorf("event %d knows event %d of %s, which is not there", i+1, count, host)
			}
			for other, known := range source {
				if l.clock[other] < known {
					return fmt.Errorf("event %d knows %s but not what that knew of %s", i+1, host, other)
				}
			}
		}
		last[l.host] = l.clock
		if seen[l.host] == nil {
			seen[l.host] = map[int]map[string]int{}
		}
		seen[l.host][l.clock[l.host]] = l.clock
	}
	return nil
}

func TestShiVizLogsFollowTheRules(t *testing.T) {
	t.Parallel()
	for name, trace := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, export.WriteShiViz(&out, trace))
			require.True(t, strings.HasPrefix(out.String(), export.ShiVizParser+"\n\n"))
			log, err := readShiViz(out.String())
			require.NoError(t, err)
			require.Len(t, log, len(trace.Events))
			require.NoError(t, clockFault(log))
			for i, e := range trace.Events {
				assert.Equal(t, fmt.Sprintf("%d %s", e.Step, traces.Describe(e)), log[i].event)
			}
			for _, m := range export.Messages(trace) {
				if m.Sent == 0 {
					continue
				}
				sent, received := log[m.Sent-1], log[m.Received-1]
				assert.GreaterOrEqual(t, received.clock[sent.host], sent.clock[sent.host], m.Text)
			}
		})
	}
}

func TestTheRulesOfClocksRefuseWhatBreaksThem(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, export.WriteShiViz(&out, walk(t, 1, 60)))
	for name, change := range map[string]func([]logged){
		"an event twice":       func(log []logged) { log[30] = log[29] },
		"a component too high": func(log []logged) { log[40].clock[log[40].host]++ },
		"an unknown event":     func(log []logged) { log[40].clock["r9"] = 1 },
		"a clock that forgets": func(log []logged) {
			last := &log[len(log)-1]
			last.clock = map[string]int{last.host: last.clock[last.host]}
		},
		"no host": func(log []logged) { log[3].host = "" },
	} {
		log, err := readShiViz(out.String())
		require.NoError(t, err)
		require.NoError(t, clockFault(log))
		change(log)
		assert.Error(t, clockFault(log), name)
	}
	_, err := readShiViz("nonsense")
	require.Error(t, err)
}
