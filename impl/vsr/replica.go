package vsr

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Replica is one replica of one group. It is not safe for concurrent use.
type Replica struct {
	config  Config
	quorums Quorums
	rng     jitter
	out     Output

	status Status
	// view is the view the replica is in, logView the last in which it changed its log.
	// Both are durable: see transition.go.
	//
	// Invariants: logView <= view; status normal => logView = view.
	view, logView wire.View
	log           log
	journal       journal
	missing       missing // what is known of bodies that are not stored
	// untrusted: the log may lack ops that this replica acknowledged (R15).
	untrusted bool
	lost      lostDisk // what a replica without a durable identity knows (identity.go)
	// checkpoint is what the newest durable snapshot covers: the log below is released (R17).
	// applied is the identity of commitMin.
	//
	// Invariants: checkpoint <= log base, commitMin; log base <= commitMax.
	checkpoint, applied wire.PrepareID
	appliedAt           uint64          // the timestamp of commitMin
	rebase              rebase          // a new base on its way (checkpoint.go)
	below               []*wire.Prepare // of a hole, not chained yet (hole.go)
	transfer            transfer
	transfers           Transfers
	// commitMin: executed up to here. commitMax: known to be committed up to here.
	//
	// Invariant: commitMin <= commitMax.
	commitMin, commitMax wire.Op
	executing            bool           // commitMin+1 is with the state machine
	handed               wire.PrepareID // its identity
	handedAt             uint64         // its timestamp
	executed             *Executed      // it came back outside of status normal (commit_walk.go)

	// appending are prepares that are being stored at the head, in op order (normal.go).
	appending []appending
	// stash are prepares that came before their predecessor (stash.go).
	stash stash
	// filling are bodies that are being stored for ops whose header stands (repair.go).
	filling []wire.PrepareID
	// pipeline is the primary's log above commitMax, op order (normal.go).
	pipeline []inFlight
	// transition is a change of view or log that is not durable yet, or nil.
	transition *transition

	svcFrom   replicaSet           // who sent StartViewChange of this view
	votes     []*wire.DoViewChange // of this view, by replica; nil if none
	vote      *wire.DoViewChange   // the own one of this view, once it has been sent
	merged    *merged              // what a new primary is about to start with (R13)
	startView *wire.StartView      // what this primary started its view with

	queue   queue   // requests that wait for a place in the pipeline (queue.go)
	asked   wire.Op // the last op of the window that repair has asked for (repair.go)
	turn    turn    // whom repair asks next (repair_turn.go)
	reads   reads   // linearizable reads that wait at this primary (reads.go)
	timers  timers
	refused [refusalCount]uint64
	// outcomes counts what the votes that this replica has merged came to.
	outcomes outcomeCounts
}

// New returns a replica with what its storage holds.
//
// Errors: a configuration that is not valid, or storage that contradicts itself; each says
// what was expected. Source: R1, R2, R16; spec Restart.
func New(config Config, recovered Recovered) (*Replica, error) {
	config.Limits = config.Limits.withDefaults()
	config.Timers = config.Timers.withDefaults()
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("configure replica: %w", err)
	}
	r := &Replica{
		config: config, quorums: QuorumsOf(config.ReplicaCount), rng: newJitter(config),
		status: StatusNormal,
		votes:  make([]*wire.DoViewChange, config.ReplicaCount),
	}
	if err := r.recover(recovered); err != nil {
		return nil, fmt.Errorf("recover replica %d: %w", config.Replica, err)
	}
	r.timers.rearm(r)
	r.checkInvariants()
	return r, nil
}

// Step applies one input and returns the effects that the host must carry out.
//
// Equal states and inputs give equal states and outputs. The returned slices are valid until
// the next call.
func (r *Replica) Step(in Input) Output {
	r.out.reset()
	switch in := in.(type) {
	case Tick:
		r.onTick()
	case Receive:
		r.onReceive(in.Message)
	case PrepareStored:
		r.onPrepareStored(in.ID)
	case PrepareLost:
		r.onPrepareLost(in.ID)
	case StateStored:
		r.onStateStored(in.LogView)
	case SuperblockStored:
		r.onSuperblockStored(in.Superblock)
	case PreparesRead:
		r.onPreparesRead(in)
	case Executed:
		r.onExecuted(in)
	case NotExecuted:
		r.onNotExecuted(in.ID)
	case Expire:
		r.onExpire(in)
	case ReadRequest:
		r.onReadRequest(in)
	case LeaveView:
		r.startViewChange()
	case RepeatState:
		r.rebase.repeat = true
	case Checkpointed:
		r.onCheckpointed(in.ID)
	case ChunkRead:
		r.onChunkRead(in)
	case ChunkStored:
		r.onChunkStored(in)
	case CheckpointInstalled:
		r.onCheckpointInstalled(in)
	case CheckpointRefused:
		r.onCheckpointRefused(in.ID)
	}
	r.advanceTransfer()
	r.advanceRebase()
	r.advanceTransition()
	r.answerReads()
	r.drainQueue()
	r.checkInvariants()
	return r.out
}

// onReceive checks the sender (R20) and hands the message to its handler. While a transition
// is under way nothing is taken that could change the state which it starts from: whoever is
// owed an answer sends again.
func (r *Replica) onReceive(m wire.Message) {
	if reason := r.checkSender(m); reason != 0 {
		r.refuse(reason, m)
		return
	}
	if r.serve(m) {
		return
	}
	if r.transition != nil {
		r.refuse(RefuseInTransition, m)
		if request, ok := m.(*wire.Request); ok {
			r.deny(request, wire.ReplyNotPrimary) // a client need not wait for a timeout
		}
		return
	}
	switch m := m.(type) {
	case *wire.Request:
		r.onRequest(m)
	case *wire.Prepare:
		r.onPrepare(m)
	case *wire.PrepareOK:
		r.onPrepareOK(m)
	case *wire.Commit:
		r.onCommit(m)
	case *wire.StartViewChange:
		r.onStartViewChange(m)
	case *wire.DoViewChange:
		r.onDoViewChange(m)
	case *wire.StartView:
		r.onStartView(m)
	case *wire.RequestStartView:
		r.onRequestStartView(m)
	case *wire.RepairPrepare:
		r.onRepairPrepare(m)
	case *wire.CheckpointChunk:
		r.onCheckpointChunk(m)
	case *wire.ConfirmView:
		r.onConfirmView(m)
	case *wire.ConfirmViewOK:
		r.onConfirmViewOK(m)
	case *wire.Reply, *wire.RequestPrepares, *wire.RequestCheckpoint:
		r.refuse(RefuseCommand, m)
	}
}

// serve answers the questions that are answered in any status, from the disk.
func (r *Replica) serve(m wire.Message) bool {
	switch m := m.(type) { //nolint:gochecksumtype // all others may change the state
	case *wire.RequestPrepares:
		r.onRequestPrepares(m)
	case *wire.RequestCheckpoint:
		r.onRequestCheckpoint(m)
	default:
		return false
	}
	return true
}

// checkSender returns why a message is not for this replica or not from a peer, or 0.
func (r *Replica) checkSender(m wire.Message) Refusal {
	if m.ClusterID() != r.config.Cluster {
		return RefuseCluster
	}
	if m.GroupID() != r.config.Group {
		return RefuseGroup
	}
	if _, ok := m.(*wire.Request); ok {
		return 0
	}
	if int(m.From()) >= r.config.ReplicaCount || m.From() == r.config.Replica {
		return RefuseSender
	}
	return 0
}

// Clone returns an independent copy: the same inputs give both the same outputs.
func (r *Replica) Clone() *Replica {
	c := *r
	c.out = Output{}
	c.log = r.log.clone()
	c.journal.stored = slices.Clone(r.journal.stored)
	c.below = slices.Clone(r.below)
	c.appending = slices.Clone(r.appending)
	c.missing = r.missing.clone()
	c.filling = slices.Clone(r.filling)
	c.pipeline = slices.Clone(r.pipeline)
	c.queue.requests = slices.Clone(r.queue.requests)
	c.reads = r.reads.clone()
	c.votes = slices.Clone(r.votes)
	if r.transition != nil {
		t := *r.transition
		c.transition = &t
	}
	if r.merged != nil {
		m := *r.merged // repair extends its log
		c.merged = &m
	}
	return &c
}

// Refused returns how often inputs were refused for a reason since the boot.
func (r *Replica) Refused(reason Refusal) uint64 { return r.refused[reason] }

// primaryOf returns the primary of a view.
func (r *Replica) primaryOf(v wire.View) wire.ReplicaID {
	return wire.ReplicaID(uint64(v) % uint64(r.config.ReplicaCount))
}

func (r *Replica) isPrimary() bool {
	return r.status == StatusNormal && r.primaryOf(r.view) == r.config.Replica
}

func (r *Replica) isBackup() bool {
	return r.status == StatusNormal && r.primaryOf(r.view) != r.config.Replica
}

// send queues a message to one replica.
func (r *Replica) send(to wire.ReplicaID, m wire.Message) {
	r.out.Messages = append(r.out.Messages, Envelope{To: to, Message: m})
}

// broadcast queues a message to every other replica.
func (r *Replica) broadcast(m wire.Message) {
	for to := range r.config.ReplicaCount {
		if id := wire.ReplicaID(to); id != r.config.Replica {
			r.send(id, m)
		}
	}
}

// checkInvariants panics if the state contradicts itself; the list is in doc.go.
func (r *Replica) checkInvariants() {
	if r.logView > r.view {
		r.violated("log_view <= view", "log_view=%d view=%d", r.logView, r.view)
	}
	if r.status == StatusNormal && r.logView != r.view {
		r.violated("normal => log_view = view", "log_view=%d view=%d", r.logView, r.view)
	}
	base, checkpoint := r.log.base.Op, r.checkpoint.Op
	if checkpoint > base || checkpoint > r.commitMin || base > r.commitMax {
		r.violated("checkpoint <= log base, commit_min; log base <= commit_max",
			"checkpoint=%d base=%d commit_min=%d commit_max=%d", checkpoint, base, r.commitMin,
			r.commitMax)
	}
	if r.commitMin > r.commitMax || r.commitMin > r.log.head() {
		r.violated("commit_min <= commit_max, head", "commit_min=%d commit_max=%d head=%d",
			r.commitMin, r.commitMax, r.log.head())
	}
	if r.config.Defects != 0 {
		return // a broken rule may well break what follows; the scenario tells it better
	}
	if !r.isPrimary() && len(r.pipeline) > 0 {
		r.violated("only a primary has a pipeline", "pipeline=%d", len(r.pipeline))
	}
	if !r.isPrimary() && len(r.queue.requests) > 0 {
		r.violated("only a primary has a queue", "queue=%d", len(r.queue.requests))
	}
	if r.isPrimary() && wire.Op(len(r.pipeline))+r.commitMax != r.log.head() {
		r.violated("the pipeline is the log above commit_max", "pipeline=%d commit_max=%d head=%d",
			len(r.pipeline), r.commitMax, r.log.head())
	}
	for i := range r.pipeline {
		id := r.pipeline[i].id
		if !r.log.contains(id) || !r.journal.has(id) && !r.missing.isFaulty(id) {
			r.violated("the pipeline is backed by the log and the journal", "id=%v", id)
		}
	}
}

// violated panics with a broken invariant and the state that breaks it.
func (r *Replica) violated(invariant, format string, args ...any) {
	panic(fmt.Sprintf("vsr: replica %d violates %q: %s; status=%s view=%d log_view=%d head=%d "+
		"commit=%d/%d", r.config.Replica, invariant, fmt.Sprintf(format, args...), r.status,
		r.view, r.logView, r.log.head(), r.commitMin, r.commitMax))
}
