package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	header = `{"format":"viewstamp.trace","version":1,"replicas":3}` + "\n"
	event  = `{"step":1,"group":"0","replica":0,"action":"Restart","after":{"status":"normal"}}` +
		"\n"
	historyHeader = `{"format":"viewstamp.history","version":1,"model":"register","unit":"ns"}` +
		"\n"
)

// badFiles writes inputs with a fault each and returns their paths by a name in braces.
func badFiles(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"{trace}":     write(t, "trace.jsonl", header+event),
		"{truncated}": write(t, "truncated.jsonl", header+event[:len(event)-10]),
		"{version}": write(t, "version.jsonl",
			strings.Replace(header, `"version":1`, `"version":9`, 1)),
		"{six}": write(t, "six.jsonl",
			strings.Replace(header, `"replicas":3`, `"replicas":6`, 1)+event),
		"{open}": write(t, "open.jsonl",
			strings.Replace(header, `"replicas":3`, `"replicas":3,"open":["view"]`, 1)+event),
		"{history}":  write(t, "bad.history.jsonl", historyHeader+"{\n"),
		"{scenario}": write(t, "bad.txt", "cluster\n----\n\ndance\n----\n"),
		"{empty}":    t.TempDir(),
	}
}

func TestBadUsageAndBadInputGetOneLineAndStatusTwo(t *testing.T) {
	t.Parallel()
	files := badFiles(t)
	fill := func(text string) string {
		for name, path := range files {
			text = strings.ReplaceAll(text, name, path)
		}
		return text
	}
	for name, tc := range map[string]struct {
		line string
		want string // Parts of the one line on stderr, separated by bars.
	}{
		"unknown command":      {"dance", "dance|verify|check"},
		"unknown subcommand":   {"trace dance", "dance|gen|conform"},
		"unknown flag":         {"verify --fast", "--fast"},
		"argument too many":    {"verify now", "now|expected none"},
		"nothing to check":     {"check", "--cfg|--mutants"},
		"two things to check":  {"check --mutants --all", "--mutants and --all"},
		"unknown cfg":          {"check --cfg ci-11", "ci-11|ci-110"},
		"unknown engine":       {"check --cfg ci-110 --engine z3", "z3|tlc"},
		"unknown bug":          {"check --cfg ci-110 --bug ant", "ant|no_nonce"},
		"name of no mutant":    {"check --code-mutants --name ant", "ant|vsr_no_nonce"},
		"name without mutants": {"check --name vsr_no_nonce", "--code-mutants"},
		"mutants of a cfg":     {"check --code-mutants --cfg ci-110", "--cfg|--name"},
		"a table of one":       {"check --code-mutants --name x --write-table", "without --name"},
		"seeds of no hunt":     {"check --code-mutants --seeds 9", "--by-swarm"},
		"no seeds to hunt":     {"check --code-mutants --by-swarm --seeds 0", "1 to"},
		"a rate of all":        {"check --code-mutants --by-swarm --rate", "--name"},
		"a hunt for nothing":   {"check --by-swarm", "--code-mutants"},
		"unknown tier":         {"check --all --tier x", "ci or nightly"},
		"a bug of no module":   {"check --bug nonce", "no_nonce"},
		"bug and two places":   {"check --bug no_nonce --tla .", "a folder"},
		"bug without cfg":      {"check --graphs --bug no_nonce", "--cfg"},
		"two forms, one file":  {"check --bug no_nonce --tla x --mermaid x", "--tla and --mermaid"},
		"picture of TLC's":     {"check --bug no_nonce --mermaid x --engine tlc", "--engine go"},
		"bench of nothing":     {"bench check --cfg ant", "ant|expected one of"},
		"bench of a mutant":    {"bench check --cfg bug-no_nonce", "clean cfg"},
		"picture of a graph":   {"check --graphs --cfg ci-110 --mermaid x", "--mermaid|--engine"},
		"golden to nowhere":    {"check --write-golden nowhere", "nowhere"},
		"golden with a bug":    {"check --write-golden x --cfg ci-110 --bug no_nonce", "clean"},
		"trace of a partition": {"check --cfg partition-clean --trace x", "PartitionLog"},
		"trace by TLC":         {"check --cfg ci-110 --engine tlc --trace x", "Go model"},
		"golden of a mutant":   {"check --cfg bug-no_nonce --golden", "clean"},
		"no golden file":       {"check --cfg ci-211-lazy --golden", "golden"},
		"no cover":             {"trace gen --cfg ci-110 --out {empty}", "--cover"},
		"memory of TLC":        {"check --cfg ci-110 --engine tlc --memory 1GiB", "--engine go"},
		"memory of cows":       {"check --cfg ci-110 --memory 2cows", "2cows|2GiB"},
		"save of all":          {"check --all --save x", "--save|--all"},
		"resume of nothing":    {"check --cfg ci-110 --resume nowhere", "nowhere|no such file"},
		"resume of a folder":   {"check --cfg ci-110 --resume {empty}", "a folder"},
		"resume of no search":  {"check --cfg ci-110 --resume {trace}", "{trace}|cannot be resumed"},
		"save to nowhere":      {"check --cfg ci-110 --save nowhere/x", "--save|nowhere/x|no such file"},
		"save over a device":   {"check --cfg ci-110 --save /dev/null", "expected a file"},
		"a module to nowhere":  {"check --bug no_nonce --tla nowhere/x", "--tla nowhere/x|no such file"},
		"picture to nowhere":   {"check --bug no_nonce --mermaid nowhere/x", "--mermaid|no such file"},
		"trace to nowhere":     {"check --bug no_nonce --trace nowhere/x", "--trace|no such file"},
		"file of two stories": {
			"check --bug adopt_torn --tla x", "journal-bug-adopt_torn|partition-bug-adopt_torn",
		},
		"full of no story":      {"check --cfg ci-110 --full", "--bug NAME"},
		"export to nothing":     {"trace export {trace}", "--to|itf, shiviz"},
		"export over itself":    {"trace export --to itf --out {trace} {trace}", "another file"},
		"time that is negative": {"check --cfg ci-110 --time -1s", "--time|positive"},
		"unknown cover": {
			"trace gen --cfg ci-110 --cover x --out {empty}", `"x"|edges`,
		},
		"traces of a partition": {
			"trace gen --cfg partition-clean --cover edges --out {empty}", "PartitionLog",
		},
		"missing trace":         {"trace replay nowhere.jsonl", "nowhere.jsonl"},
		"folder without trace":  {"trace conform {empty}", "{empty}|.jsonl"},
		"no trace":              {"trace conform", "FILE"},
		"truncated trace":       {"trace conform {truncated}", "{truncated}:2:|truncated"},
		"unknown version":       {"trace show {version}", "{version}:1:|9"},
		"six replicas":          {"trace conform {six}", "{six}:1:|6|1 to 5"},
		"an engine of traces":   {"trace conform --engine z3 {trace}", "z3|go, tlc or both"},
		"six replicas for TLC":  {"trace conform --engine tlc {six}", "{six}:1:|6|1 to 5"},
		"half a state for TLC":  {"trace conform --engine both {open}", "{open}:1:|[view]|all fields"},
		"replica out of range":  {"trace show --replica 7 {trace}", "0 to 2"},
		"op zero":               {"trace show --op 0 {trace}", "from 1 on"},
		"recorded, not made":    {"trace replay {trace}", "{trace}:1:|model"},
		"eight replicas to run": {"sim run --replicas 8", "8|1 to 7"},
		"unknown faults":        {"sim run --faults lots", "lots|heavy"},
		"unknown defect":        {"sim run --defect ant", "ant|no_nonce"},
		"import of nothing":     {"trace import --from iggy.sim", "LOG"},
		"import from where":     {"trace import {history}", "--from|iggy.sim"},
		"two logs, one writer":  {"trace import --from iggy.sim --replica 0 a b", "1 times for 2"},
		"import of no log":      {"trace import --from iggy.sim nowhere.log", "nowhere.log"},
		"import without event":  {"trace import --from iggy.sim {history}", "no line of iggy.sim"},
		"import over its log":   {"trace import --from iggy.sim --out {history} {history}", "--out"},
		"import with no place":  {"trace import --from iggy.sim --json {history}", "--json"},
		"unknown group":         {"trace show --group 9 {trace}", "\"9\"|has 0"},
		"page of one replica":   {"trace show --replica 1 --html x {trace}", "--html|--replica"},
		"page over its trace":   {"trace show --html {trace} {trace}", "another file"},
		"an unknown goal": {
			"trace gen --cfg ci-111 --goal nonsense --out {empty}", `"nonsense"|a nack drops an op`,
		},
		"a goal of walks": {
			"trace gen --cfg ci-111 --cover walks --goal list --goal list --out {empty}",
			"--cover goals",
		},
		"a goal that another cfg has": {
			"trace gen --cfg transfer --goal fly --out {empty}", "fly|CaughtUp",
		},
		"all of the edges": {"trace gen --cfg all --cover edges --out {empty}", "all"},
		"one file for two outputs": {
			"sim run --trace same.out --history same.out", "same.out|two files",
		},
		"too many seeds":       {"sim swarm --seeds 0..18446744073709551615", "at most"},
		"golden by TLC":        {"check --cfg ci-110 --golden --engine tlc", "--golden"},
		"golden with a mutant": {"check --cfg ci-110 --golden --bug no_nonce", "--golden"},
		"negative timeout":     {"lin check --timeout -5s x", "at least 0"},
		"a picture over its history": {
			"lin check --html h.jsonl h.jsonl", "h.jsonl|another file",
		},
		"no ticks":             {"sim run --ticks 0", "expected 1 to"},
		"ticks without end":    {"sim run --ticks 99999999999", "expected 1 to"},
		"no seeds":             {"sim swarm", "A..B"},
		"a trace of two seeds": {"sim nodes --seeds 3..4 --trace t.jsonl", "2 seeds|--seeds 3..3"},
		"seeds backwards":      {"sim swarm --seeds 9..1", "9..1|A at most B"},
		"seeds of letters":     {"sim swarm --seeds a..b", `"a"|A..B`},
		"scenario of nonsense": {"sim scenario {scenario}", "{scenario}:4:|dance"},
		"missing scenario":     {"sim scenario regress/1", "regress/1"},
		"malformed history":    {"lin check --model register {history}", "{history}:2:"},
		"unknown model":        {"lin check --model queue {history}", "queue|kv"},
		"another model": {
			"lin check --model kv testdata/fresh_read.jsonl", "fresh_read.jsonl:1:",
		},
		"model and format":  {"lin check --model kv --from jepsen-etcd x", "register"},
		"a foreign history": {"lin check --from jepsen-etcd {history}", "{history}:1:"},
		"picture of two":    {"lin check --html h a b", "expected one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := do(t, strings.Fields(fill(tc.line))...)
			require.Equal(t, statusUsage, status, stderr)
			require.Empty(t, stdout)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			require.True(t, strings.HasPrefix(stderr, "viewstamp: "), stderr)
			for part := range strings.SplitSeq(fill(tc.want), "|") {
				require.Contains(t, stderr, part)
			}
		})
	}
}
