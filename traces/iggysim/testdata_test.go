package iggysim_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/iggysim/sample"
)

var replicaOf = regexp.MustCompile(` replica_id=(\d+) `)

var update = flag.Bool("update", false, "rewrite testdata")

// The logs that the documentation is tried on are those of the scripted cluster: as it is, and
// with an acknowledgement that is counted twice; and apart, as servers write them.
func TestTheLogsToTryAreThoseOfTheSample(t *testing.T) {
	t.Parallel()
	c := sample.New(3)
	c.Request(sample.Partition)
	c.Prepare(sample.Partition)
	c.Crash(0)
	c.ViewChange(sample.Partition)
	c.Request(sample.Partition)
	lines, broken := c.Lines, sample.Break(c.Lines, sample.CountedTwice)[3]
	logs := map[string][]string{
		"testdata/primary_crash.log": lines, "testdata/counted_twice.log": broken.Lines,
	}
	for _, line := range lines {
		path := "testdata/server_" + replicaOf.FindStringSubmatch(line)[1] + ".log"
		logs[path] = append(logs[path], line)
	}
	require.Len(t, logs, 5)
	for path, want := range logs {
		text := strings.Join(want, "\n") + "\n"
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err, "go test ./traces/iggysim -run Logs -update writes it")
		require.Equal(t, text, string(got))
	}
}
