package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documented is what a command of a README must end with.
type documented struct {
	status int
	text   string // A part of its output.
}

// The commands of the sections for users with traces and histories of their own: a user tries
// them first, so each is run as it stands there, one after the other.
func TestTheCommandsForFilesOfOnesOwnDoWhatTheReadmeSays(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		readme, section string
		want            map[string]documented
	}{
		"histories": {
			"linearizability/README.md", "## Check your own histories", map[string]documented{
				"lin check {lin}/kv.jsonl":                    {text: "6 operations"},
				"lin check {lin}/partition.jsonl":             {text: "4 operations"},
				"lin check {lin}/partition_lost_append.jsonl": {1, `append(orders/0, "b") -> 1`},
				"lin check {lin}/offsets.jsonl":               {text: "4 operations"},
				"lin check {lin}/metadata.jsonl":              {text: "6 operations"},
				"lin check {lin}/sessions.jsonl":              {text: "3 operations"},
				"lin check --from jepsen-edn --model register {lin}/register.edn": {
					text: "4 operations",
				},
				"lin check --from jepsen-edn --model set {lin}/set.edn": {
					text: "2 operations",
				},
				"lin check --from jepsen-edn --model kv {lin}/append.edn": {
					text: "3 operations",
				},
				"lin check --from jepsen-etcd {lin}/etcd.log":               {text: "7 operations"},
				"lin check --from porcupine-kv {lin}/kv.txt":                {1, `append(x, "b")`},
				"lin check --from porcupine-kv --html kv.html {lin}/kv.txt": {1, `append(x, "b")`},
			},
		},
		"traces": {
			"traces/README.md", "## Check your own traces", map[string]documented{
				"trace import --from iggy.sim {sim}/primary_crash.log --out crash.jsonl": {
					text: "43 lines read, 43 events, 0 foreign lines, 0 lost lines; " +
						"3 replicas, quorum 2, 1 groups",
				},
				"trace conform crash.jsonl": {text: "43 events, 1 groups, 387 held"},
				"trace import --from iggy.sim {sim}/counted_twice.log --out twice.jsonl": {
					text: "44 events",
				},
				"trace conform twice.jsonl": {1, "counted_twice.log:31: CountedOnce: args.from"},
				"trace import --from iggy.sim --replica 0 --replica 1 --replica 2 " +
					"{sim}/server_0.log {sim}/server_1.log {sim}/server_2.log --out cluster.jsonl": {
					text: "43 events, 0 foreign lines, 0 lost lines; 3 replicas",
				},
				"trace conform cluster.jsonl":                       {text: "43 events"},
				"sim run --seed 7 --faults heavy --trace run.jsonl": {text: "PASSED"},
				"trace conform run.jsonl":                           {text: "PASSED"},
				"trace conform --engine both run.jsonl":             {status: -1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			missing := maps.Clone(tc.want)
			for _, line := range commandsOf(t, tc.readme, tc.section) {
				short := strings.NewReplacer(
					"linearizability/testdata", "{lin}", "traces/iggysim/testdata", "{sim}",
				).Replace(line)
				want, known := tc.want[short]
				require.True(t, known, "%s: %q: expected one of this test", tc.readme, short)
				delete(missing, short)
				if want.status < 0 {
					continue // Needs Java: TestFilesGetOneVerdictOfBothEngines of verify.
				}
				status, stdout, stderr := do(t, inFolder(line, folder)...)
				require.Equal(t, want.status, status, "%s: %s%s", line, stdout, stderr)
				require.Contains(t, stdout, want.text, line)
			}
			assert.Empty(t, slices.Collect(maps.Keys(missing)), "%s lacks them", tc.readme)
		})
	}
}

// commandsOf returns the commands of the tool in a section of a README, without its name.
func commandsOf(t *testing.T, readme, section string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", readme))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n"+section+"\n")
	require.True(t, found, section)
	rest, _, _ = strings.Cut(rest, "\n## ")
	var commands []string
	for line := range strings.SplitSeq(strings.ReplaceAll(rest, "\\\n", " "), "\n") {
		if command, is := strings.CutPrefix(line, "go run ./cmd/viewstamp "); is {
			commands = append(commands, strings.Join(strings.Fields(command), " "))
		}
	}
	return commands
}

// inFolder is a command of somebody who is at the root of the repository, but that the files
// without a folder are in this one.
func inFolder(command, folder string) []string {
	arguments := strings.Fields(command)
	for i, argument := range arguments {
		switch {
		case strings.HasPrefix(argument, "-"):
		case strings.Contains(argument, "/"):
			arguments[i] = filepath.Join("..", "..", filepath.FromSlash(argument))
		case strings.HasSuffix(argument, ".jsonl"), strings.HasSuffix(argument, ".html"):
			arguments[i] = filepath.Join(folder, argument)
		}
	}
	return arguments
}
