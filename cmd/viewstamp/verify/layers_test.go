package verify

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	lin "github.com/viewstamp/viewstamp/linearizability"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// do runs one job by itself.
func do(t *testing.T, job Job) []Check {
	t.Helper()
	checks := job.do(t.Context())
	require.NotEmpty(t, checks)
	return checks
}

func lookup(t *testing.T, name string) spec.Cfg {
	t.Helper()
	cfg, err := spec.Lookup(name)
	require.NoError(t, err)
	return cfg
}

func TestACleanCfgPassesAndAMutantInItFails(t *testing.T) {
	t.Parallel()
	models := &Models{}
	c := do(t, models.Go(lookup(t, "ci-110")))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Equal(t, "check/ci-110", c.Name)
	require.InDelta(t, lookup(t, "ci-110").Distinct, c.Figures[check.FigureDistinct], 0)

	broken := &Models{Options: check.Options{Bug: "start_hollow"}}
	c = do(t, broken.Go(lookup(t, "ci-110")))[0]
	require.Equal(t, Failed, c.Status)
	require.Equal(t, "viewstamp check --cfg ci-110 --engine go --bug start_hollow", c.Reproduce)
	require.NotEmpty(t, c.Detail)
	require.NotNil(t, broken.Counterexample("ci-110"))
	c = do(t, broken.Golden(lookup(t, "ci-110")))[0]
	require.Equal(t, Failed, c.Status)
}

func TestMutantsAreSummedUp(t *testing.T) {
	t.Parallel()
	// A cfg's name says what its job finds.
	job := func(cfg spec.Cfg) Job {
		job := Job{Name: "check/" + cfg.Name, Engine: EngineGo}
		job.Run = func(context.Context) []Check {
			c := job.empty()
			c.Status, c.Figures[check.FigureDistinct] = Passed, 10
			if strings.HasPrefix(cfg.Name, "missed") {
				c.fail("not caught")
			}
			return []Check{c}
		}
		return job
	}
	caught, also := spec.Cfg{Name: "a", Mutant: "x"}, spec.Cfg{Name: "b", Mutant: "x"}
	other := spec.Cfg{Name: "c", Mutant: "y"}
	missed := spec.Cfg{Name: "missed", Mutant: "y"}
	for name, tc := range map[string]struct {
		cfgs   []spec.Cfg
		want   Status
		caught float64
		reason string
	}{
		"two mutants, three cfgs": {[]spec.Cfg{caught, also, other}, Passed, 2, ""},
		"missed at one of its cfgs": {
			[]spec.Cfg{caught, other, missed},
			Failed, 1,
			"1 of 2 mutants caught as the manifest says; check/missed: not caught",
		},
		"none at all": {nil, Failed, 0, "no mutants, expected some"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			section := MutantSection("mutants/go", EngineGo, tc.cfgs, job)
			checks := Run(t.Context(), []Section{section}, 1, Observer{})
			sum := checks[0]
			require.Len(t, checks, len(tc.cfgs)+1)
			require.Equal(t, tc.want, sum.Status)
			require.Equal(t, tc.reason, sum.Reason)
			require.InDelta(t, tc.caught, sum.Figures[check.FigureMutantsCaught], 0)
			require.InDelta(t, 10*len(tc.cfgs), sum.Figures[check.FigureDistinct], 0)
		})
	}
}

func TestWithoutTLCChecksAreSkippedAndNotPassed(t *testing.T) {
	t.Parallel()
	models := &Models{TLC: NoTLC("no Java here")}
	for _, job := range []Job{
		models.ByTLC(lookup(t, "ci-110")), models.Graphs(lookup(t, "ci-110")),
	} {
		c := do(t, job)[0]
		require.Equal(t, Skipped, c.Status)
		require.Equal(t, "no Java here", c.Reason)
		require.Equal(t, job.Reproduce, c.Reproduce)
	}
	require.Equal(t, Skipped, WriteGolden(t.Context(), models.TLC, t.TempDir(), "")[0].Status)
}

// No t.Parallel: the environment is the process's.
func TestTLCCanBeDemanded(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", t.TempDir())
	require.Equal(t, Skipped, FindTLC(t.Context()).status)
	t.Setenv(tlc.EnvRequire, "1")
	toolbox := FindTLC(t.Context())
	require.Equal(t, Failed, toolbox.status)
	require.Contains(t, toolbox.reason, tlc.EnvRequire)
}

func TestManifestAndGoldenFiles(t *testing.T) {
	t.Parallel()
	c := do(t, Manifest())[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Positive(t, c.Figures[check.FigureMutants])
	require.Positive(t, do(t, GoldenFiles())[0].Figures["golden"])
	manifest, err := spec.Read()
	require.NoError(t, err)
	require.ErrorContains(t, hasMutantCfgs(manifest, "VSR", []spec.Mutant{{Name: "nobody"}}), "nobody")
}

func TestGeneratedTracesAreFollowed(t *testing.T) {
	t.Parallel()
	c := do(t, ReplayEdges(lookup(t, "ci-110"), 200))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Positive(t, c.Figures[FigureEvents])
	require.InDelta(t, c.Figures[FigureTraces], c.Figures[FigureFollowed], 0)
	c = do(t, ReplayWalks(lookup(t, "ci-111"), 3))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	c = do(t, ReplayGoals(lookup(t, "ci-111"), 1))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Greater(t, c.Figures[FigureFollowed], 10.0)
}

func TestAMutantMustBeRefusedAtItsStep(t *testing.T) {
	t.Parallel()
	var trace *traces.Trace
	silent, err := EachCounterexample(t.Context(), lookup(t, "bug-start_hollow"),
		func(found *traces.Trace) error { trace = found; return nil })
	require.NoError(t, err)
	require.Empty(t, silent)
	require.NotNil(t, trace)

	c, err := ReplayTrace(trace)
	require.NoError(t, err)
	require.Equal(t, Passed, c.Status, c.Reason)
	require.InDelta(t, 1, c.Figures[FigureRefused], 0)

	trace.Header.RefusedAt++
	c, err = ReplayTrace(trace)
	require.NoError(t, err)
	require.Equal(t, Failed, c.Status)

	trace.Header.CommitDrivers = traces.CommitDriversWalkAndPipeline
	c, err = ReplayTrace(trace)
	require.NoError(t, err)
	require.Equal(t, Skipped, c.Status)

	trace.Header.CommitDrivers = traces.CommitDriversWalk
	trace.Events = slices.Clone(trace.Events)
	trace.Events[0].After.LogView += 9
	c, err = ReplayTrace(trace)
	require.NoError(t, err)
	require.Equal(t, Skipped, c.Status, "a lazy log view")
	trace.Events[0].After.LogViewDurable += 10
	c, err = ReplayTrace(trace)
	require.NoError(t, err)
	require.Equal(t, Failed, c.Status, "durable before it is: no form of the protocol")

	trace.Header.Source = traces.SourceSim
	_, err = ReplayTrace(trace)
	require.Error(t, err, "only a model's trace can be replayed")
}

func TestRecordedRunsAreExplained(t *testing.T) {
	t.Parallel()
	c := do(t, Conform(1, 8))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.InDelta(t, 8, c.Figures[FigureTraces], 0)
	require.Positive(t, c.Figures[FigureStutters])
}

func TestADefectFailsTheRunOrItsTrace(t *testing.T) {
	t.Parallel()
	c := Check{Figures: Figures{}}
	by, err := catchDefect(&c, "volatile_view", 40)
	require.NoError(t, err)
	require.NotEmpty(t, by)
	_, err = catchDefect(&c, "nobody", 1)
	require.Error(t, err)
	all, err := DefectNames()
	require.NoError(t, err)
	require.Contains(t, all, "no_nonce")
}

func TestControlsPass(t *testing.T) {
	t.Parallel()
	for _, job := range []Job{
		controlReplay(), controlRecorded("drop", dropEvent, 4, 2),
		controlRecorded("swap", swapEvents, 4, 2),
	} {
		c := do(t, job)[0]
		require.Equal(t, Passed, c.Status, c.Reason)
		require.Positive(t, c.Figures[FigureRejected]+c.Figures[FigureRefused])
	}
}

func TestHistoriesOfKnownVerdict(t *testing.T) {
	t.Parallel()
	c := do(t, GeneratedHistories(40))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.InDelta(t, 40, c.Figures[FigureHistories], 0)
	require.InDelta(t, 10, c.Figures["planted"], 0)
	require.Equal(t, Failed, do(t, GeneratedHistories(0))[0].Status)

	// The control of the control: the wrong verdict is a failure.
	c = Check{Figures: Figures{}}
	o := generatedOptions(1, lin.PlantStaleRead)
	checkGenerated(t.Context(), &c, o)
	require.Equal(t, Passed, c.Status, c.Reason)
	o.Operations = -1
	checkGenerated(t.Context(), &c, o)
	require.Equal(t, Failed, c.Status)
}

func TestHistoriesOfEachModelAndItsMutants(t *testing.T) {
	t.Parallel()
	c := do(t, ModelHistories(2))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	planted := 0
	for _, model := range lin.Models() {
		planted += 2 * len(lin.PlantsOf(model))
	}
	require.InDelta(t, planted, c.Figures["planted"], 0)
	require.InDelta(t, planted+2*len(lin.Models()), c.Figures[FigureHistories], 0)
	require.Equal(t, Failed, do(t, ModelHistories(0))[0].Status)
}

func TestAHistoryCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	h, err := lin.Generate(generatedOptions(1, lin.PlantStaleRead))
	require.NoError(t, err)
	report, err := lin.Check(t.Context(), h, lin.CheckOptions{})
	require.NoError(t, err)
	c := HistoryCheck("/h.jsonl", report)
	require.Equal(t, "lin//h.jsonl", c.Name, "the path follows the first slash")
	require.Equal(t, Failed, c.Status)
	require.NotContains(t, c.Reason, "\n")
	require.Contains(t, c.Detail, "client")
	report.Verdict = lin.Undecided
	require.Equal(t, Undecided, HistoryCheck("h.jsonl", report).Status)
}

func TestASwarmOfFewSeedsMissesSomething(t *testing.T) {
	t.Parallel()
	checks := do(t, Swarm(1, 2, sim.Options{Faults: sim.FaultsSwarm, Ticks: 400}, true, nil))
	require.Equal(t, []string{"sim/swarm", "sim/coverage"}, names(checks))
	require.Equal(t, Passed, checks[0].Status, checks[0].Reason)
	require.Equal(t, "viewstamp sim swarm --seeds 1..2 --ticks 400", checks[0].Reproduce)
	require.Equal(t, Failed, checks[1].Status)
	require.Contains(t, checks[1].Reason, "never seen in 2 seeds: ")
}

func TestASwarmNamesTheSeedThatFailed(t *testing.T) {
	t.Parallel()
	result, err := sim.Swarm(t.Context(), 1, 3, sim.Options{Ticks: 400}, nil)
	require.NoError(t, err)
	result.Failures = []seeds.Outcome{{Seed: 2, Failure: "agreement at tick 0: two"}}
	c := swarmCheck(t.Context(), Job{}, result)
	require.Equal(t, Failed, c.Status)
	require.Equal(t, "1 of 3 seeds failed; seed 2: agreement at tick 0: two", c.Reason)
}

func TestScenariosAndTheirTwins(t *testing.T) {
	t.Parallel()
	require.Contains(t, ScenarioFolders(), "regress/4294")
	require.Nil(t, EmbeddedScenarios("../secrets"))
	c := do(t, Scenarios("regress/4632"))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Positive(t, c.Figures[FigureTwins])

	const name = "regress/4632/twin_truncate_to_frontier.txt"
	text, err := EmbeddedScenario(name)
	require.NoError(t, err)
	one, _, err := RunScenario("regress/4632/no_twin.txt", text)
	require.NoError(t, err)
	require.Equal(t, Failed, one.Status, "only a twin's check may fail")
	one, _, err = RunScenario(name, strings.Replace(text, "0/30", "1/30", 1))
	require.NoError(t, err)
	require.Equal(t, Failed, one.Status, "an output that is not the expected one")
	_, _, err = RunScenario("x.txt", "dance\n----\n")
	require.ErrorContains(t, err, "x.txt:1: ")
}

func TestTheStorageFollowsItsModel(t *testing.T) {
	t.Parallel()
	for _, job := range Storage(StorageSizes{EdgesStride: 100, Walks: 4, Recordings: 4}) {
		c := do(t, job)[0]
		require.Equal(t, Passed, c.Status, c.Reason)
		require.Positive(t, c.Figures[FigureRecoveries]+c.Figures[FigureRejected], job.Name)
	}
	for _, job := range Storage(StorageSizes{EdgesStride: 1})[1:3] {
		require.Equal(t, Failed, do(t, job)[0].Status, job.Name)
	}
}

// Every job of both plans has a name of its own, a command and an engine.
func TestThePartitionsLogsFollowTheirModel(t *testing.T) {
	t.Parallel()
	c := do(t, Partitions(4))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Positive(t, c.Figures[FigureReads])
	require.Positive(t, c.Figures[FigureRejected])
	c = do(t, Partitions(0))[0]
	require.Equal(t, Failed, c.Status, "nothing was compared")
}

func TestTheClientTableFollowsItsModel(t *testing.T) {
	t.Parallel()
	c := do(t, Sessions(5))[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	require.Positive(t, c.Figures[FigureExecuted])
	require.Positive(t, c.Figures[FigureRejected])
	c = do(t, Sessions(0))[0]
	require.Equal(t, Failed, c.Status, "nothing was compared")
}

func TestThePlansAreWellFormed(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string]Sizes{"full": Full(), "quick": Quick()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sections, err := Plan(sizes, NoTLC("not in this test"))
			require.NoError(t, err)
			engines := []string{
				EngineGo, EngineTLC, EngineSim, EngineReplay, EngineConform, EngineLin, EngineCore,
			}
			seen := map[string]bool{}
			for _, section := range sections {
				for _, job := range section.Jobs {
					key := job.Name + " " + job.Engine
					require.False(t, seen[key], key)
					seen[key] = true
					require.Contains(t, engines, job.Engine)
					require.True(t, strings.HasPrefix(job.Reproduce, "viewstamp "), job.Name)
					require.NotNil(t, job.Run)
				}
			}
			require.True(t, seen["conform/recorded conform"])
			require.True(t, seen["check/ci-110 tlc"])
		})
	}
}

// The log of a replica may begin where the repair of an earlier hole ended, though a later adoption
// shows no hole: a restart shows it again.
func TestARestartShowsTheHoleOfAnEarlierAdoption(t *testing.T) {
	t.Parallel()
	trace, _, err := Record(checkpointOptions(1607))
	require.NoError(t, err)
	report, err := conform.Trace(trace)
	require.NoError(t, err)
	require.True(t, report.Passed(), "%v", report)
}
