package partial_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform/partial"
	"github.com/viewstamp/viewstamp/traces/iggysim"
	"github.com/viewstamp/viewstamp/traces/iggysim/sample"
)

// keys are the fields of events that a reporter may have trimmed.
var keys = []string{
	"plane", "cluster_id", "stream_id", "topic_id", "partition_id", "view", "log_view", "commit",
	"status", "role", "op", "parent_checksum", "prepare_checksum", "client_id", "request_id",
	"operation", "pipeline_depth", "ack_from_replica", "ack_count", "quorum", "quorum_reached",
	"old_view", "new_view", "action", "target_replica", "action_commit",
}

// without is a line without a field.
func without(line, key string) string {
	return regexp.MustCompile(` `+key+`=("[^"]*"|[^ ]+)`).ReplaceAllString(line, "")
}

// Silence is no evidence: what a log does not say can never be what rejects it.
func TestALogThatSaysLessIsNotRejected(t *testing.T) {
	t.Parallel()
	lines := sample.Standard(3)
	accepted := func(what string, lines []string) {
		v := judged(t, lines)
		require.Nil(t, v.Rejection, "%s: %v", what, v.Rejection)
	}
	for i := range lines {
		accepted(fmt.Sprintf("from line %d on", i+1), lines[i:])
		broken := append([]string{}, lines...)
		broken[i] = strings.Replace(broken[i], "sim_event=", "event=", 1)
		accepted(fmt.Sprintf("line %d is illegible", i+1), broken)
	}
	for _, key := range keys {
		var everywhere []string
		for i, line := range lines {
			everywhere = append(everywhere, without(line, key))
			once := append([]string{}, lines...)
			once[i] = without(line, key)
			if once[i] != line && i%3 == 0 {
				accepted(fmt.Sprintf("line %d without %s", i+1, key), once)
			}
		}
		accepted("no line has "+key, everywhere)
	}
}

// What silence hides is counted.
func TestWhatCouldNotBeCheckedIsCounted(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, line := range sample.Standard(3) {
		lines = append(lines, without(line, "prepare_checksum"))
	}
	whole, less := judged(t, sample.Standard(3)), judged(t, lines)
	at := partial.SameChecksum - 1
	require.Greater(t, less.Counts[at].Open, whole.Counts[at].Open)
	require.Less(t, less.Counts[at].Held, whole.Counts[at].Held)
	require.Contains(t, less.String(), "what the trace cannot show")
}

func TestARestartTakesNothingBackButWhatWasVolatile(t *testing.T) {
	t.Parallel()
	begin := func() *sample.Cluster {
		c := sample.New(3)
		c.Request(sample.Partition)
		c.Request(sample.Partition)
		c.ViewChange(sample.Partition)
		return c
	}
	own := `iggy.sim: sim_event="ReplicaStateChanged" plane="partitions" replica_id=2 ` +
		`namespace_raw=4296015872 view=%d log_view=%d commit=0 status="normal" role="backup"`
	tell := "restored group view from its superblock replica=2 namespace_raw=4296015872"
	recovering := `iggy.sim: sim_event="ReplicaStateChanged" replica_id=2 ` +
		`namespace_raw=4296015872 view=1 log_view=1 commit=0 status="recovering" role="backup"`

	c := begin()
	c.Foreign(tell)
	require.Nil(t, judged(t, append(c.Lines, fmt.Sprintf(own, 1, 1))).Rejection)
	require.Nil(t, judged(t, append(begin().Lines, recovering, fmt.Sprintf(own, 1, 1))).Rejection)

	v := judged(t, append(begin().Lines, fmt.Sprintf(own, 1, 1)))
	require.NotNil(t, v.Rejection, "nothing tells of a restart")
	require.Equal(t, partial.CommitInOrder, v.Rejection.Invariant)
	v = judged(t, append(c.Lines, fmt.Sprintf(own, 0, 0)))
	require.NotNil(t, v.Rejection, "views are durable")
	require.Equal(t, partial.MonotoneViews, v.Rejection.Invariant)
}

// Without an order between replicas only what one replica shows is judged.
func TestLogsOfServersAreNotComparedInTime(t *testing.T) {
	t.Parallel()
	sources := func(lines []string) []iggysim.Source {
		var out []iggysim.Source
		for r := range 3 {
			var text strings.Builder
			for _, line := range lines {
				if strings.Contains(line, fmt.Sprintf(" replica_id=%d ", r)) {
					_, untimed, _ := strings.Cut(line, " ") // All events at one time.
					text.WriteString(untimed + "\n")
				}
			}
			path := filepath.Join(t.TempDir(), "a.log")
			require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
			out = append(out, iggysim.Source{Path: path, Replica: r})
		}
		return out
	}
	lines := sample.Standard(3)
	v := judgedFiles(t, sources(lines)...)
	require.Nil(t, v.Rejection, "%v", v.Rejection)

	for _, defect := range []sample.Defect{
		sample.CountedTwice, sample.ChecksumChanged, sample.ViewBack, sample.CommitEarly,
	} {
		place := sample.Break(lines, defect)[0]
		v := judgedFiles(t, sources(place.Lines)...)
		require.NotNil(t, v.Rejection, defect)
		require.Equal(t, breaks[defect], v.Rejection.Invariant, "%v", v.Rejection)
	}
}

// Whatever numbers a log holds, there is a verdict.
func TestNoLogStopsTheChecker(t *testing.T) {
	t.Parallel()
	lines := sample.Standard(3)
	digits := regexp.MustCompile(`=\d+`)
	rapid.Check(t, func(r *rapid.T) {
		var text strings.Builder
		for _, line := range rapid.SliceOfN(rapid.SampledFrom(lines), 1, 40).Draw(r, "lines") {
			text.WriteString(digits.ReplaceAllStringFunc(line, func(was string) string {
				if rapid.IntRange(0, 9).Draw(r, "keep") > 0 {
					return was
				}
				return fmt.Sprintf("=%d", rapid.SampledFrom([]uint64{
					0, 1, 2, 255, math.MaxUint32, math.MaxUint64,
				}).Draw(r, "number"))
			}) + "\n")
		}
		source := iggysim.Source{Path: "log", Replica: iggysim.AnyReplica}
		source.Open = func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text.String())), nil
		}
		var c *partial.Checker
		_, err := iggysim.Import([]iggysim.Source{source}, 0, func(h traces.Header) error {
			c = partial.New(h, "t.jsonl")
			return nil
		}, func(e traces.Event) error { c.Add(e); return nil })
		if errors.Is(err, iggysim.ErrNoEvent) {
			return
		}
		require.NoError(r, err)
		require.NotEmpty(r, c.Verdict().String())
	})
}

// Memory is bounded by the window, however long the log is.
func TestALongLogIsJudgedToItsEnd(t *testing.T) {
	t.Parallel()
	c := sample.New(3)
	for range 6000 {
		c.Request(sample.Metadata)
	}
	v := judged(t, c.Lines)
	require.Nil(t, v.Rejection)
	require.Equal(t, len(c.Lines), v.Events)
	places := sample.Break(c.Lines[len(c.Lines)-20:], sample.ChecksumChanged)
	lines := append(append([]string{}, c.Lines[:len(c.Lines)-20]...), places[0].Lines...)
	v = judged(t, lines)
	require.NotNil(t, v.Rejection)
	require.True(t, strings.HasSuffix(v.Rejection.Place,
		fmt.Sprintf(":%d", len(c.Lines)-20+places[0].Line)))
}
