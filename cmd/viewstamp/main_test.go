package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

// do runs one command line inside of the test.
func do(t *testing.T, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(t.Context(), arguments, &out, &err)
	return status, out.String(), err.String()
}

// write makes a file for a test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestHelpListsEveryVerb(t *testing.T) {
	t.Parallel()
	status, help, _ := do(t, "--help")
	require.Equal(t, statusPassed, status)
	for _, verb := range []string{
		"verify", "check", "trace gen", "trace replay", "trace conform", "trace import",
		"trace show", "trace export", "sim run", "sim swarm", "sim scenario", "lin check",
		"bench check", "bench wal", "inspect", "version",
	} {
		require.Regexp(t, `(?m)^  `+verb+` +\S`, help)
		status, stdout, _ := do(t, append([]string{"help"}, strings.Fields(verb)...)...)
		require.Equal(t, statusPassed, status, verb)
		require.Contains(t, stdout, "Exit status: 0 passed", verb)
	}
	require.Contains(t, help, "Start here:")
	status, stdout, stderr := do(t)
	require.Equal(t, statusUsage, status, "asked for nothing")
	require.Empty(t, stdout)
	require.Equal(t, help, stderr)
}

func TestStatusesOfVerdicts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		line string
		want int
	}{
		"a clean cfg":              {"check --cfg ci-110", statusPassed},
		"a mutant that is caught":  {"check --cfg bug-start_hollow", statusPassed},
		"a defect in a clean cfg":  {"check --cfg ci-110 --bug start_hollow", statusFailed},
		"flags with one dash":      {"check -cfg=ci-110 -engine go", statusPassed},
		"a history that may be":    {"lin check testdata/fresh_read.jsonl", statusPassed},
		"a history that cannot be": {"lin check testdata/stale_read.jsonl", statusFailed},
		"no time at all": {
			"lin check --timeout 1ns testdata/stale_read.jsonl", statusUndecided,
		},
		"an embedded scenario": {"sim scenario regress/4632", statusPassed},
		"a run":                {"sim run --seed 7 --ticks 300", statusPassed},
		"a run with a defect": {
			"sim run --seed 1 --ticks 600 --faults heavy --bug send_first", statusFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := do(t, strings.Fields(tc.line)...)
			require.Equal(t, tc.want, status, stdout+stderr)
			if tc.want == statusFailed {
				require.Contains(t, stdout, "reproduce: viewstamp ")
			}
		})
	}
}

var seconds = regexp.MustCompile(`"seconds":[0-9.]+`)

func TestJSONIsOneObjectOfTheDocumentedForm(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := do(t, "lin", "check", "--json", "--model", "register",
		"testdata/fresh_read.jsonl", "testdata/stale_read.jsonl")
	require.Equal(t, statusFailed, status)
	require.Empty(t, stderr)
	got := strings.ReplaceAll(seconds.ReplaceAllString(stdout, `"seconds":0`),
		`"version":"`+verify.Version()+`"`, `"version":"v"`)
	got = regexp.MustCompile(`, [0-9.]+ s"`).ReplaceAllString(got, `, 0 s"`)
	golden, err := os.ReadFile("testdata/lin_check.json")
	require.NoError(t, err)
	require.Equal(t, string(golden), got)
}

// The table and the JSON are two forms of one list.
func TestTheTableHasTheChecksOfTheJSON(t *testing.T) {
	t.Parallel()
	_, text, _ := do(t, "sim", "scenario", "--json", "regress")
	var object struct {
		Tool, Verb string
		Passed     bool
		Checks     []verify.Check
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	require.NoError(t, decoder.Decode(&object))
	require.False(t, decoder.More())
	require.Equal(t, "viewstamp sim scenario true",
		strings.TrimSpace(object.Tool+" "+object.Verb+" "+map[bool]string{true: "true"}[object.Passed]))
	require.NotEmpty(t, object.Checks)
	_, table, _ := do(t, "sim", "scenario", "regress")
	for _, c := range object.Checks {
		require.Regexp(t, `(?m)^passed +`+regexp.QuoteMeta(c.Name)+` +sim `, table)
	}
}

func TestATraceGoesRoundTheTool(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	// line runs a command line in which {} stands for the folder.
	line := func(want int, text string) (stdout, stderr string) {
		status, stdout, stderr := do(t, strings.Fields(strings.ReplaceAll(text, "{}", folder))...)
		require.Equal(t, want, status, "%s: %s%s", text, stdout, stderr)
		return stdout, stderr
	}
	line(statusPassed, "sim run --seed 3 --ticks 400 --trace {}/run.jsonl --history {}/h.jsonl")
	line(statusPassed, "trace conform {}/run.jsonl")
	line(statusPassed, "lin check --html {}/h.html {}/h.jsonl")
	require.FileExists(t, filepath.Join(folder, "h.html"))

	stdout, _ := line(statusPassed,
		"trace gen --cfg ci-110 --cover edges --count 30 --out {}/edges")
	require.Contains(t, stdout, "30 traces")
	stdout, _ = line(statusPassed, "trace replay {}/edges")
	require.Contains(t, stdout, "together: 30 traces")
	_, stderr := line(statusUsage, "trace gen --cfg ci-110 --cover walks --out {}/edges")
	require.Contains(t, stderr, "30 traces already", "old and new ones would mix")

	line(statusPassed, "check --cfg bug-start_hollow --trace {}/mutant.jsonl")
	line(statusPassed, "trace replay {}/mutant.jsonl") // The cores refuse it.
	stdout, _ = line(statusFailed, "trace conform {}/mutant.jsonl")
	require.Contains(t, stdout, "no step of the model explains")
	stdout, _ = line(statusPassed, "trace show --replica 1 {}/mutant.jsonl")
	require.Contains(t, stdout, "must be refused")
}

// A failing seed of whole processes: its trace says what became of one op.
func TestATraceOfWholeProcessesExplainsAnOp(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.jsonl")
	status, stdout, _ := do(t, "sim", "nodes", "--seeds", "3..3", "--ticks", "300", "--clients", "3",
		"--faults", "none",
		"--defect", "execute_twice", "--trace", file)
	require.Equal(t, statusFailed, status, stdout)
	require.Contains(t, stdout, "execution at tick")
	status, stdout, _ = do(t, "trace", "show", "--group", "0", "--op", "1", file)
	require.Equal(t, statusPassed, status)
	require.Contains(t, stdout, "ClientRequest op=1")
	require.NotContains(t, stdout, "op=2 ")
}

func TestATraceIsShownToPeopleAndToOtherTools(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	trace := filepath.Join(folder, "run.jsonl")
	passes := func(text string) string {
		t.Helper()
		text = strings.NewReplacer("{}", folder, "{trace}", trace).Replace(text)
		status, stdout, stderr := do(t, strings.Fields(text)...)
		require.Equal(t, statusPassed, status, "%s: %s%s", text, stdout, stderr)
		return stdout
	}
	passes("sim run --seed 6 --faults heavy --ticks 600 --trace {trace}")
	for format, begin := range map[string]string{
		"itf": `{"#meta":`, "shiviz": `(?<host>`, "perfetto": `{"traceEvents":`,
		"mermaid": "sequenceDiagram\n",
	} {
		text := passes("trace export --to " + format + " {trace}")
		require.True(t, strings.HasPrefix(text, begin), format)
		passes("trace export --to " + format + " --out {}/x {trace}")
		written, err := os.ReadFile(filepath.Join(folder, "x"))
		require.NoError(t, err)
		require.Equal(t, text, string(written))
	}
	all := passes("trace show {trace}")
	in0, in1 := passes("trace show --view 0 {trace}"), passes("trace show --view 1 {trace}")
	require.Contains(t, in1, "BecomePrimary")
	require.NotContains(t, in0, "BecomePrimary")
	require.Less(t, len(in0), len(all))
	require.Equal(t, all, passes("trace show --group 0 {trace}"))
	diagram := passes("trace show --view 1 --mermaid - {trace}")
	require.Contains(t, diagram, "StartView view=1")
	require.NotContains(t, diagram, "StartView view=2")
	passes("trace show --html {}/run.html {trace}")
	require.FileExists(t, filepath.Join(folder, "run.html"))
	passes("check --cfg bug-start_hollow --itf {}/x.itf.json")
	itf, err := os.ReadFile(filepath.Join(folder, "x.itf.json"))
	require.NoError(t, err)
	require.Contains(t, string(itf), `"action_taken":"BecomePrimary(`)

	covered := passes("trace gen --cfg ci-111 --cover goals --out {}/goals")
	require.Regexp(t, `(?m)^ +[1-9]\d* +a nack drops an op$`, covered)
	require.Regexp(t, `(?m)^ +[1-9][\d,]* +R12$`, covered)
	require.NotContains(t, covered, "never seen")
	passes("trace replay {}/goals")
	require.Contains(t, passes("trace gen --cfg ci-111 --goal list"), "a nack drops an op\n")
	status, out, complaint := do(t, "trace", "gen", "--cfg", "ci-111", "--count", "2",
		"--goal", "a rejoined primary repairs a hollow op", "--out", filepath.Join(folder, "one"))
	require.Zero(t, status, complaint)
	require.Regexp(t, `(?m)^ +2 +a rejoined primary repairs a hollow op$`, out)
	covered = passes("trace gen --cfg ci-111 --cover walks --count 1 --out {}/walk")
	require.Contains(t, covered, "never seen: ")
}

func TestAScenarioIsRewrittenOnRequest(t *testing.T) {
	t.Parallel()
	path := write(t, "mine.txt", "cluster\n----\nsomething else\n")
	status, stdout, _ := do(t, "sim", "scenario", path)
	require.Equal(t, statusFailed, status)
	require.Contains(t, stdout, path+":3: expected")
	status, _, stderr := do(t, "sim", "scenario", "-update", path)
	require.Equal(t, statusPassed, status)
	require.Contains(t, stderr, "rewritten")
	status, _, _ = do(t, "sim", "scenario", path)
	require.Equal(t, statusPassed, status)
}

// Every command that a check prints is one that this tool takes.
func TestReproduceCommandsAreCommands(t *testing.T) {
	t.Parallel()
	sections, err := verify.Plan(verify.Full(), verify.NoTLC("not in this test"))
	require.NoError(t, err)
	_, text, _ := do(t, strings.Fields("sim run --seed 1 --ticks 200 --bug no_nonce --json")...)
	commands := regexp.MustCompile(`"reproduce":"([^"]+)"`).FindStringSubmatch(text)[1:]
	for _, section := range sections {
		for _, job := range section.Jobs {
			commands = append(commands, job.Reproduce)
		}
	}
	for _, line := range commands {
		for part := range strings.SplitSeq(line, " && ") {
			words := strings.Fields(part)
			require.Equal(t, "viewstamp", words[0])
			command, rest, err := (&tool{}).root().Find(words[1:])
			require.NoError(t, err, part)
			require.NoError(t, command.ParseFlags(rest), part)
			require.NoError(t, command.ValidateArgs(command.Flags().Args()), part)
			require.NotContains(t, []string{"viewstamp", "trace", "sim", "lin"}, command.Name(), part)
		}
	}
}

// No t.Parallel: the environment is the process's.
func TestAPanicIsOneLine(t *testing.T) {
	var out bytes.Buffer
	status := guarded(&out, func() int { panic("op 3\nis gone") })
	require.Equal(t, statusFailed, status)
	require.Equal(t, "viewstamp: panic, a defect of this program: op 3 is gone\n", out.String())
	t.Setenv(verify.EnvDebug, "1")
	guarded(&out, func() int { panic("again") })
	require.Contains(t, out.String(), "goroutine")
}

// The program itself, for what only a process has: its exit status and its two outputs.
func TestTheProgram(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "viewstamp")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	built, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(built))
	for _, tc := range []struct {
		arguments string
		status    int
	}{
		{"version", statusPassed},
		{"check --cfg ci-110 --json", statusPassed},
		{"check --cfg ci-110 --bug start_hollow --json", statusFailed},
		{"trace conform nowhere.jsonl --json", statusUsage},
		{"lin check --timeout 1ns --json testdata/stale_read.jsonl", statusUndecided},
	} {
		command := exec.Command(program, strings.Fields(tc.arguments)...)
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		err := command.Run()
		require.Equal(t, tc.status, command.ProcessState.ExitCode(), "%s: %v %s", tc.arguments, err,
			&stderr)
		if strings.Contains(tc.arguments, "--json") && tc.status != statusUsage {
			require.True(t, json.Valid(stdout.Bytes()), tc.arguments)
			require.Empty(t, stderr.String(), tc.arguments)
		}
		if tc.status == statusUsage {
			require.Empty(t, stdout.String())
			require.Equal(t, 1, strings.Count(stderr.String(), "\n"))
		}
	}
}

// The README names these seeds as ones that find a stall.
func TestTheReadmesDefectIsFound(t *testing.T) {
	t.Parallel()
	status, text, _ := do(t, strings.Fields("sim swarm --seeds 1..40 --defect narrow_repair")...)
	require.Equal(t, statusFailed, status)
	require.Contains(t, text, "stalled")
}

// Every verb that design.md lists has --json: one object and nothing else.
func TestVerbsThatJudgeNothingHaveJSONToo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	trace := filepath.Join(folder, "walk-00001.jsonl")
	for _, line := range []string{
		"trace gen --cfg ci-110 --cover walks --count 2 --json --out " + folder,
		"trace show --json " + trace,
	} {
		status, text, _ := do(t, strings.Fields(line)...)
		require.Equal(t, statusPassed, status, line)
		var o object
		require.NoError(t, json.Unmarshal([]byte(text), &o), line)
		require.True(t, o.Passed, line)
		require.Positive(t, o.Checks[0].Figures[verify.FigureEvents], line)
		if strings.HasPrefix(line, "trace gen") {
			require.Positive(t, o.Checks[0].Figures["action/ClientRequest"])
			require.Positive(t, o.Checks[0].Figures["rule/R1"])
		}
	}
	for _, line := range []string{
		"trace gen --goal list --json", "trace gen --cfg ci-111 --goal list --json",
	} {
		status, text, _ := do(t, strings.Fields(line)...)
		require.Equal(t, statusPassed, status, line)
		var o object
		require.NoError(t, json.Unmarshal([]byte(text), &o), line)
		require.True(t, slices.ContainsFunc(o.Checks, func(c verify.Check) bool {
			return strings.HasSuffix(c.Name, "/a nack drops an op")
		}), line)
	}
}

// A signal ends each verb of traces, with status 3, a line that says so and no half of a file.
func TestVerbsOfTracesEndByASignal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	log := filepath.Join("..", "..", "traces", "iggysim", "testdata", "primary_crash.log")
	trace := filepath.Join(folder, "run.jsonl")
	status, _, _ := do(t, "trace", "import", "--from", "iggy.sim", log, "--out", trace)
	require.Equal(t, statusPassed, status)
	ended, stop := context.WithCancel(t.Context())
	stop()
	out := filepath.Join(folder, "out")
	for _, line := range []string{
		"trace import --from iggy.sim " + log + " --out " + out,
		"trace export --to itf " + trace + " --out " + out,
		"trace show --html " + out + " " + trace,
		"trace show " + trace,
		"trace gen --cfg ci-110 --cover walks --out " + out + "-of-walks",
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, statusUndecided, run(ended, strings.Fields(line), &stdout, &stderr), line)
		require.Contains(t, stderr.String(), "ended by an interruption", line)
		require.Empty(t, stdout.String(), line)
		require.NoFileExists(t, out, line)
	}
}

func TestAnEmptyHistoryIsNoEvidence(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.log")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, from := range []string{"jepsen-etcd", "porcupine-kv"} {
		status, _, complaint := do(t, "lin", "check", "--from", from, empty)
		require.Equal(t, statusUsage, status, from)
		require.Contains(t, complaint, "expected at least one operation", from)
	}
}
