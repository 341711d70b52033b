package merge

// Bug is a deliberate defect: a mutant, which an invariant must catch. The values are
// the names in MergeVote!BugNames.
type Bug string

// The mutants of Merge.tla.
const (
	// VoteForgetsHollow (R12): a vote leaves out headers without a body. Breaks CommittedKept.
	VoteForgetsHollow Bug = "vote_forgets_hollow"
	// NackFaulty (R12): a faulty slot is nacked. Breaks CommittedKept.
	NackFaulty Bug = "nack_faulty"
	// NackInDoubt (R12): so is an op in doubt. Breaks CommittedKept.
	NackInDoubt Bug = "nack_in_doubt"
	// AdoptedNeverNacks (R12): no adopted op is ever nacked. Breaks QuorumDecides and NoBlock.
	AdoptedNeverNacks Bug = "adopted_never_nacks"
	// PresentByOp (R12): bodies are proved and fetched by op alone. Breaks BodyTrue.
	PresentByOp Bug = "present_by_op"
	// PresentTopOnly (R12): only votes of the highest log view prove. Breaks QuorumDecides.
	PresentTopOnly Bug = "present_top_only"
	// LongestIgnoresLogView (R12): the canonical log is the longest of all. Breaks
	// CommittedKept and OneCommit.
	LongestIgnoresLogView Bug = "longest_ignores_log_view"
	// KeepSuperseded (R12): what a longer, older log holds is appended. Breaks LogMatching.
	KeepSuperseded Bug = "keep_superseded"
	// CanonicalOfTrustedOnly (R12): headers are taken from trusted votes only. Breaks
	// CommittedKept.
	CanonicalOfTrustedOnly Bug = "canonical_of_trusted_only"
	// DropBelowCommit (R12): the merged commit protects nothing. Breaks KnownKept.
	DropBelowCommit Bug = "drop_below_commit"
	// DropWithoutNacks (R12): an open op is dropped at once. Breaks CommittedKept.
	DropWithoutNacks Bug = "drop_without_nacks"
	// NackQuorumMinusOne (R12): one nack too few drops. Breaks CommittedKept.
	NackQuorumMinusOne Bug = "nack_quorum_minus_one"
	// NoLastResort (R12): "replicated": all votes, no body: blocked. Breaks NoBlock.
	NoLastResort Bug = "no_last_resort"
	// LastResortWhenPersisted (R12): "persisted": all votes, no body: dropped. Breaks
	// CommittedKept.
	LastResortWhenPersisted Bug = "last_resort_when_persisted"
	// LastResortIgnoresFaulty (R12): dropped though a quorum knows of its loss. Breaks
	// CommittedKept.
	LastResortIgnoresFaulty Bug = "last_resort_ignores_faulty"
	// RedoForgetsFetched (R12): a body fetched after the votes proves nothing. Breaks
	// CommittedKept.
	RedoForgetsFetched Bug = "redo_forgets_fetched"
	// MergeNotRedone (R12): a parked primary takes no further votes. Breaks NoWait.
	MergeNotRedone Bug = "merge_not_redone"
	// MergeKeptOverViews (R12): a parked merge outlives its view. Breaks CommittedKept.
	MergeKeptOverViews Bug = "merge_kept_over_views"
	// PrepareOKOfAnyView (R12): a commit counts acknowledgements of old views. Breaks
	// NackTrue.
	PrepareOKOfAnyView Bug = "prepare_ok_of_any_view"
	// StartBeforeRepair (R13): a new primary starts without the bodies. Breaks PrimaryWhole.
	StartBeforeRepair Bug = "start_before_repair"
	// StartWithRottenBody (R13): it does not look again at what it had fetched. Breaks
	// PrimaryWhole.
	StartWithRottenBody Bug = "start_with_rotten_body"
	// DisplacedIsStored (R13): a body that gave way to a fetched one still proves. Breaks
	// SlotTrue.
	DisplacedIsStored Bug = "displaced_is_stored"
	// CutRottenTail (R14): a rotten last record is cut as a torn tail. Breaks CommittedKept.
	CutRottenTail Bug = "cut_rotten_tail"
	// UntrustedNacks (R15): an untrusted log nacks. Breaks NackTrue and CommittedKept.
	UntrustedNacks Bug = "untrusted_nacks"
	// UntrustedCounts (R15): its vote makes up a quorum. Breaks CommittedKept.
	UntrustedCounts Bug = "untrusted_counts"
	// LostIsHollow (R15): a body not found at boot never came. Breaks NackTrue and
	// CommittedKept.
	LostIsHollow Bug = "lost_is_hollow"
	// AdoptionClearsDoubt (R15): what an untrusted log adopts is not in doubt. Breaks
	// NackTrue.
	AdoptionClearsDoubt Bug = "adoption_clears_doubt"
	// RestartClearsDoubt (R15): doubt is not durable. Breaks NackTrue and CommittedKept.
	RestartClearsDoubt Bug = "restart_clears_doubt"
	// DoubtEndsBelowBase (R15): what lay below an earlier base never came. Breaks NackTrue.
	DoubtEndsBelowBase Bug = "doubt_ends_below_base"
	// HollowOutlivesRestart (R15): an untrusted log says that a body never came. Breaks
	// DoubtWide.
	HollowOutlivesRestart Bug = "hollow_outlives_restart"
	// AdoptionKeepsDoubt (R15): doubt outlives the adoption of a log. Breaks DoubtEnds.
	AdoptionKeepsDoubt Bug = "adoption_keeps_doubt"
	// DoubtfulNotRepaired (R15): a body in doubt is not asked for. Breaks DoubtEnds.
	DoubtfulNotRepaired Bug = "doubtful_not_repaired"
	// VoteBeforeQuorum (R16): a vote leaves before a quorum has left its view. Breaks
	// CommittedKept.
	VoteBeforeQuorum Bug = "vote_before_quorum"
	// WipedVotes (R16): a wiped replica votes with its empty log. Breaks CommittedKept.
	WipedVotes Bug = "wiped_votes"
	// WipedAnyView (R16): it adopts the log of any view. Breaks CommittedKept.
	WipedAnyView Bug = "wiped_any_view"
	// WipedIsTrusted (R16): what it adopts is not in doubt. Breaks NackTrue and
	// CommittedKept.
	WipedIsTrusted Bug = "wiped_is_trusted"
)

// Bugs returns all mutants, in the order of MergeVote!BugNames.
func Bugs() []Bug {
	return []Bug{
		VoteForgetsHollow, NackFaulty, NackInDoubt, AdoptedNeverNacks, PresentByOp,
		PresentTopOnly, LongestIgnoresLogView, KeepSuperseded, CanonicalOfTrustedOnly,
		DropBelowCommit, DropWithoutNacks, NackQuorumMinusOne, NoLastResort,
		LastResortWhenPersisted, LastResortIgnoresFaulty, RedoForgetsFetched, MergeNotRedone,
		MergeKeptOverViews, PrepareOKOfAnyView, StartBeforeRepair, StartWithRottenBody,
		DisplacedIsStored, CutRottenTail, UntrustedNacks, UntrustedCounts, LostIsHollow,
		AdoptionClearsDoubt, RestartClearsDoubt, DoubtEndsBelowBase, HollowOutlivesRestart,
		AdoptionKeepsDoubt, DoubtfulNotRepaired, VoteBeforeQuorum, WipedVotes, WipedAnyView,
		WipedIsTrusted,
	}
}

// bugSwitches are the mutants that are on, as fields: the steps look at them millions
// of times a second.
type bugSwitches struct {
	voteForgetsHollow       bool
	nackFaulty              bool
	nackInDoubt             bool
	adoptedNeverNacks       bool
	presentByOp             bool
	presentTopOnly          bool
	longestIgnoresLogView   bool
	keepSuperseded          bool
	canonicalOfTrustedOnly  bool
	dropBelowCommit         bool
	dropWithoutNacks        bool
	nackQuorumMinusOne      bool
	noLastResort            bool
	lastResortWhenPersisted bool
	lastResortIgnoresFaulty bool
	redoForgetsFetched      bool
	mergeNotRedone          bool
	mergeKeptOverViews      bool
	prepareOKOfAnyView      bool
	startBeforeRepair       bool
	startWithRottenBody     bool
	displacedIsStored       bool
	cutRottenTail           bool
	untrustedNacks          bool
	untrustedCounts         bool
	lostIsHollow            bool
	adoptionClearsDoubt     bool
	restartClearsDoubt      bool
	doubtEndsBelowBase      bool
	hollowOutlivesRestart   bool
	adoptionKeepsDoubt      bool
	doubtfulNotRepaired     bool
	voteBeforeQuorum        bool
	wipedVotes              bool
	wipedAnyView            bool
	wipedIsTrusted          bool
}

// switches sets the fields of the given mutants.
func switches(bugs []Bug) bugSwitches {
	var s bugSwitches
	on := map[Bug]*bool{
		VoteForgetsHollow:       &s.voteForgetsHollow,
		NackFaulty:              &s.nackFaulty,
		NackInDoubt:             &s.nackInDoubt,
		AdoptedNeverNacks:       &s.adoptedNeverNacks,
		PresentByOp:             &s.presentByOp,
		PresentTopOnly:          &s.presentTopOnly,
		LongestIgnoresLogView:   &s.longestIgnoresLogView,
		KeepSuperseded:          &s.keepSuperseded,
		CanonicalOfTrustedOnly:  &s.canonicalOfTrustedOnly,
		DropBelowCommit:         &s.dropBelowCommit,
		DropWithoutNacks:        &s.dropWithoutNacks,
		NackQuorumMinusOne:      &s.nackQuorumMinusOne,
		NoLastResort:            &s.noLastResort,
		LastResortWhenPersisted: &s.lastResortWhenPersisted,
		LastResortIgnoresFaulty: &s.lastResortIgnoresFaulty,
		RedoForgetsFetched:      &s.redoForgetsFetched,
		MergeNotRedone:          &s.mergeNotRedone,
		MergeKeptOverViews:      &s.mergeKeptOverViews,
		PrepareOKOfAnyView:      &s.prepareOKOfAnyView,
		StartBeforeRepair:       &s.startBeforeRepair,
		StartWithRottenBody:     &s.startWithRottenBody,
		DisplacedIsStored:       &s.displacedIsStored,
		CutRottenTail:           &s.cutRottenTail,
		UntrustedNacks:          &s.untrustedNacks,
		UntrustedCounts:         &s.untrustedCounts,
		LostIsHollow:            &s.lostIsHollow,
		AdoptionClearsDoubt:     &s.adoptionClearsDoubt,
		RestartClearsDoubt:      &s.restartClearsDoubt,
		DoubtEndsBelowBase:      &s.doubtEndsBelowBase,
		HollowOutlivesRestart:   &s.hollowOutlivesRestart,
		AdoptionKeepsDoubt:      &s.adoptionKeepsDoubt,
		DoubtfulNotRepaired:     &s.doubtfulNotRepaired,
		VoteBeforeQuorum:        &s.voteBeforeQuorum,
		WipedVotes:              &s.wipedVotes,
		WipedAnyView:            &s.wipedAnyView,
		WipedIsTrusted:          &s.wipedIsTrusted,
	}
	for _, b := range bugs {
		*on[b] = true
	}
	return s
}
