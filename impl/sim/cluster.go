package sim

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Config says what cluster to set up.
type Config struct {
	Seed     uint64
	Replicas int
	Timers   vsr.Timers
	Limits   vsr.Limits
	Defects  vsr.Defects
	// Suffix is vsr.Config's.
	Suffix      int
	Checkpoints Checkpoints
	// Machine makes a replica's state machine, empty.
	Machine func() statemachine.Machine
	// OnEvent sees each event of each replica, in the order in which they happen. May be nil.
	OnEvent func(replica int, event vsr.Event)
	// OnReply sees each reply to a client. May be nil.
	OnReply func(replica int, reply *wire.Reply)
	// OnRead sees each read that can be answered now, OnReadRefused each that is refused. May
	// be nil if no read is asked for.
	OnRead        func(replica int, ready vsr.ReadReady)
	OnReadRefused func(replica int, refused vsr.ReadRefused)
	// OnFetch sees each piece of a checkpoint that a replica wants kept, OnInstall that it wants
	// what it has fetched installed. May be nil.
	OnFetch   func(replica int, chunk *vsr.StoreChunk)
	OnInstall func(replica int)
	// OnServe sees what a replica wants read for a peer or for itself. May be nil.
	OnServe func(replica int, read *vsr.Read)
}

// Cluster is a group of replicas and all that is under way between them.
type Cluster struct {
	config  Config
	members []*Member
	packets []Packet
	sent    int
	// catching turns a panic of a core into caught, and takes the core down: a simulation run
	// reports it with its seed. Elsewhere a contradiction panics.
	catching bool
	caught   string
}

// Member is one replica with its disk and state machine.
type Member struct {
	id       int
	core     *vsr.Replica // nil while down
	machine  statemachine.Machine
	disk     disk
	boots    uint64
	writes   []write
	reads    []vsr.Read
	executes []wire.PrepareID
	// applied is the identity of the last op that the machine has executed, appliedAt its time.
	applied   wire.PrepareID
	appliedAt uint64
	// chunks are questions for bytes of checkpoints; they count as reads.
	chunks        []vsr.ReadChunk
	checkpointing bool // a checkpoint of its own is being written
	fetched       fetched
	// Discarded counts WAL records that the last boot did not adopt.
	Discarded int
}

// Packet is a message under way. Its number is its place in the order of sending.
type Packet struct {
	Number   int
	From, To int
	Frame    []byte
	Message  wire.Message // what the frame says, for whoever chooses
	// damaged says that a fault has changed the frame: it must not be taken for a good one.
	damaged bool
}

// ClusterID is the identity of every simulated cluster.
var ClusterID = wire.ClusterIDOf("simulated")

// NewCluster formats the disks and starts the replicas, in view 0.
func NewCluster(config Config) (*Cluster, error) {
	c := &Cluster{config: config}
	for i := range config.Replicas {
		c.members = append(c.members, &Member{id: i})
		if err := c.Restart(i); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Replicas returns how many replicas the cluster has.
func (c *Cluster) Replicas() int { return len(c.members) }

// Up reports whether the replica runs.
func (c *Cluster) Up(replica int) bool { return c.members[replica].core != nil }

// State returns the projection of a running replica.
func (c *Cluster) State(replica int) vsr.State { return c.members[replica].core.State() }

// Core returns a running replica, nil if it is down. It is to be looked at, not stepped.
func (c *Cluster) Core(replica int) *vsr.Replica { return c.members[replica].core }

// Machine returns a running replica's state machine.
func (c *Cluster) Machine(replica int) statemachine.Machine { return c.members[replica].machine }

// Applied returns the op up to which a running replica's state machine has executed the log.
func (c *Cluster) Applied(replica int) wire.Op { return c.members[replica].applied.Op }

// Discarded returns how many WAL records the replica's last boot did not adopt.
func (c *Cluster) Discarded(replica int) int { return c.members[replica].Discarded }

// Input applies one input to a running replica and takes up the effects. A replica that is down
// ignores it.
func (c *Cluster) Input(replica int, in vsr.Input) {
	m := c.members[replica]
	if m.core == nil {
		return
	}
	var out vsr.Output
	if !c.guard(replica, func() { out = m.core.Step(in) }) {
		return
	}
	for _, p := range out.StorePrepares {
		m.writes = append(m.writes, m.disk.beginPrepare(p))
	}
	if out.StoreState != nil {
		m.writes = append(m.writes, m.disk.beginState(out.StoreState))
	}
	if out.StoreSuperblock != nil {
		m.writes = append(m.writes, m.disk.beginSuperblock(*out.StoreSuperblock))
	}
	for _, read := range out.Reads {
		if c.config.OnServe != nil {
			c.config.OnServe(replica, &read)
		}
		m.reads = append(m.reads, vsr.Read{IDs: slices.Clone(read.IDs), To: read.To})
	}
	m.chunks = append(m.chunks, out.ReadChunks...)
	c.transfer(m, &out)
	if out.Release > 0 {
		m.disk.release(out.Release)
	}
	m.executes = append(m.executes, out.Executes...)
	for _, e := range out.Messages {
		c.sent++
		c.packets = append(c.packets, Packet{
			Number: c.sent, From: replica, To: int(e.To), Frame: wire.Encode(e.Message),
			Message: e.Message,
		})
	}
	events, replies := out.Events, out.Replies
	c.report(replica, events)
	if c.config.OnReply != nil {
		for _, reply := range replies {
			c.config.OnReply(replica, reply)
		}
	}
	for _, ready := range out.ReadsReady {
		c.config.OnRead(replica, ready)
	}
	for _, refused := range out.ReadsRefused {
		c.config.OnReadRefused(replica, refused)
	}
}

// guard runs a step of a core and reports whether it came to its end; see Cluster.catching.
func (c *Cluster) guard(replica int, step func()) (ended bool) {
	if c.catching {
		defer func() {
			if contradiction := recover(); contradiction != nil {
				c.caught = fmt.Sprint(contradiction)
				c.members[replica].core, ended = nil, false
			}
		}()
	}
	step()
	return true
}

func (c *Cluster) report(replica int, events []vsr.Event) {
	if c.config.OnEvent == nil {
		return
	}
	for _, e := range events {
		c.config.OnEvent(replica, e)
	}
}

// Packets lists what is under way, oldest first. The slice is the cluster's.
func (c *Cluster) Packets() []Packet { return c.packets }

// take hands over what is under way; the caller keeps it from then on. The slice is valid
// until the next input.
func (c *Cluster) take() []Packet {
	taken := c.packets
	c.packets = c.packets[:0]
	return taken
}

// Drop loses a packet. It reports whether it was under way.
func (c *Cluster) Drop(number int) bool {
	i := slices.IndexFunc(c.packets, func(p Packet) bool { return p.Number == number })
	if i < 0 {
		return false
	}
	c.packets = slices.Delete(c.packets, i, i+1)
	return true
}

// Deliver hands a packet to its receiver, through the codec. It stays under way: whoever wants
// it delivered once drops it too; delivered again, it is a duplicate.
func (c *Cluster) Deliver(p Packet) {
	m, err := wire.Decode(p.Frame)
	if err != nil {
		return // damaged on the way: the checksums drop it (R20)
	}
	c.Input(p.To, vsr.Receive{Message: m})
}

// Request hands a client's request to a replica.
func (c *Cluster) Request(replica int, request *wire.Request) {
	c.Input(replica, vsr.Receive{Message: request})
}

// Writes returns how many writes of the replica are under way.
func (c *Cluster) Writes(replica int) int { return len(c.members[replica].writes) }

// FinishWrite makes the i-th write under way durable and tells the replica, or takes the next
// step of what it is part of.
func (c *Cluster) FinishWrite(replica, i int) {
	m := c.members[replica]
	w := m.writes[i]
	m.writes = slices.Delete(m.writes, i, i+1)
	m.disk.finish(w)
	if done, tell := c.finishCheckpoint(m, &w); tell {
		c.Input(replica, done)
	}
}

// WriteDone returns the input that reports the i-th write under way; nil if it is a step of a
// checkpoint, of which the replica hears later.
func (c *Cluster) WriteDone(replica, i int) vsr.Input { return c.members[replica].writes[i].done }

// Reads returns how many reads of the replica are under way.
func (c *Cluster) Reads(replica int) int {
	return len(c.members[replica].reads) + len(c.members[replica].chunks)
}

// FinishRead answers the i-th read under way with what the disk holds.
func (c *Cluster) FinishRead(replica, i int) {
	m := c.members[replica]
	if i >= len(m.reads) {
		i -= len(m.reads)
		asked := m.chunks[i]
		m.chunks = slices.Delete(m.chunks, i, i+1)
		c.finishChunkRead(replica, asked)
		return
	}
	read := m.reads[i]
	m.reads = slices.Delete(m.reads, i, i+1)
	answer := vsr.PreparesRead{To: read.To}
	for _, id := range read.IDs {
		if p := m.disk.read(id); p != nil {
			answer.Prepares = append(answer.Prepares, p)
		}
	}
	c.Input(replica, answer)
}

// Executes returns how many executions of the replica are under way.
func (c *Cluster) Executes(replica int) int { return len(c.members[replica].executes) }

// FinishExecute runs the oldest execution under way: executions keep op order.
func (c *Cluster) FinishExecute(replica int) {
	m := c.members[replica]
	id := m.executes[0]
	m.executes = slices.Delete(m.executes, 0, 1)
	p := m.disk.read(id)
	if p == nil {
		panic(fmt.Sprintf("sim: replica %d executes %v, which its disk does not hold", replica, id))
	}
	done := execute(m.machine, p)
	m.applied, m.appliedAt = id, p.Header.Timestamp
	c.Input(replica, done)
}

// execute has the machine execute what a prepare asks for, and returns what came of it.
func execute(machine statemachine.Machine, p *wire.Prepare) vsr.Executed {
	if p.Header.Operation != wire.OperationBatch {
		return vsr.Executed{ID: p.Header.ID(), Result: machine.Execute(p)}
	}
	requests, err := wire.Unbatch(p)
	if err != nil {
		panic(fmt.Sprintf("sim: op %d of a log: %v", p.Header.Op, err)) // no frame brought it
	}
	done := vsr.Executed{ID: p.Header.ID()}
	for _, q := range requests {
		done.Results = append(done.Results, vsr.ResultOf(q, machine.Execute(q)))
	}
	return done
}

// Crash stops a replica. Finished writes survive; landed says of each unfinished one whether it
// reached the disk all the same (nil: none did). A superblock lands only after the records that
// were begun before it.
func (c *Cluster) Crash(replica int, landed func(done vsr.Input) bool) {
	m := c.members[replica]
	for _, w := range m.writes {
		if landed != nil && landed(w.done) {
			m.disk.finish(w)
		}
	}
	m.disk.lose()
	m.core, m.machine = nil, nil
	m.writes, m.reads, m.executes, m.chunks = nil, nil, nil, nil
	m.checkpointing, m.fetched = false, fetched{}
}

// Wipe stops a replica, if it runs, and gives it an empty disk in the place of its own (R16).
func (c *Cluster) Wipe(replica int) {
	c.Crash(replica, nil)
	c.members[replica].disk = disk{booted: true, wiped: true}
}

// incarnation is that of a replica's present boot, or of its last one if it is down.
func (c *Cluster) incarnation(replica int) wire.Incarnation {
	return wire.Incarnation{Hi: uint64(replica) + 1, Lo: c.members[replica].boots}
}

// Rot makes the body of a stored prepare unreadable; a running replica notices at once. It
// reports whether there was such a prepare. The next boot finds the op faulty and, unless a
// state record was stored after it, the log in doubt (R14, R15).
func (c *Cluster) Rot(replica int, op wire.Op) bool {
	id := c.members[replica].disk.rot(op)
	if !id.IsZero() {
		c.Input(replica, vsr.PrepareLost{ID: id})
	}
	return !id.IsZero()
}

// Restart boots a replica from its disk with a new incarnation. A running one crashes first.
func (c *Cluster) Restart(replica int) error {
	m := c.members[replica]
	if m.core != nil {
		c.Crash(replica, nil)
	}
	recovered, discarded, err := m.disk.recover()
	if err != nil {
		return fmt.Errorf("boot replica %d: %w", replica, err)
	}
	m.disk.booted = true
	m.Discarded = discarded
	m.boots++
	config := vsr.Config{
		Cluster: ClusterID, Replica: wire.ReplicaID(replica), ReplicaCount: c.config.Replicas,
		Timers:      c.config.Timers,
		Limits:      c.config.Limits,
		Suffix:      c.config.Suffix,
		Incarnation: c.incarnation(replica),
		Seed:        c.config.Seed, RecordEvents: c.config.OnEvent != nil, Defects: c.config.Defects,
	}
	var core *vsr.Replica
	if !c.guard(replica, func() { core, err = vsr.New(config, recovered) }) {
		return fmt.Errorf("boot replica %d: %s", replica, c.caught)
	}
	if err != nil {
		return fmt.Errorf("boot replica %d: %w", replica, err)
	}
	m.core = core
	m.machine, m.applied, m.appliedAt = c.config.Machine(), wire.PrepareID{}, 0
	if newest := m.disk.newestSnapshot(); newest != nil {
		m.restore(newest, m.machine)
	}
	c.report(replica, core.BootEvents())
	return nil
}
