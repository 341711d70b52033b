package traces

// Format is the name that every trace states in its header line.
const Format = "viewstamp.trace"

// Version is the one version of the format that this package reads and writes.
const Version = 1

// What recorded a trace (Header.Source). Foreign recorders may use other names.
const (
	SourceModel   = "model"    // Generated from the reference model.
	SourceSim     = "sim"      // Recorded by the simulator.
	SourceNode    = "node"     // Recorded by a production node.
	SourceIggySim = "iggy.sim" // Imported from a log of upstream's simulator.
)

// Who executes committed ops (Header.CommitDrivers; the spec's CommitDrivers).
const (
	// CommitDriversWalk is the one commit walk of R5.
	CommitDriversWalk = "walk"
	// CommitDriversWalkAndPipeline is upstream's shape: the walk and the pipeline.
	CommitDriversWalkAndPipeline = "walk_and_pipeline"
)

// Header is the first line of a trace: what was recorded, and what a reader must
// know to judge the events.
type Header struct {
	// Format and Version identify the format. [NewWriter] sets both.
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Source says what recorded the trace, for example [SourceModel].
	Source string `json:"source"`
	// Replicas is the number of replicas of each group, at least 1.
	Replicas int    `json:"replicas"`
	Quorum   Quorum `json:"quorum"`
	// Seed is the seed of the run that made the trace.
	Seed uint64 `json:"seed"`
	// Spec is the sha256, in hex, of the module files that the trace was made for.
	Spec string `json:"spec"`
	// Commit is the revision of the recording program, empty when unknown.
	Commit string `json:"commit"`
	// CommitDrivers is "", [CommitDriversWalk] or [CommitDriversWalkAndPipeline];
	// empty means that the recorder does not say.
	CommitDrivers string `json:"commit_drivers,omitempty"`
	// Mutant names the defect that a counterexample was made with, else empty.
	Mutant string `json:"mutant,omitempty"`
	// Violates names the property that a counterexample breaks, else empty.
	Violates string `json:"violates,omitempty"`
	// RefusedAt is the step of the event that a correct system must refuse; 0 = none.
	RefusedAt int     `json:"refused_at,omitempty"`
	Groups    []Group `json:"groups"`
	// Open names the fields of after that no event of the trace says, in their order in
	// the format. Empty means that every event says them all.
	Open []string `json:"open,omitempty"`
	// Order is what the order of events means between replicas: "" or [OrderTotal] if it
	// is that of the steps, [OrderReplica] if only each replica's own events have one.
	Order string `json:"order,omitempty"`
	// Files are the names of the files that an imported trace was made from.
	Files []string `json:"files,omitempty"`
	// Checkpoints says that replicas take checkpoints and release what these cover, so that what
	// they send of their logs may begin above a commit point (R11, R17).
	Checkpoints bool `json:"checkpoints,omitempty"`
	// Continues is how many events the recorder had written before the first one here, 1 where
	// nobody has counted: the trace begins in the middle.
	Continues int `json:"continues,omitempty"`
}

// What the order of the events of different replicas means (Header.Order).
const (
	OrderTotal   = "total"
	OrderReplica = "replica"
)

// Quorum holds the quorum sizes, in replicas, of every group of a trace. 0 means
// that the recorder does not say (design.md section 2, quorums).
type Quorum struct {
	Replication int `json:"replication"`
	ViewChange  int `json:"view_change"`
	Nack        int `json:"nack"`
}

// Group describes one replicated log of a trace. Groups that are created during
// the run need not be listed.
type Group struct {
	ID string `json:"id"`
	// Plane is "metadata" or "partition".
	Plane string `json:"plane"`
	// Durability is the group's policy: "persisted" or "replicated".
	Durability string `json:"durability"`
}
