package storage

// GroupsRecording is what a process did to the storage of several groups and what it found there,
// line by line.
type GroupsRecording struct{ Lines []GroupsLine }

// The things that only a line of several groups can tell; the others are those of [Line].
const (
	// DoSnapshot: a snapshot of a group became durable.
	DoSnapshot = "snapshot"
	// DoRelease: so many batches of the log went.
	DoRelease = "release"
)

// GroupsLine is one thing that was done. Batch, superblock and snapshot of a kill or a power loss
// are what was under way.
type GroupsLine struct {
	Do         string             `json:"do"`
	Batch      []GroupsLineRecord `json:"batch,omitempty"`
	Superblock []GroupsLineSaid   `json:"superblock,omitempty"`
	Snapshot   *GroupsLineOp      `json:"snapshot,omitempty"`
	Released   int                `json:"released,omitempty"`
	Found      []GroupsLineFound  `json:"found,omitempty"`
}

// GroupsLineRecord is a record: a prepare, or a state record with the group's head in Op.
type GroupsLineRecord struct {
	Group   int  `json:"group"`
	State   bool `json:"state,omitempty"`
	LogView int  `json:"log_view"`
	Op      int  `json:"op"`
	InDoubt bool `json:"in_doubt,omitempty"`
}

// GroupsLineOp is an op of a group.
type GroupsLineOp struct {
	Group int `json:"group"`
	Op    int `json:"op"`
}

// GroupsLineSaid is what the superblock says of a group.
type GroupsLineSaid struct {
	LogView    int `json:"log_view"`
	Checkpoint int `json:"checkpoint"`
}

// GroupsLineFound is what a boot found of a group.
type GroupsLineFound struct {
	Said GroupsLineSaid `json:"said"`
	// Snapshot is the op of the newest one, Head that of the log above it.
	Snapshot int  `json:"snapshot"`
	LogView  int  `json:"log_view"`
	Head     int  `json:"head"`
	InDoubt  bool `json:"in_doubt,omitempty"`
	// Bodies are the ops whose bodies the log finds.
	Bodies []int `json:"bodies"`
}

// String is the line as it is written.
func (l GroupsLine) String() string { return textOf(l) }
