package partial_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform/partial"
	"github.com/viewstamp/viewstamp/traces/iggysim"
	"github.com/viewstamp/viewstamp/traces/iggysim/sample"
)

// judged imports a log and checks it.
func judged(t *testing.T, lines []string) partial.Verdict {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return judgedFiles(t, iggysim.Source{Path: path, Replica: iggysim.AnyReplica})
}

func judgedFiles(t *testing.T, sources ...iggysim.Source) partial.Verdict {
	t.Helper()
	var c *partial.Checker
	_, err := iggysim.Import(sources, 0, func(h traces.Header) error {
		c = partial.New(h, "t.jsonl")
		return nil
	}, func(e traces.Event) error {
		c.Add(e)
		return nil
	})
	require.NoError(t, err)
	return c.Verdict()
}

// logs are those that checks are tried on: of ours in several sizes, and upstream's own where the
// folder with them is there.
func logs(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for n := 1; n <= 5; n++ {
		all[fmt.Sprintf("sample of %d replicas", n)] = excerpt(n)
	}
	return all
}

func excerpt(replicas int) []string {
	if replicas > 2 {
		return sample.Standard(replicas)
	}
	c := sample.New(replicas) // Two replicas have no quorum without each other.
	for range 3 {
		c.Request(sample.Metadata)
		c.Request(sample.Partition)
	}
	return c.Lines
}

// upstream reads the logs of upstream's simulator, or skips the test where they are not.
func upstream(t *testing.T) map[string][]string {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "..", "shared", "iggysim")
	if given := os.Getenv("VIEWSTAMP_IGGYSIM"); given != "" {
		folder = given
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.log.gz"))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skipf("no logs of upstream's simulator in %s: set VIEWSTAMP_IGGYSIM", folder)
	}
	all := map[string][]string{}
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		unpacked, err := gzip.NewReader(file)
		require.NoError(t, err)
		for lines := bufio.NewScanner(unpacked); lines.Scan(); {
			all[filepath.Base(path)] = append(all[filepath.Base(path)], lines.Text())
		}
		require.NoError(t, file.Close())
	}
	return all
}

func TestLogsThatKeepTheRulesConform(t *testing.T) {
	t.Parallel()
	for name, lines := range logs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := judged(t, lines)
			require.Nil(t, v.Rejection, "%v", v.Rejection)
			require.Equal(t, len(lines), v.Events)
			require.Equal(t, 2, v.Groups)
			for _, count := range v.Counts {
				require.NotZero(t, count.Held, "%v was never checked", count.Invariant)
			}
		})
	}
}

func TestUpstreamsLogsConform(t *testing.T) {
	t.Parallel()
	for name, lines := range upstream(t) {
		v := judged(t, lines)
		require.Nil(t, v.Rejection, "%s: %v", name, v.Rejection)
		require.NotZero(t, v.Held())
	}
}

// breaks says which invariant each defect breaks.
var breaks = map[sample.Defect]partial.Invariant{
	sample.ViewBack:        partial.MonotoneViews,
	sample.SecondPrimary:   partial.OnePrimary,
	sample.ParentChanged:   partial.QueuedInOrder,
	sample.NotQueued:       partial.QueuedFirst,
	sample.CountedTwice:    partial.CountedOnce,
	sample.ChecksumChanged: partial.SameChecksum,
	sample.CommitEarly:     partial.QuorumFirst,
	sample.CommitRaised:    partial.QuorumFirst,
	sample.CommitBack:      partial.CommitInOrder,
	sample.OtherRequest:    partial.SameOutcome,
	sample.EarlyReply:      partial.CommitFirst,
}

func TestEachDefectIsRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	found := map[sample.Defect]bool{}
	for name, lines := range logs(t) {
		for _, defect := range sample.Defects() {
			for _, place := range sample.Break(lines, defect) {
				found[defect] = true
				rejected(t, name, defect, place)
			}
		}
	}
	require.Len(t, found, len(breaks), "defects that no log can have")
}

func rejected(t *testing.T, name string, defect sample.Defect, place sample.Place) {
	t.Helper()
	v := judged(t, place.Lines)
	require.NotNil(t, v.Rejection, "%s: %s at line %d: %s", name, defect, place.Line,
		place.Lines[place.Line-1])
	require.True(t, strings.HasSuffix(v.Rejection.Place, fmt.Sprintf("a.log:%d", place.Line)),
		"%s: %s at line %d, but:\n%v", name, defect, place.Line, v.Rejection)
	require.Equal(t, breaks[defect], v.Rejection.Invariant, "%s: %s: %v", name, defect, v.Rejection)
}

func TestEachDefectOfUpstreamsLogsIsRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	for name, lines := range upstream(t) {
		for _, defect := range sample.Defects() {
			places := sample.Break(lines, defect)
			for i := 0; i < len(places); i += max(1, len(places)/8) {
				rejected(t, name, defect, places[i])
			}
		}
	}
}
