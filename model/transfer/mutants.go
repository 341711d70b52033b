package transfer

// Bug is a deliberate defect of a replica: a mutant, which an invariant must catch. The
// values are the names in Transfer!BugNames.
type Bug string

// The mutants of Transfer.tla.
const (
	// SuffixlessAdoptionTrustsOldEntries (R11): adoption keeps all below the head. Breaks
	// Agreement.
	SuffixlessAdoptionTrustsOldEntries Bug = "suffixless_adoption_trusts_old_entries"
	// NoChainCheckBelowSuffix (R11): adoption keeps all below the suffix. Breaks Agreement.
	NoChainCheckBelowSuffix Bug = "no_chain_check_below_suffix"
	// WalkByOpNotChecksum (R5): the walk takes any body of that op. Breaks Agreement.
	WalkByOpNotChecksum Bug = "walk_by_op_not_checksum"
	// StartviewNeverRaisesHead (R7): a StartView of the own view is ignored. Breaks
	// NoStall.
	StartviewNeverRaisesHead Bug = "startview_never_raises_head"
	// StartviewLowersHead (R7): an old StartView of the own view is adopted. Breaks
	// AckedDurable.
	StartviewLowersHead Bug = "startview_lowers_head"
	// LateAnswerToProbe (R4): a recovering replica adopts an old StartView. Breaks
	// AckedDurable.
	LateAnswerToProbe Bug = "late_answer_to_probe"
	// RepairStopsAtCommit (R9): asks for no body above commit max. Breaks NoStall.
	RepairStopsAtCommit Bug = "repair_stops_at_commit"
	// ServeStopsAtCommit (R9): serves no body above commit max. Breaks NoStall.
	ServeStopsAtCommit Bug = "serve_stops_at_commit"
	// WindowStandsStill (R9): the window is counted from commit min. Breaks NoStall.
	WindowStandsStill Bug = "window_stands_still"
	// AcksCarryNoCommit (R11): a primary does not learn of backups. Breaks NoStall.
	AcksCarryNoCommit Bug = "acks_carry_no_commit"
	// BarrierNeverLowered (R11): boot's barrier outlives its suffix. Breaks NoStall.
	BarrierNeverLowered Bug = "barrier_never_lowered"
	// NoBarrier (R11): a primary admits requests at once. Breaks Admission.
	NoBarrier Bug = "no_barrier"
	// HoleDisowns (R12): a vote with a hole disowns the op. Breaks AckedDurable.
	HoleDisowns Bug = "hole_disowns"
	// ViewChangeKeepsTransfer (R21): a fetch goes on without the log it is for. Breaks
	// FetchFollows.
	ViewChangeKeepsTransfer Bug = "view_change_keeps_transfer"
	// ViewChangeDropsInstall (R21): an install is dropped half done. Breaks
	// SnapshotExecuted.
	ViewChangeDropsInstall Bug = "view_change_drops_install"
	// TransferKeepsDeadSuffix (R21): an old log is kept above the target. Breaks Agreement.
	TransferKeepsDeadSuffix Bug = "transfer_keeps_dead_suffix"
	// TransferJumpsViewBeforeLog (R21): the new log view with a truncated log. Breaks
	// AckedDurable.
	TransferJumpsViewBeforeLog Bug = "transfer_jumps_view_before_log"
	// VoteWhileTransferringWithOldLog (R21): the new log view with the old log. Breaks
	// Agreement.
	VoteWhileTransferringWithOldLog Bug = "vote_while_transferring_with_old_log"
	// TransferRewinds (R21): the walk goes on, the install goes back. Breaks NoRewind.
	TransferRewinds Bug = "transfer_rewinds"
	// InstallTruncates (R21): an install drops the log above its target. Breaks
	// AckedDurable.
	InstallTruncates Bug = "install_truncates"
	// AckWhileTransferring (R21): the same, and it acknowledges meanwhile. Breaks
	// AckedDurable.
	AckWhileTransferring Bug = "ack_while_transferring"
	// AcksWithheldStayWithheld (R21): an abandoned transfer leaves them owed. Breaks
	// NoStall.
	AcksWithheldStayWithheld Bug = "acks_withheld_stay_withheld"
	// InstallNotAtomic (R21): the release comes before the snapshot. Breaks Bootable.
	InstallNotAtomic Bug = "install_not_atomic"
	// PairingBeforeSnapshot (R17): the pairing names a snapshot yet to come. Breaks
	// Bootable.
	PairingBeforeSnapshot Bug = "pairing_before_snapshot"
	// ServeCheckpointAheadOfCommit (R21): a head is offered, and nobody compares. Breaks
	// Agreement and CommitKnown.
	ServeCheckpointAheadOfCommit Bug = "serve_checkpoint_ahead_of_commit"
	// StickyRepairPeer (R21): never another sender. Breaks NoStall.
	StickyRepairPeer Bug = "sticky_repair_peer"
	// ChunksOfTwoCheckpoints (R21): chunks of another checkpoint are added. Breaks
	// Agreement.
	ChunksOfTwoCheckpoints Bug = "chunks_of_two_checkpoints"
	// ElectNeverTransfers (R21): only a backup transfers. Breaks NoStall.
	ElectNeverTransfers Bug = "elect_never_transfers"
	// NoTransfer (R21): release, but no transfer. Breaks NoStall.
	NoTransfer Bug = "no_transfer"
	// Loose (R21): any live peer's checkpoint. Breaks LogSpeaks. This is the rejected
	// variant.
	Loose Bug = "loose"
)

// Bugs returns all mutants, in the order of Transfer!BugNames.
func Bugs() []Bug {
	return []Bug{
		SuffixlessAdoptionTrustsOldEntries, NoChainCheckBelowSuffix, WalkByOpNotChecksum,
		StartviewNeverRaisesHead, StartviewLowersHead, LateAnswerToProbe, RepairStopsAtCommit,
		ServeStopsAtCommit, WindowStandsStill, AcksCarryNoCommit, BarrierNeverLowered,
		NoBarrier, HoleDisowns, ViewChangeKeepsTransfer, ViewChangeDropsInstall,
		TransferKeepsDeadSuffix, TransferJumpsViewBeforeLog, VoteWhileTransferringWithOldLog,
		TransferRewinds, InstallTruncates, AckWhileTransferring, AcksWithheldStayWithheld,
		InstallNotAtomic, PairingBeforeSnapshot, ServeCheckpointAheadOfCommit, StickyRepairPeer,
		ChunksOfTwoCheckpoints, ElectNeverTransfers, NoTransfer, Loose,
	}
}

// bugSwitches are the mutants that are on, as fields: the steps look at them millions
// of times a second.
type bugSwitches struct {
	suffixlessAdoptionTrustsOldEntries bool
	noChainCheckBelowSuffix            bool
	walkByOpNotChecksum                bool
	startviewNeverRaisesHead           bool
	startviewLowersHead                bool
	lateAnswerToProbe                  bool
	repairStopsAtCommit                bool
	serveStopsAtCommit                 bool
	windowStandsStill                  bool
	acksCarryNoCommit                  bool
	barrierNeverLowered                bool
	noBarrier                          bool
	holeDisowns                        bool
	viewChangeKeepsTransfer            bool
	viewChangeDropsInstall             bool
	transferKeepsDeadSuffix            bool
	transferJumpsViewBeforeLog         bool
	voteWhileTransferringWithOldLog    bool
	transferRewinds                    bool
	installTruncates                   bool
	ackWhileTransferring               bool
	acksWithheldStayWithheld           bool
	installNotAtomic                   bool
	pairingBeforeSnapshot              bool
	serveCheckpointAheadOfCommit       bool
	stickyRepairPeer                   bool
	chunksOfTwoCheckpoints             bool
	electNeverTransfers                bool
	noTransfer                         bool
	loose                              bool
}

// switches sets the fields of the given mutants.
func switches(bugs []Bug) bugSwitches {
	var s bugSwitches
	on := map[Bug]*bool{
		SuffixlessAdoptionTrustsOldEntries: &s.suffixlessAdoptionTrustsOldEntries,
		NoChainCheckBelowSuffix:            &s.noChainCheckBelowSuffix,
		WalkByOpNotChecksum:                &s.walkByOpNotChecksum,
		StartviewNeverRaisesHead:           &s.startviewNeverRaisesHead,
		StartviewLowersHead:                &s.startviewLowersHead,
		LateAnswerToProbe:                  &s.lateAnswerToProbe,
		RepairStopsAtCommit:                &s.repairStopsAtCommit,
		ServeStopsAtCommit:                 &s.serveStopsAtCommit,
		WindowStandsStill:                  &s.windowStandsStill,
		AcksCarryNoCommit:                  &s.acksCarryNoCommit,
		BarrierNeverLowered:                &s.barrierNeverLowered,
		NoBarrier:                          &s.noBarrier,
		HoleDisowns:                        &s.holeDisowns,
		ViewChangeKeepsTransfer:            &s.viewChangeKeepsTransfer,
		ViewChangeDropsInstall:             &s.viewChangeDropsInstall,
		TransferKeepsDeadSuffix:            &s.transferKeepsDeadSuffix,
		TransferJumpsViewBeforeLog:         &s.transferJumpsViewBeforeLog,
		VoteWhileTransferringWithOldLog:    &s.voteWhileTransferringWithOldLog,
		TransferRewinds:                    &s.transferRewinds,
		InstallTruncates:                   &s.installTruncates,
		AckWhileTransferring:               &s.ackWhileTransferring,
		AcksWithheldStayWithheld:           &s.acksWithheldStayWithheld,
		InstallNotAtomic:                   &s.installNotAtomic,
		PairingBeforeSnapshot:              &s.pairingBeforeSnapshot,
		ServeCheckpointAheadOfCommit:       &s.serveCheckpointAheadOfCommit,
		StickyRepairPeer:                   &s.stickyRepairPeer,
		ChunksOfTwoCheckpoints:             &s.chunksOfTwoCheckpoints,
		ElectNeverTransfers:                &s.electNeverTransfers,
		NoTransfer:                         &s.noTransfer,
		Loose:                              &s.loose,
	}
	for _, b := range bugs {
		*on[b] = true
	}
	return s
}
