package sim

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Checkpoints says how the hosts of a cluster handle checkpoints (R17, R21).
type Checkpoints struct {
	// Every is how many ops lie between two checkpoints of a replica, at least; zero: none are
	// taken. The state machine must be a statemachine.Snapshotter.
	Every int
	// ChunkBytes is how many bytes of a checkpoint are sent at a time.
	ChunkBytes int
	// Retain is how many checkpoints are kept besides the newest.
	Retain int
	// Salted makes the checkpoints of any two replicas differ in a byte that says nothing.
	Salted bool
	// Rot reports whether the chunk that is being stored rots on the disk. May be nil.
	Rot func() bool
}

// snapshot is a complete checkpoint on a disk.
type snapshot struct {
	id        wire.PrepareID // of the last op that it covers
	timestamp uint64         // of that op
	data      []byte         // with a head that says the same
}

const snapshotHeadBytes = 8 + 16 + 8 + 1

// takeSnapshot takes the state out of a machine.
func takeSnapshot(m *Member, salt byte) *snapshot {
	data := binary.LittleEndian.AppendUint64(nil, uint64(m.applied.Op))
	data = binary.LittleEndian.AppendUint64(data, m.applied.Checksum.Lo)
	data = binary.LittleEndian.AppendUint64(data, m.applied.Checksum.Hi)
	data = append(binary.LittleEndian.AppendUint64(data, m.appliedAt), salt)
	data = m.machine.(statemachine.Snapshotter).AppendSnapshot(data)
	return &snapshot{id: m.applied, timestamp: m.appliedAt, data: data}
}

// openSnapshot reads what has been fetched, or returns nil if it is not what it should be.
func openSnapshot(f *fetched) *snapshot {
	u64 := binary.LittleEndian.Uint64
	if len(f.data) < snapshotHeadBytes || wire.ChecksumOf(f.data) != f.snapshot {
		return nil
	}
	id := wire.PrepareID{
		Op:       wire.Op(u64(f.data)),
		Checksum: wire.Checksum{Lo: u64(f.data[8:]), Hi: u64(f.data[16:])},
	}
	if id != f.checkpoint {
		return nil
	}
	return &snapshot{id: id, timestamp: u64(f.data[24:]), data: f.data}
}

// fetched is what a replica has stored of the checkpoint that it fetches. A crash forgets it.
type fetched struct {
	checkpoint wire.PrepareID
	snapshot   wire.Checksum
	data       []byte
}

// restore puts a machine to where a snapshot is.
func (m *Member) restore(s *snapshot, machine statemachine.Machine) {
	if err := machine.(statemachine.Snapshotter).Restore(s.data[snapshotHeadBytes:]); err != nil {
		panic(fmt.Sprintf("sim: replica %d restores op %d: %v", m.id, s.id.Op, err))
	}
	m.machine, m.applied, m.appliedAt = machine, s.id, s.timestamp
}

// CheckpointDue reports whether the replica has executed enough ops since its last checkpoint,
// and takes none now.
func (c *Cluster) CheckpointDue(replica int) bool {
	m, every := c.members[replica], c.config.Checkpoints.Every
	if every == 0 || m.core == nil || m.checkpointing {
		return false
	}
	last := wire.Op(0)
	if newest := m.disk.newestSnapshot(); newest != nil {
		last = newest.id.Op
	}
	return m.applied.Op >= last+wire.Op(every)
}

// TakeCheckpoint begins a checkpoint of what the replica's machine has executed: two writes, one
// after the other, the snapshot and its pairing in the superblock (R17).
func (c *Cluster) TakeCheckpoint(replica int) {
	m := c.members[replica]
	m.checkpointing = true
	m.writes = append(m.writes, write{kind: writeSnapshot, snapshot: takeSnapshot(m, c.salt(replica))})
}

func (c *Cluster) salt(replica int) byte {
	if c.config.Checkpoints.Salted {
		return byte(replica)
	}
	return 0
}

// transfer takes up what a step wants of a checkpoint that is being fetched.
func (c *Cluster) transfer(m *Member, out *vsr.Output) {
	if chunk := out.StoreChunk; chunk != nil {
		if c.config.OnFetch != nil {
			c.config.OnFetch(m.id, chunk)
		}
		c.storeChunk(m, *chunk)
	}
	if install := out.InstallCheckpoint; install != nil {
		if c.config.OnInstall != nil {
			c.config.OnInstall(m.id)
		}
		c.installCheckpoint(m, install)
	}
}

// storeChunk begins to keep bytes of a checkpoint that is being fetched.
func (c *Cluster) storeChunk(m *Member, chunk vsr.StoreChunk) {
	chunk.Data = slices.Clone(chunk.Data)
	if rot := c.config.Checkpoints.Rot; rot != nil && rot() {
		chunk.Data[0] ^= 1
	}
	if chunk.Offset == 0 {
		m.fetched = fetched{checkpoint: chunk.Checkpoint, snapshot: chunk.Snapshot}
	}
	m.writes = append(m.writes, write{
		kind: writeChunk, chunk: &chunk,
		done: vsr.ChunkStored{
			Checkpoint: chunk.Checkpoint, Offset: chunk.Offset + uint64(len(chunk.Data)),
		},
	})
}

// installCheckpoint begins to install what has been fetched, if it verifies.
func (c *Cluster) installCheckpoint(m *Member, in *vsr.InstallCheckpoint) {
	s := openSnapshot(&m.fetched)
	if s == nil || s.id != in.Checkpoint || uint64(len(s.data)) != in.Total {
		m.writes = append(m.writes,
			write{kind: writeNothing, done: vsr.CheckpointRefused{ID: in.Checkpoint}})
		return
	}
	m.writes = append(m.writes, write{kind: writeSnapshot, snapshot: s, install: true})
}

// finishCheckpoint takes the step of a checkpoint that follows a write, and reports whether the
// core hears of it.
func (c *Cluster) finishCheckpoint(m *Member, w *write) (vsr.Input, bool) {
	switch w.kind {
	case writeSnapshot:
		m.writes = append(m.writes,
			write{kind: writePairing, snapshot: w.snapshot, install: w.install})
		return nil, false
	case writePairing:
		m.disk.dropSnapshots(c.config.Checkpoints.Retain)
		if !w.install {
			m.checkpointing = false
			return vsr.Checkpointed{ID: w.snapshot.id}, true
		}
		if len(m.executes) > 0 {
			panic(fmt.Sprintf("sim: replica %d installs a checkpoint while it executes", m.id))
		}
		m.restore(w.snapshot, c.config.Machine())
		return vsr.CheckpointInstalled{ID: w.snapshot.id, Timestamp: w.snapshot.timestamp}, true
	case writeChunk:
		f := &m.fetched
		if f.checkpoint == w.chunk.Checkpoint && f.snapshot == w.chunk.Snapshot &&
			uint64(len(f.data)) == w.chunk.Offset {
			f.data = append(f.data, w.chunk.Data...)
		}
	case writeRecord, writeSuperblock, writeNothing:
	}
	return w.done, true
}

// finishChunkRead answers a question for bytes of a checkpoint.
func (c *Cluster) finishChunkRead(replica int, asked vsr.ReadChunk) {
	answer := vsr.ChunkRead{ReadChunk: asked}
	s := c.members[replica].disk.snapshot(asked.Checkpoint)
	if s != nil && asked.Offset < uint64(len(s.data)) {
		rest := s.data[asked.Offset:]
		answer.Data = rest[:min(len(rest), c.config.Checkpoints.ChunkBytes)]
		answer.Checkpoint = s.id
		answer.Snapshot, answer.Total = wire.ChecksumOf(s.data), uint64(len(s.data))
	}
	c.Input(replica, answer)
}

// snapshot returns the complete checkpoint of an op, or the newest if id is zero; or nil.
func (d *disk) snapshot(id wire.PrepareID) *snapshot {
	if id.IsZero() {
		return d.newestSnapshot()
	}
	for _, s := range d.snapshots {
		if s.id == id {
			return s
		}
	}
	return nil
}

// newestSnapshot returns the newest complete checkpoint, or nil.
func (d *disk) newestSnapshot() *snapshot {
	if n := len(d.snapshots); n > 0 {
		return d.snapshots[n-1]
	}
	return nil
}

// covers reports whether a complete checkpoint covers an op.
func (d *disk) covers(op wire.Op) bool {
	newest := d.newestSnapshot()
	return newest != nil && op <= newest.id.Op
}

// addSnapshot keeps a complete checkpoint; they are in the order of their ops.
func (d *disk) addSnapshot(s *snapshot) {
	at, found := slices.BinarySearchFunc(d.snapshots, s.id.Op,
		func(x *snapshot, op wire.Op) int { return int(x.id.Op) - int(op) })
	if !found {
		d.snapshots = slices.Insert(d.snapshots, at, s)
	}
}

// pair makes the superblock name a checkpoint, unless it names a newer one.
func (d *disk) pair(id wire.PrepareID) {
	if id.Op > d.pairing.Op {
		d.pairing = id
	}
}

// dropSnapshots removes those that are older than the one which the superblock names, but for
// the newest of them.
func (d *disk) dropSnapshots(retain int) {
	older := 0
	for _, s := range d.snapshots {
		if s.id.Op < d.pairing.Op {
			older++
		}
	}
	d.snapshots = slices.Delete(d.snapshots, 0, max(0, older-retain))
}

// release removes what a checkpoint at op covers: prepares up to there, and what the newest
// state record has replaced.
func (d *disk) release(op wire.Op) {
	newest := -1
	for i := range d.records {
		if d.records[i].durable && d.records[i].state != nil {
			newest = i
		}
	}
	kept := d.records[:0]
	for i, r := range d.records {
		if r.durable && (r.state != nil && i < newest ||
			r.prepare != nil && r.prepare.Prepare.Header.Op <= op) {
			continue
		}
		kept = append(kept, r)
	}
	clear(d.records[len(kept):])
	d.records, d.settled = kept, placement{}
	maps.DeleteFunc(d.bodies, func(id wire.PrepareID, _ *wire.Prepare) bool {
		return id.Op <= op
	})
}
