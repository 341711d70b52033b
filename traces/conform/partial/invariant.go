package partial

// Invariant is a property of all runs of the protocol that a partial trace can break.
type Invariant int

// The invariants, in the order in which a verdict lists them. Each names the defect that breaks
// it in traces/iggysim/sample.
const (
	// MonotoneViews: no replica's view or log view goes back, its log view is not ahead of its
	// view, and they are equal in normal status (R1, R2). Defect: view_back.
	MonotoneViews Invariant = iota + 1
	// OnePrimary: only the replica that a view names acts as its primary, in normal status, and
	// messages to a primary go to that one. Defect: second_primary.
	OnePrimary
	// QueuedInOrder: a primary queues one op after the other, each with the one before as its
	// parent. Defect: parent_changed.
	QueuedInOrder
	// QueuedFirst: an acknowledgement is counted for an op that is in the pipeline (R3). Defect:
	// not_queued.
	QueuedFirst
	// CountedOnce: each replica's acknowledgement of an op counts once, and the count is that of
	// the replicas. Defect: counted_twice.
	CountedOnce
	// SameChecksum: all acknowledgements of an op are for the prepare that was queued, and an op
	// that reached its quorum keeps its checksum in all later views. Defect: checksum_changed.
	SameChecksum
	// QuorumFirst: a quorum is reached by as many acknowledgements as it needs, and no replica
	// takes an op for committed before that. Defects: commit_early, commit_raised.
	QuorumFirst
	// CommitInOrder: a replica's commit point never goes back, and it executes one op after the
	// other, none above its commit point (R5). Defect: commit_back.
	CommitInOrder
	// SameOutcome: all replicas execute the same request as the same op. Defect: other_request.
	SameOutcome
	// CommitFirst: a reply is for an op that the replica has executed. Defect: early_reply.
	CommitFirst

	invariantEnd
)

// Invariants lists all of them. The caller owns the slice.
func Invariants() []Invariant {
	var all []Invariant
	for i := MonotoneViews; i < invariantEnd; i++ {
		all = append(all, i)
	}
	return all
}

// String is the name that tables and rejections show.
func (i Invariant) String() string {
	switch i {
	case MonotoneViews:
		return "MonotoneViews"
	case OnePrimary:
		return "OnePrimary"
	case QueuedInOrder:
		return "QueuedInOrder"
	case QueuedFirst:
		return "QueuedFirst"
	case CountedOnce:
		return "CountedOnce"
	case SameChecksum:
		return "SameChecksum"
	case QuorumFirst:
		return "QuorumFirst"
	case CommitInOrder:
		return "CommitInOrder"
	case SameOutcome:
		return "SameOutcome"
	case CommitFirst:
		return "CommitFirst"
	case invariantEnd:
	}
	return "unknown"
}

// Unseen says what no trace of this kind can show, and why.
func Unseen() []string {
	return []string{
		"durable before send (R1): no event tells of a write",
		"who a boot is (R4): no event carries an incarnation",
		"execution by backups of the metadata group (R5): they write no event",
		"truncation and repair (R6 to R10): no event lists a log or its holes",
		"what is adopted (R11) and merged (R12): no event lists the headers of a vote or a StartView",
		"recovery and doubt (R14 to R17): no event tells what a disk held",
	}
}
