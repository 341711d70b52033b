package replica

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// executesMax bounds the ops that one call of a host executes, so that a replica which has much
// to catch up with does not hold up the other groups of its shard.
const executesMax = 64

// Config says who a host is. Cluster and Incarnation are the storage's.
type Config struct {
	GroupConfig
	// Timers of the core; vsr.DefaultTimers if zero.
	Timers vsr.Timers
	// Limits bound what the replica holds for clients; those of [DefaultLimits] where zero.
	// Requests share an op as they say. They may differ between the replicas of a group.
	Limits vsr.Limits
	// Seed feeds the jitter of timers.
	Seed uint64
	// Sessions is the client table's; [DefaultSessions] if zero. It must be the same on all
	// replicas of the group.
	Sessions clienttable.Config
	// CheckpointOps is how many ops lie between two checkpoints, at least; zero stands for
	// [DefaultCheckpointOps], a negative number for none but those that the log asks for.
	CheckpointOps int
	// ChunkBytes is how much of a checkpoint is sent at a time; vsr.ChunkBytes if zero.
	ChunkBytes int
	// Suffix is how many headers a vote and a StartView carry at least; vsr.DefaultSuffix if zero.
	Suffix int
	// OnEvent sees each event of the core, if it is not nil.
	OnEvent func(vsr.Event)
	// OnExecute sees each executed op with the answers that its clients are owed, if it is not
	// nil: one, or of a batch one for each request, in order. They are the callee's for the call.
	OnExecute func(*wire.PrepareHeader, []clienttable.Answer)
	// OnRestore sees each op that the machine was put to by a checkpoint, at a boot or by a state
	// transfer, if it is not nil.
	OnRestore func(wire.PrepareID)
	// NoPreflight passes requests on to the core whatever the client table says of them: when
	// they execute, the table decides all the same (R18). It is for checkers, and costs ops.
	NoPreflight bool
	// Core breaks rules of the core on purpose.
	Core vsr.Defects
}

// DefaultSessions is the table of a server.
func DefaultSessions() clienttable.Config {
	return clienttable.Config{
		Shape: clienttable.Numbered, Capacity: 8192, Ring: 5, ReplyBytes: 4096,
	}
}

// DefaultLimits are those of a server: as many requests share an op as have come while the
// pipeline was full. It is short, as a long one makes small batches.
func DefaultLimits() vsr.Limits {
	return vsr.Limits{Pipeline: 8, Queue: 4096, BatchRequests: 256}
}

// withDefaults fills in what is zero, and lets no batch grow beyond what fits into the log.
func withDefaults(l vsr.Limits, bodyMax int) vsr.Limits {
	standard := DefaultLimits()
	if l.Pipeline == 0 {
		l.Pipeline = standard.Pipeline
	}
	if l.Queue == 0 {
		l.Queue = standard.Queue
	}
	if l.BatchRequests == 0 {
		l.BatchRequests = standard.BatchRequests
	}
	if l.BatchBytes == 0 {
		l.BatchBytes = vsr.BatchBytesMax
	}
	l.BatchBytes = min(l.BatchBytes, bodyMax)
	return l
}

// Host is one replica of one group: the core with all that it needs. Use it from one goroutine
// at a time. How to turn the crank is in the package comment.
type Host struct {
	config   Config
	core     *vsr.Replica
	storage  *Storage
	group    *group
	sessions *statemachine.Sessions
	clock    Clock
	network  Network

	// inputs are what the core is to hear of the host's own work, oldest first.
	inputs []vsr.Input
	// executes are ops that the core wants executed, oldest first.
	executes    []wire.PrepareID
	bodies      bodies
	checkpoints checkpoints
	incoming    incoming
	serving     serving
	// preflight is what this primary has prepared in view and not executed.
	preflight clienttable.Preflight
	view      wire.View
	readers   readers
	// answers are those of the op that was executed last.
	answers []clienttable.Answer

	discarded int
	counters  Counters
}

// Counters count what a host did since its boot.
type Counters struct {
	// Executed ops, and Requests in them; Replies that went out; Refused requests by why.
	Executed, Requests, Replies uint64
	Refused                     [refusalCount]uint64
	// Dropped messages that came while the log was full.
	Dropped uint64
	// Unreadable prepares and answers: a read of the log, or of the machine's files, that failed.
	Unreadable uint64
	// Checkpoints taken, Installed those of other replicas; Refetched whose bytes were no good.
	Checkpoints, Installed, Refetched uint64
	// Repeated state records, so that the log could let go of a file.
	Repeated uint64
}

// NewHost boots a replica from what the storage holds of its group, and takes over the group's
// share of it. machine has executed nothing.
//
// Errors, each in one line: a configuration that is not valid; storage that contradicts it or
// itself; a snapshot that the machine does not take; the disk's. The process cannot host the
// group then, and the storage is as it was.
func NewHost(
	config Config, storage *Storage, machine statemachine.Machine, clock Clock, network Network,
) (*Host, error) {
	if config.Timers == (vsr.Timers{}) {
		config.Timers = vsr.DefaultTimers()
	}
	if config.Sessions == (clienttable.Config{}) {
		config.Sessions = DefaultSessions()
	}
	if config.Policy == 0 {
		config.Policy = vsr.PolicyPersisted
	}
	if config.CheckpointOps == 0 {
		config.CheckpointOps = DefaultCheckpointOps
	}
	if config.ChunkBytes == 0 {
		config.ChunkBytes = vsr.ChunkBytes
	}
	if err := config.Sessions.Validate(); err != nil {
		return nil, fmt.Errorf("host group %d: %w", config.Group, err)
	}
	group, boot, err := storage.boot(config.GroupConfig)
	if err != nil {
		return nil, fmt.Errorf("host group %d: %w", config.Group, err)
	}
	h := &Host{
		config: config, storage: storage, group: group, clock: clock, network: network,
		sessions: statemachine.NewSessions(machine, config.Sessions), discarded: boot.Discarded,
	}
	if err := h.restore(boot.Snapshot); err != nil {
		storage.forget(config.Group)
		return nil, fmt.Errorf("host group %d: %w", config.Group, err)
	}
	h.core, err = vsr.New(vsr.Config{
		Cluster: storage.options.Cluster, Group: config.Group, Replica: config.Replica,
		ReplicaCount: config.ReplicaCount, Policy: config.Policy, Timers: config.Timers,
		Incarnation: storage.options.Incarnation, Seed: config.Seed, Suffix: config.Suffix,
		RecordEvents: config.OnEvent != nil, Defects: config.Core,
		Limits: withDefaults(config.Limits, storage.bodyMax()),
	}, boot.Recovered)
	if err != nil {
		storage.forget(config.Group)
		return nil, fmt.Errorf("host group %d: %w", config.Group, err)
	}
	h.report(h.core.BootEvents())
	return h, nil
}

// Tick lets one tick of time pass.
func (h *Host) Tick() {
	h.tickCheckpoints()
	h.step(vsr.Tick{})
}

// Receive takes a message of another replica. The frame has been verified by wire.Decode, and
// its sender by whoever owns the connection (R20); the host keeps the message.
func (h *Host) Receive(m wire.Message) {
	switch m.Command() { //nolint:exhaustive // all others are the core's to judge
	case wire.CommandRequest, wire.CommandReply:
		h.counters.Dropped++ // no replica sends these
		return
	case wire.CommandPrepare:
		if h.full() {
			h.counters.Dropped++ // its sender sends it again (R10)
			return
		}
	case wire.CommandRepairPrepare: // what is missing here is taken: the checkpoint waits for it
		if h.storage.Full() {
			h.counters.Dropped++ // its sender sends it again (R10)
			return
		}
	}
	h.step(vsr.Receive{Message: m})
}

// Complete takes note of what the storage has done for this group.
func (h *Host) Complete(done Completion) {
	switch {
	case done.checkpoint != nil:
		h.onCheckpoint(done.checkpoint)
	case done.input != nil:
		h.step(done.input)
	}
}

// LeaveView makes the replica start a view change now: an operator's wish.
func (h *Host) LeaveView() { h.step(vsr.LeaveView{}) }

// Busy says whether executions are left over, for [Host.Work].
func (h *Host) Busy() bool { return len(h.executes) > 0 }

// Work goes on with executions that are left over.
func (h *Host) Work() { h.run() }

// Group returns the group that the host is of.
func (h *Host) Group() wire.GroupID { return h.config.Group }

// Standing returns where the replica stands.
func (h *Host) Standing() vsr.Standing { return h.core.Standing() }

// Doubts says whether the replica has an untrusted log or a doubtful op, as [Host.Standing] shows.
func (h *Host) Doubts() bool { return h.core.Doubts() }

// Wiped is [vsr.Standing].Wiped.
func (h *Host) Wiped() bool { return h.core.Wiped() }

// Stop is [vsr.Standing].Stop.
func (h *Host) Stop() vsr.StopReason { return h.core.Stop() }

// State returns the projection of the replica that traces show.
func (h *Host) State() vsr.State { return h.core.State() }

// Refused returns how often the core refused an input for a reason.
func (h *Host) Refused(reason vsr.Refusal) uint64 { return h.core.Refused(reason) }

// Merged returns how often votes came to an outcome at this replica (R12).
func (h *Host) Merged(outcome vsr.Outcome) uint64 { return h.core.Merged(outcome) }

// Counters returns what the host has counted.
func (h *Host) Counters() Counters { return h.counters }

// Discarded returns how many records of the group the boot found without a place in its log.
func (h *Host) Discarded() int { return h.discarded }

// Sessions returns the machine behind its client table, to be looked at.
func (h *Host) Sessions() *statemachine.Sessions { return h.sessions }

// Query asks the machine something that is not in the log; nil if it answers no questions. The
// answer is of this replica's state at [vsr.Standing].CommitMin: serializable, maybe stale (R19).
//
// Errors: a part of the state lies in a file that cannot be read; there is no answer then, but
// another replica may have one.
func (h *Host) Query(code uint32, body []byte) ([]byte, error) {
	answer := h.sessions.Query(code, body)
	if err := h.sessions.Unreadable(); err != nil {
		h.counters.Unreadable++
		return nil, fmt.Errorf("query group %d: %w", h.config.Group, err)
	}
	return answer, nil
}

// step gives the core an input and then does all that follows from it.
func (h *Host) step(in vsr.Input) {
	h.inputs = append(h.inputs, in)
	h.run()
}

// run steps the core until nothing follows any more, or enough has been executed for once.
func (h *Host) run() {
	for executed := 0; ; {
		switch {
		case len(h.inputs) > 0:
			in := h.inputs[0]
			h.inputs = slices.Delete(h.inputs, 0, 1)
			h.carryOut(h.core.Step(in))
		case len(h.executes) > 0 && executed < executesMax:
			executed++
			h.execute()
		default:
			return
		}
	}
}

// carryOut does what the core asks for. Nothing of it depends on the rest (impl/vsr Output).
func (h *Host) carryOut(out vsr.Output) {
	h.report(out.Events) // before anybody can hear of it
	if len(out.StorePrepares) > 0 {
		h.prepared(out.StorePrepares)
		h.storage.storePrepares(h.group, out.StorePrepares)
	}
	if out.StoreState != nil {
		h.storage.storeState(h.group, out.StoreState)
	}
	if out.StoreSuperblock != nil {
		h.storage.storeSuperblock(h.group, *out.StoreSuperblock, h.core.Standing().CommitMax)
	}
	for _, e := range out.Messages {
		h.network.Send(h.config.Group, e.To, e.Message)
	}
	for _, read := range out.Reads {
		h.read(read)
	}
	h.carryOutTransfer(&out)
	if out.Release > 0 {
		h.storage.release(h.group, out.Release)
	}
	h.executes = append(h.executes, out.Executes...)
	h.answerReads(&out)
	for _, reply := range out.Replies {
		h.onReply(reply)
	}
}

// read answers a read of the core with the prepares that can be read; what cannot is lost.
func (h *Host) read(read vsr.Read) {
	answer := vsr.PreparesRead{To: read.To}
	for _, id := range read.IDs {
		p, err := h.body(id)
		if err != nil {
			h.inputs = append(h.inputs, vsr.PrepareLost{ID: id})
			continue
		}
		answer.Prepares = append(answer.Prepares, p)
	}
	if len(answer.Prepares) > 0 {
		h.inputs = append(h.inputs, answer)
	}
}

// body returns a stored prepare: most are wanted soon after they were stored.
func (h *Host) body(id wire.PrepareID) (*wire.Prepare, error) {
	if p := h.bodies.get(id); p != nil {
		return p, nil
	}
	p, err := h.storage.Read(h.config.Group, id)
	if err != nil {
		h.counters.Unreadable++
	}
	return p, err
}

func (h *Host) report(events []vsr.Event) {
	if h.config.OnEvent == nil {
		return
	}
	for _, e := range events {
		h.config.OnEvent(e)
	}
}
