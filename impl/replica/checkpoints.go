package replica

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// DefaultCheckpointOps is how many ops lie between two checkpoints of a server. It bounds what
// a state record holds, 256 bytes an op, and what a boot executes again.
const DefaultCheckpointOps = 4096

// checkpoints is what a host knows of its own.
type checkpoints struct {
	// applied is the op that the machine has come to, at its time.
	applied   wire.PrepareID
	appliedAt uint64
	// prepare is the op that the newest durable one covers, pairing what the superblock says.
	prepare, pairing wire.PrepareID
	// next is the op at which one is due again.
	next wire.Op
	// bytes are those of the bodies executed since the last: one is due also when they would fill a
	// file of the log, as a machine may hold them in memory until then.
	bytes int64
	// wait is for how many ticks none is tried, since the disk had no room for the last.
	wait int
	// underWay counts those that are being made, or installed.
	underWay int
}

// restore puts a snapshot's state in place at a boot.
func (h *Host) restore(s *checkpoint.Snapshot) error {
	c := &h.checkpoints
	if s != nil {
		if err := h.sessions.RestoreParts(s.State, s.Clients); err != nil {
			return fmt.Errorf("snapshot at op %d: %w", s.Prepare.Op, err)
		}
		c.prepare, c.pairing = s.Prepare, h.group.state.Checkpoint
		c.applied, c.appliedAt = s.Prepare, s.Timestamp
		if h.config.OnRestore != nil {
			h.config.OnRestore(s.Prepare)
		}
	}
	h.plan()
	return nil
}

// plan sets when the next one is due: also when a state record would fill a quarter of a file of
// the log.
func (h *Host) plan() {
	every := h.storage.recordOps() / 4
	if n := h.config.CheckpointOps; n > 0 {
		every = min(every, n)
	}
	h.checkpoints.next = h.checkpoints.prepare.Op + wire.Op(every)
}

// recordOps is how many ops a state record can have: it must fit into a file of the log.
func (s *Storage) recordOps() int { return max(4, int(s.options.Log.FileBytes)/wire.HeaderBytes) }

// full says that the host takes no new ops: the log has no room for them, or so many are above
// the checkpoint that its state record would not fit into a file soon.
func (h *Host) full() bool {
	head := h.core.Standing().Head
	return h.storage.Full() || head > h.checkpoints.prepare.Op+wire.Op(h.storage.recordOps()/2)
}

// executed takes note of an executed op, and begins a checkpoint if one is due. The state is that
// after this very op.
func (h *Host) executed(header *wire.PrepareHeader) {
	c := &h.checkpoints
	c.applied, c.appliedAt = header.ID(), header.Timestamp
	c.bytes += int64(header.BodyBytes())
	due := header.Op >= c.next || c.bytes >= h.storage.options.Log.FileBytes
	if due && c.underWay == 0 && c.wait == 0 {
		h.takeCheckpoint()
	}
}

// segmented returns the machine if it keeps files of its own, else nil.
func (h *Host) segmented() statemachine.Segmented {
	m, _ := h.sessions.Machine().(statemachine.Segmented)
	return m
}

// takeCheckpoint begins a checkpoint of what the machine has executed. Files of the machine are
// flushed here and now; snapshot and pairing follow in the storage's lanes.
func (h *Host) takeCheckpoint() {
	c := &h.checkpoints
	if m := h.segmented(); m != nil {
		switch err := m.Persist(); {
		case errors.Is(err, storage.ErrFull):
			c.wait = checkpointRetryTicks
			return
		case err != nil:
			h.storage.breakDown(fmt.Errorf("checkpoint of group %d: %w", h.config.Group, err))
			return
		}
	}
	c.underWay++
	c.bytes = 0
	state, clients := h.sessions.Parts()
	if h.storage.options.Defects.Has(DefectSessionsVolatile) {
		clients = clienttable.New(h.config.Sessions).AppendSnapshot(nil)
	}
	h.storage.takeCheckpoint(&checkpointJob{group: h.group, snapshot: checkpoint.Snapshot{
		Cluster: h.storage.options.Cluster, Group: h.config.Group, Prepare: c.applied,
		Timestamp: c.appliedAt, State: state, Clients: clients,
	}})
}

// Cover asks for a checkpoint of all that is executed, unless one is under way, and reports whether
// there is one: a process that ends should leave the next boot little to do. It may be called
// again and again.
func (h *Host) Cover() bool {
	c := &h.checkpoints
	if c.applied.Op <= c.prepare.Op {
		return true
	}
	if c.underWay == 0 {
		h.takeCheckpoint()
	}
	return false
}

// checkpointRetryTicks is how much later a checkpoint is tried again that found the disk full. It
// is a time and no number of ops: a host whose checkpoint is too old takes no more of them.
const checkpointRetryTicks = 4 * retryTicks

// onCheckpoint goes on when the superblock names a checkpoint, or it came to nothing: there was
// no room, or a newer one was installed meanwhile.
func (h *Host) onCheckpoint(done *checkpointDone) {
	c, job := &h.checkpoints, done.job
	c.underWay--
	if done.failed {
		c.wait = checkpointRetryTicks
		return
	}
	h.serving.end()
	c.prepare, c.pairing = job.snapshot.Prepare, job.id
	h.plan()
	if job.install {
		h.installed(job)
		return
	}
	if m := h.segmented(); m != nil {
		if err := m.Paired(); err != nil {
			h.storage.breakDown(fmt.Errorf("checkpoint of group %d: %w", h.config.Group, err))
			return
		}
	}
	h.counters.Checkpoints++
	h.step(vsr.Checkpointed{ID: job.snapshot.Prepare})
}

// tickCheckpoints does what a log that fills asks for: a checkpoint, or, if there is nothing new
// to cover, the state record anew.
func (h *Host) tickCheckpoints() {
	h.tickIncoming()
	h.serving.tick()
	c := &h.checkpoints
	c.wait = max(0, c.wait-1)
	if c.underWay > 0 {
		return
	}
	// One may be due already when the last one ends, and no op come that would begin it: a host
	// whose checkpoint is too old takes none.
	if c.wait == 0 && c.applied.Op >= c.next {
		h.takeCheckpoint()
		return
	}
	switch need := h.storage.takeBlocking(h.group); {
	case need != (wal.Need{}) && c.applied.Op > c.prepare.Op:
		h.takeCheckpoint()
	case need.State: // A record that nothing but ops keeps in the file would change nothing.
		h.counters.Repeated++
		h.step(vsr.RepeatState{})
	}
}

// Checkpoint returns the op that the newest durable checkpoint covers, zero if there is none.
func (h *Host) Checkpoint() wire.PrepareID { return h.checkpoints.prepare }
