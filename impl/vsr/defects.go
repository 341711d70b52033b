package vsr

import "fmt"

// Defects are rules broken on purpose, each the counterpart of a mutant in spec/Replica.tla,
// spec/MergeVote.tla, spec/Merge.tla or spec/Transfer.tla.
// They exist so that every check can be seen to fail: the twin of a scenario runs with one.
type Defects uint16

// The defects that a core can have.
const (
	// DefectStallIsPipeline gives the core upstream's second commit driver and the detector
	// that takes the pipeline's head for a stall (R5, R6, R7; seed 000).
	DefectStallIsPipeline Defects = 1 << iota
	// DefectNarrowRepair ends repair at commit max instead of the head, and drops what comes
	// unasked above it as a gap (R8, R9; seed 001).
	DefectNarrowRepair
	// DefectVolatileView forgets view and log view in a restart (R1, R2; seed 004).
	DefectVolatileView
	// DefectSendFirst sends StartViewChange before its view is durable (R1; seed 004).
	DefectSendFirst
	// DefectNoNonce adopts a StartView that answers no probe while recovering (R4; seed 004).
	DefectNoNonce
	// DefectStartHollow starts a view before the bodies of its log are stored (R13).
	DefectStartHollow
	// DefectLongestLog merges by length before log view (R12).
	DefectLongestLog
	// DefectWipedVotes takes an empty disk for an empty log that can be trusted (R16).
	DefectWipedVotes
	// DefectWipedAnyView adopts whatever view answers after the loss of the disk (R16).
	DefectWipedAnyView
	// DefectTransferRewinds lets the walk go on while a checkpoint is transferred (R21).
	DefectTransferRewinds
	// DefectFetchOutlivesView goes on with a fetch in a view change, without the log that it is
	// for (R21).
	DefectFetchOutlivesView
	// DefectLoose fetches whatever checkpoint a peer offers (R21).
	DefectLoose
)

var defectNames = []struct {
	defect Defects
	name   string
}{
	{DefectStallIsPipeline, "stall_is_pipeline"},
	{DefectNarrowRepair, "narrow_repair"},
	{DefectVolatileView, "volatile_view"},
	{DefectSendFirst, "send_first"},
	{DefectNoNonce, "no_nonce"},
	{DefectStartHollow, "start_hollow"},
	{DefectLongestLog, "longest_log"},
	{DefectWipedVotes, "wiped_votes"},
	{DefectWipedAnyView, "wiped_any_view"},
	{DefectTransferRewinds, "transfer_rewinds"},
	{DefectFetchOutlivesView, "view_change_keeps_transfer"},
	{DefectLoose, "loose"},
}

// ParseDefect returns the defect of a mutant's name.
func ParseDefect(name string) (Defects, error) {
	var known []string
	for _, d := range defectNames {
		if d.name == name {
			return d.defect, nil
		}
		known = append(known, d.name)
	}
	return 0, fmt.Errorf("mutant %q: expected one of %v", name, known)
}

// Has reports whether a defect is switched on.
func (d Defects) Has(defect Defects) bool { return d&defect != 0 }

// atPipelineHead reports whether the next op to execute heads the pipeline.
func (r *Replica) atPipelineHead() bool {
	return len(r.pipeline) > 0 && r.pipeline[0].id.Op == r.commitMin+1
}

// detectStall is the detector of seed 000: a walk that moved nothing although the header stands
// is taken for a missing body, and the log is truncated there.
func (r *Replica) detectStall() {
	op := r.commitMin + 1
	if r.status != StatusNormal || op > r.commitMax || !r.log.has(op) || !r.atPipelineHead() {
		return
	}
	r.log.headers = r.log.headers[:op-1-r.log.base.Op]
	r.emit(Event{Action: ActionStallTruncate, Op: op})
	r.commitPipelineHead()
}

// commitPipelineHead is upstream's second driver: it executes the head of the pipeline, which
// must be in the journal. It reports whether it was.
func (r *Replica) commitPipelineHead() bool {
	id := r.pipeline[0].id
	if !r.log.contains(id) {
		r.violated("committed prepare must be in journal", "op=%d checksum=%v", id.Op, id.Checksum)
	}
	return true
}
