package sessions

// Bug is a deliberate defect of a replica or a client: a mutant, which an invariant
// must catch. The values are the names in Sessions!BugNames.
type Bug string

// The mutants of Sessions.tla.
const (
	// DedupOnlyInMemory (R17): a restart loses watermarks and replies. Breaks AtMostOnce.
	DedupOnlyInMemory Bug = "dedup_only_in_memory"
	// TableNotInCheckpoint (R17): a restart begins with an empty table. Breaks OverTrue.
	TableNotInCheckpoint Bug = "table_not_in_checkpoint"
	// SnapshotLosesSlots (R17): rows are packed at a restart. Breaks TablesEqual.
	SnapshotLosesSlots Bug = "snapshot_loses_slots"
	// SnapshotLosesRing (R17): a snapshot holds the newest reply only. Breaks TablesEqual.
	SnapshotLosesRing Bug = "snapshot_loses_ring"
	// EvictionOrderByLocalTime (R18): each replica chooses its own victim. Breaks
	// TablesEqual.
	EvictionOrderByLocalTime Bug = "eviction_order_by_local_time"
	// CapacityOfOwnConfig (R18): replicas differ in capacity. Breaks TablesEqual.
	CapacityOfOwnConfig Bug = "capacity_of_own_config"
	// SessionFromCounterNotOp (R18): a row counts its sessions: 1, 2, .... Breaks
	// DeadStaysDead.
	SessionFromCounterNotOp Bug = "session_from_counter_not_op"
	// OldRegisterAccepted (R18): a late Register of a lower number rebinds. Breaks
	// OnlyEviction.
	OldRegisterAccepted Bug = "old_register_accepted"
	// RegisterNotIdempotent (R18): so does a duplicate. Breaks OnlyEviction.
	RegisterNotIdempotent Bug = "register_not_idempotent"
	// LogoutReplayed (R18): a late Logout ends a newer session. Breaks OnlyEviction.
	LogoutReplayed Bug = "logout_replayed"
	// RequestOfOldSessionExecutes (R18): execution compares the client only. Breaks
	// RefusedNever.
	RequestOfOldSessionExecutes Bug = "request_of_old_session_executes"
	// RequestWithoutSessionExecutes (R18): execution trusts preflight, though the row is
	// gone. Breaks DeadStaysDead.
	RequestWithoutSessionExecutes Bug = "request_without_session_executes"
	// DuplicateInPipeline (R18): execution does not compare the number. Breaks AtMostOnce
	// and NumberOnce.
	DuplicateInPipeline Bug = "duplicate_in_pipeline"
	// RingTooSmallReexecutes (R18): an old number without a reply executes again. Breaks
	// AtMostOnce.
	RingTooSmallReexecutes Bug = "ring_too_small_reexecutes"
	// GapsAllowed (R18): any number above the watermark executes. Breaks GoneIsForeign.
	GapsAllowed Bug = "gaps_allowed"
	// GoneIsSuccess (R18): the client takes "gone" for its own success. Breaks
	// PositiveExecuted.
	GoneIsSuccess Bug = "gone_is_success"
	// WindowCountsOpen (R18): the window is a count of open requests, not a span. Breaks
	// GoneIsForeign.
	WindowCountsOpen Bug = "window_counts_open"
	// ReplyCachedBeforeCommit (R19): a retry is answered from a prepared request. Breaks
	// PositiveExecuted.
	ReplyCachedBeforeCommit Bug = "reply_cached_before_commit"
	// PreflightOnStalePrimary (R18): "over" for a session that it has not heard of yet.
	// Breaks OverTrue.
	PreflightOnStalePrimary Bug = "preflight_on_stale_primary"
	// RefusalWhileInFlight (R18): "not accepted" is taken as final. Breaks RefusedNever.
	RefusalWhileInFlight Bug = "refusal_while_in_flight"
	// OverIsRefusal (R18): "over" is taken for "never executed". Breaks RefusedNever.
	OverIsRefusal Bug = "over_is_refusal"
	// BirthIgnored (R18): the client trusts a new row's watermark: iggy#3905. Breaks
	// RefusedNever.
	BirthIgnored Bug = "birth_ignored"
	// ChecksumIgnored (R18): other bytes get the cached reply. Breaks ReplyRight.
	ChecksumIgnored Bug = "checksum_ignored"
	// ReplyWithoutChecksum (R18): the client compares no checksum. Breaks
	// PositiveExecuted.
	ReplyWithoutChecksum Bug = "reply_without_checksum"
	// ReplyMatchedByNumber (R18): the client takes a reply of a session before born.
	// Breaks PositiveExecuted.
	ReplyMatchedByNumber Bug = "reply_matched_by_number"
	// ClientSkipsNumber (R18): the client gives up a number within its session. Breaks
	// NoStuck.
	ClientSkipsNumber Bug = "client_skips_number"
	// DeadSessionUnanswered (R18): no answer to a request of an ended session. Breaks
	// NoStuck.
	DeadSessionUnanswered Bug = "dead_session_unanswered"
	// OwnerInPreflightOnly (R18): execution rebinds whoever asks. Breaks OwnerOnly.
	OwnerInPreflightOnly Bug = "owner_in_preflight_only"
	// SessionToldToAnyone (R18): the answer to Register compares no owner. Breaks
	// OwnerOnly.
	SessionToldToAnyone Bug = "session_told_to_anyone"
	// CapacityNotInCheckpoint (R17): a restart goes back to the capacity at the start.
	// Breaks CapacityAgreed.
	CapacityNotInCheckpoint Bug = "capacity_not_in_checkpoint"
	// TransferPacksSlots (R21): a transfer moves rows to the first slots. Breaks
	// TablesEqual.
	TransferPacksSlots Bug = "transfer_packs_slots"
	// NumbersStartAgain (R18): upstream's client begins at 1 under an id it had. Breaks
	// PositiveExecuted.
	NumbersStartAgain Bug = "numbers_start_again"
)

// Bugs returns all mutants, in the order of Sessions!BugNames.
func Bugs() []Bug {
	return []Bug{
		DedupOnlyInMemory, TableNotInCheckpoint, SnapshotLosesSlots, SnapshotLosesRing,
		EvictionOrderByLocalTime, CapacityOfOwnConfig, SessionFromCounterNotOp,
		OldRegisterAccepted, RegisterNotIdempotent, LogoutReplayed,
		RequestOfOldSessionExecutes, RequestWithoutSessionExecutes, DuplicateInPipeline,
		RingTooSmallReexecutes, GapsAllowed, GoneIsSuccess, WindowCountsOpen,
		ReplyCachedBeforeCommit, PreflightOnStalePrimary, RefusalWhileInFlight, OverIsRefusal,
		BirthIgnored, ChecksumIgnored, ReplyWithoutChecksum, ReplyMatchedByNumber,
		ClientSkipsNumber, DeadSessionUnanswered, OwnerInPreflightOnly, SessionToldToAnyone,
		CapacityNotInCheckpoint, TransferPacksSlots, NumbersStartAgain,
	}
}

// bugSwitches are the mutants that are on, as fields: the steps look at them millions
// of times a second.
type bugSwitches struct {
	dedupOnlyInMemory             bool
	tableNotInCheckpoint          bool
	snapshotLosesSlots            bool
	snapshotLosesRing             bool
	evictionOrderByLocalTime      bool
	capacityOfOwnConfig           bool
	sessionFromCounterNotOp       bool
	oldRegisterAccepted           bool
	registerNotIdempotent         bool
	logoutReplayed                bool
	requestOfOldSessionExecutes   bool
	requestWithoutSessionExecutes bool
	duplicateInPipeline           bool
	ringTooSmallReexecutes        bool
	gapsAllowed                   bool
	goneIsSuccess                 bool
	windowCountsOpen              bool
	replyCachedBeforeCommit       bool
	preflightOnStalePrimary       bool
	refusalWhileInFlight          bool
	overIsRefusal                 bool
	birthIgnored                  bool
	checksumIgnored               bool
	replyWithoutChecksum          bool
	replyMatchedByNumber          bool
	clientSkipsNumber             bool
	deadSessionUnanswered         bool
	ownerInPreflightOnly          bool
	sessionToldToAnyone           bool
	capacityNotInCheckpoint       bool
	transferPacksSlots            bool
	numbersStartAgain             bool
}

// switches sets the fields of the given mutants.
func switches(bugs []Bug) bugSwitches {
	var s bugSwitches
	on := map[Bug]*bool{
		DedupOnlyInMemory:             &s.dedupOnlyInMemory,
		TableNotInCheckpoint:          &s.tableNotInCheckpoint,
		SnapshotLosesSlots:            &s.snapshotLosesSlots,
		SnapshotLosesRing:             &s.snapshotLosesRing,
		EvictionOrderByLocalTime:      &s.evictionOrderByLocalTime,
		CapacityOfOwnConfig:           &s.capacityOfOwnConfig,
		SessionFromCounterNotOp:       &s.sessionFromCounterNotOp,
		OldRegisterAccepted:           &s.oldRegisterAccepted,
		RegisterNotIdempotent:         &s.registerNotIdempotent,
		LogoutReplayed:                &s.logoutReplayed,
		RequestOfOldSessionExecutes:   &s.requestOfOldSessionExecutes,
		RequestWithoutSessionExecutes: &s.requestWithoutSessionExecutes,
		DuplicateInPipeline:           &s.duplicateInPipeline,
		RingTooSmallReexecutes:        &s.ringTooSmallReexecutes,
		GapsAllowed:                   &s.gapsAllowed,
		GoneIsSuccess:                 &s.goneIsSuccess,
		WindowCountsOpen:              &s.windowCountsOpen,
		ReplyCachedBeforeCommit:       &s.replyCachedBeforeCommit,
		PreflightOnStalePrimary:       &s.preflightOnStalePrimary,
		RefusalWhileInFlight:          &s.refusalWhileInFlight,
		OverIsRefusal:                 &s.overIsRefusal,
		BirthIgnored:                  &s.birthIgnored,
		ChecksumIgnored:               &s.checksumIgnored,
		ReplyWithoutChecksum:          &s.replyWithoutChecksum,
		ReplyMatchedByNumber:          &s.replyMatchedByNumber,
		ClientSkipsNumber:             &s.clientSkipsNumber,
		DeadSessionUnanswered:         &s.deadSessionUnanswered,
		OwnerInPreflightOnly:          &s.ownerInPreflightOnly,
		SessionToldToAnyone:           &s.sessionToldToAnyone,
		CapacityNotInCheckpoint:       &s.capacityNotInCheckpoint,
		TransferPacksSlots:            &s.transferPacksSlots,
		NumbersStartAgain:             &s.numbersStartAgain,
	}
	for _, b := range bugs {
		*on[b] = true
	}
	return s
}
