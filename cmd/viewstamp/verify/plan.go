package verify

import (
	"hash/fnv"
	"slices"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces/mutants"
	"github.com/viewstamp/viewstamp/traces/refine"
)

// Sizes say how much of each layer a run of everything checks.
type Sizes struct {
	// Clean and Mutants are the cfgs that the Go model checks, MutantsTLC those of
	// mutants that TLC checks, CleanTLC the clean ones.
	Clean, CleanTLC     func(spec.Cfg) bool
	Mutants, MutantsTLC func(spec.Cfg) bool
	// Graphs are the golden cfgs at which TLC and the Go model are compared, Golden
	// those at which the Go model is compared with the golden file.
	Graphs, Golden func(spec.Cfg) bool
	// Judges says whether coverage, adequacy and claims are judged: they need all cfgs.
	Judges bool
	// Core are the searches that drive real cores.
	Core func(refine.Cfg) bool
	// EdgesOf is the cfg whose edges are replayed, EdgesStride which of the traces:
	// every so manieth. Walks is the number of random walks, Goals that of those towards
	// each goal.
	EdgesOf     string
	EdgesStride int
	Walks       int
	Goals       int
	// Recorded is the number of recorded runs that the model must explain.
	Recorded uint64
	// ControlTraces are the recorded traces that are made wrong, in ControlsEach ways
	// of each kind. DefectSeeds bounds the search for a core's defect.
	ControlTraces, ControlsEach int
	DefectSeeds                 uint64
	// Opinion are the traces that TLC judges a second time.
	Opinion OpinionSizes
	// Seeds is the number of seeds of the swarm, NodesSeeds that of whole processes, Histories
	// that of generated ones, OfModels that of each model and of each of its mutants.
	Seeds, NodesSeeds, Histories, OfModels uint64
	// Shipped says whether the histories that ship with Porcupine are checked.
	Shipped bool
	// FaultStride is which storage operations are struck: every so manieth.
	FaultStride int
	// Storage is how much of the storage is compared with its model.
	Storage StorageSizes
	// CodeMutants are the mutants of the production code that must be caught.
	CodeMutants func(mutants.Patch) bool
	// Partitions is the number of walks of partitions' logs at each bound, Sessions that of
	// client sessions.
	Partitions, Sessions uint64
}

// liveGraphMax bounds, in distinct states, the cfgs whose graphs TLC writes.
const liveGraphMax = 20_000

// Full is everything, sized for some minutes on two cores.
func Full() Sizes {
	return Sizes{
		Clean:       func(c spec.Cfg) bool { return c.IsClean() && c.Tier == spec.TierCI },
		CleanTLC:    func(c spec.Cfg) bool { return c.IsClean() && c.TierTLC == spec.TierCI },
		Mutants:     func(c spec.Cfg) bool { return !c.IsClean() },
		MutantsTLC:  func(c spec.Cfg) bool { return !c.IsClean() && c.TierTLC == spec.TierCI },
		Graphs:      func(c spec.Cfg) bool { return c.Golden && c.Distinct <= liveGraphMax },
		Golden:      func(c spec.Cfg) bool { return c.Golden },
		Judges:      true,
		Core:        func(c refine.Cfg) bool { return c.Verify },
		EdgesOf:     "ci-111",
		EdgesStride: 1, Walks: 1000, Goals: 10, Recorded: 2000,
		ControlTraces: 100, ControlsEach: 5, DefectSeeds: 300,
		Opinion: OpinionSizes{Recorded: 40, Walks: 40, EventsMax: 120, ControlsEach: 1},
		Seeds:   500, NodesSeeds: 250, Histories: 3000, OfModels: 100, Shipped: true, FaultStride: 3,
		Storage:    StorageSizes{EdgesStride: 1, DeepStride: 7, Walks: 1000, Recordings: 2000},
		Partitions: 150, Sessions: 1000,
		CodeMutants: codeMutantOfVerify,
	}
}

// Quick is a slice of each layer, sized for less than a minute on two cores.
func Quick() Sizes {
	named := func(names ...string) func(spec.Cfg) bool {
		return func(c spec.Cfg) bool {
			for _, name := range names {
				if c.Name == name {
					return true
				}
			}
			return false
		}
	}
	return Sizes{
		Clean:    named("ci-110", "ci-110-pipeline", "ci-111", "partition-clean"),
		CleanTLC: named("ci-110"),
		Mutants: named("bug-start_hollow", "bug-stall_is_pipeline", "bug-narrow_repair",
			"bug-no_nonce", "bug-same_view_sv", "bug-volatile_view",
			"partition-bug-truncate_to_frontier"),
		MutantsTLC: named("bug-start_hollow", "partition-bug-truncate_to_frontier"),
		Graphs:     named("ci-110-pipeline"),
		Golden:     named("ci-110", "ci-110-pipeline", "partition-clean"),
		Core:       func(c refine.Cfg) bool { return c.Name == "core-110" },
		EdgesOf:    "ci-110", EdgesStride: 50, Walks: 40, Goals: 1, Recorded: 40,
		ControlTraces: 8, ControlsEach: 3, DefectSeeds: 200,
		Opinion: OpinionSizes{Recorded: 8, Walks: 8, EventsMax: 80, ControlsEach: 1},
		Seeds:   20, NodesSeeds: 20, Histories: 100, OfModels: 3, FaultStride: 12,
		Storage:    StorageSizes{EdgesStride: 4, Walks: 100, Recordings: 200},
		Partitions: 10, Sessions: 20,
		CodeMutants: func(p mutants.Patch) bool {
			return slices.Contains(quickCodeMutants, p.Name)
		},
	}
}

// codeMutantShare is the part of the mutants of the production code that verify tries: as many as
// take some minutes of CPU. "viewstamp check --code-mutants" tries all.
const codeMutantShare = 3

// codeMutantOfVerify accepts the same mutants each time, whatever others there are.
func codeMutantOfVerify(p mutants.Patch) bool {
	sum := fnv.New32a()
	sum.Write([]byte(p.Name))
	return sum.Sum32()%codeMutantShare == 0 || slices.Contains(quickCodeMutants, p.Name)
}

// quickCodeMutants are those of the four failures that the project was made for.
var quickCodeMutants = []string{
	"vsr_stall_is_pipeline", "vsr_repairs_to_commit", "wal_truncates_to_frontier",
	"vsr_forgets_its_view",
}

// Plan is the sections of a run of everything, in the order of the report. An error
// means that the manifest cannot be read; it says where and why.
func Plan(sizes Sizes, toolbox Toolbox) ([]Section, error) {
	manifest, err := spec.Read()
	if err != nil {
		return nil, err
	}
	edges, err := manifest.Lookup(sizes.EdgesOf)
	if err != nil {
		return nil, err
	}
	models := &Models{TLC: toolbox}
	sections := []Section{{Jobs: []Job{Manifest(), GoldenFiles()}}}
	sections = append(sections, planGo(sizes, models, manifest)...)
	sections = append(sections, planCore(sizes),
		Section{Jobs: []Job{
			ReplayEdges(edges, sizes.EdgesStride), ReplayWalks(edges, sizes.Walks),
			ReplayGoals(edges, sizes.Goals),
		}},
		ReplayMutants(models, manifest.Select(sizes.Mutants)),
		Section{Jobs: []Job{Conform(1, sizes.Recorded), ConformImported()}},
		Section{Jobs: Controls(sizes.ControlTraces, sizes.ControlsEach, sizes.DefectSeeds)},
		Section{Jobs: []Job{
			Swarm(1, sizes.Seeds, sim.Options{Faults: sim.FaultsSwarm}, sizes.Judges, nil),
			Nodes(1, sizes.NodesSeeds, nodes.Options{Ticks: nodes.DefaultTicks}, sizes.Judges, nil),
		}},
		planScenarios(), planHistories(sizes), FaultMatrix(sizes.FaultStride),
		Section{Jobs: append(Storage(sizes.Storage),
			Partitions(sizes.Partitions), Sessions(sizes.Sessions))},
		FindCodeMutants().Section(sizes.CodeMutants),
	)
	return append(sections, planTLC(sizes, models, manifest)...), nil
}

// planGo is what the Go models check by themselves.
func planGo(sizes Sizes, models *Models, manifest *spec.Manifest) []Section {
	sections := []Section{
		{Jobs: jobs(manifest, sizes.Clean, models.Go)},
		MutantSection("mutants/go", EngineGo, manifest.Select(sizes.Mutants), models.Go),
	}
	golden := jobs(manifest, sizes.Golden, models.Golden)
	if sizes.Judges {
		sections = append(sections, models.Coverage())
		golden = append(golden, models.Adequacy(manifest.GoldenCfgs()))
		golden = append(golden, models.ClaimJobs(manifest)...)
	}
	return append(sections, Section{Jobs: golden})
}

// planTLC is what needs TLC. It takes longest and so comes last in the report; its jobs
// begin first.
func planTLC(sizes Sizes, models *Models, manifest *spec.Manifest) []Section {
	return []Section{
		{Jobs: jobs(manifest, sizes.CleanTLC, models.ByTLC)},
		{Jobs: jobs(manifest, sizes.Graphs, models.Graphs)},
		{Jobs: []Job{SecondOpinion(sizes.Opinion, models.TLC)}},
		MutantSection("mutants/tlc", EngineTLC, manifest.Select(sizes.MutantsTLC),
			models.ByTLC),
	}
}

func planCore(sizes Sizes) Section {
	var s Section
	for _, cfg := range refine.Cfgs() {
		if sizes.Core(cfg) {
			s.Jobs = append(s.Jobs, Core(cfg, 1, nil))
		}
	}
	return s
}

func planScenarios() Section {
	var s Section
	for _, folder := range ScenarioFolders() {
		s.Jobs = append(s.Jobs, Scenarios(folder))
	}
	return s
}

func planHistories(sizes Sizes) Section {
	s := Section{Jobs: []Job{
		GeneratedHistories(sizes.Histories), ModelHistories(sizes.OfModels), LongHistories(),
	}}
	if sizes.Shipped {
		s.Jobs = append([]Job{PorcupineHistories()}, s.Jobs...)
	}
	return s
}

// jobs makes a job for each cfg that keep accepts.
func jobs(manifest *spec.Manifest, keep func(spec.Cfg) bool, job func(spec.Cfg) Job) []Job {
	var all []Job
	for _, cfg := range manifest.Select(keep) {
		all = append(all, job(cfg))
	}
	return all
}
