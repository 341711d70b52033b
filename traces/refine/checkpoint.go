package refine

import (
	"encoding/binary"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// checkpointing is what a host has under way of checkpoints (R17, R21). A crash forgets it. It
// is immutable.
//
// A snapshot is as long as Bounds.Chunks, each byte of it travels alone, and it says of which
// prepare it is.
type checkpointing struct {
	// own is a checkpoint of its own that is durable and not in the superblock yet.
	own wire.PrepareID
	// target is a checkpoint that is being installed, sound says that what was fetched is it,
	// complete that its snapshot is durable.
	target          wire.PrepareID
	sound, complete bool
	// announced is what the core was told last to be in the superblock.
	announced wire.PrepareID
	// reads are bytes of checkpoints that are to be sent.
	reads []vsr.ReadChunk
	// fetched are the bytes that are here of the checkpoint named.
	fetched     []byte
	fetchedFrom wire.Checksum
	fetches     wire.PrepareID
}

// HostDefect is a rule that a host keeps and a core relies on, broken on purpose.
type HostDefect uint8

// The defects that a host can have.
const (
	// PairingBeforeSnapshot makes the pairing of an install durable before its snapshot (R17).
	PairingBeforeSnapshot HostDefect = iota + 1
	// ForgottenMark takes the disk that replaces a lost one for one that was always there (R16).
	ForgottenMark
)

// snapshotOf is the bytes of a checkpoint.
func (s *system) snapshotOf(id wire.PrepareID) []byte {
	data := make([]byte, max(1, s.bounds.Chunks))
	for i := range data {
		data[i] = byte(id.Op) ^ byte(id.Checksum.Lo>>(8*i))
	}
	return data
}

// beginCheckpoint makes a snapshot of what was executed durable.
func (n *member) beginCheckpoint() {
	n.disk.addSnapshot(n.applied)
	n.checkpointing.own = n.applied
}

// due reports whether a host may take a checkpoint of its own.
func (n *member) due() bool {
	c := &n.checkpointing
	newest := wire.Op(0)
	if i := len(n.disk.snapshots); i > 0 {
		newest = n.disk.snapshots[i-1].Op
	}
	return n.broken == "" && c.own.IsZero() && c.target.IsZero() && n.applied.Op > newest
}

// finishPart makes the next part of a checkpoint durable: of an install the snapshot, then of
// either the pairing, of which the core hears.
func (s *system) finishPart(n *member) vsr.Input {
	c := &n.checkpointing
	switch {
	case !c.own.IsZero():
		id := c.own
		c.own, c.announced = wire.PrepareID{}, id
		n.disk.pair(id, s.bounds.Retain)
		return vsr.Checkpointed{ID: id}
	case !c.sound:
		id := c.target
		c.target = wire.PrepareID{}
		return vsr.CheckpointRefused{ID: id}
	case !c.complete && s.bounds.Host == PairingBeforeSnapshot && n.disk.pairing != c.target:
		n.disk.pairing = c.target
		return nil
	case !c.complete:
		c.complete = true
		n.disk.addSnapshot(c.target)
		return nil
	}
	id := c.target
	*c = checkpointing{announced: id, reads: c.reads}
	n.disk.pair(id, s.bounds.Retain)
	n.applied = id
	return vsr.CheckpointInstalled{ID: id, Timestamp: s.timestamp(id)}
}

// finishChunk reads bytes of a checkpoint, if it is still here.
func (s *system) finishChunk(n *member) vsr.Input {
	c := &n.checkpointing
	answer := vsr.ChunkRead{ReadChunk: c.reads[0]}
	c.reads = slices.Clone(c.reads[1:])
	id := answer.Checkpoint
	if id.IsZero() {
		id = n.disk.pairing
	}
	data := s.snapshotOf(id)
	if slices.Contains(n.disk.snapshots, id) && answer.Offset < uint64(len(data)) {
		answer.Checkpoint, answer.Data = id, data[answer.Offset:answer.Offset+1]
		answer.Snapshot, answer.Total = wire.ChecksumOf(data), uint64(len(data))
	}
	return answer
}

// takeCheckpoints takes up the effects that concern checkpoints.
func (s *system) takeCheckpoints(n *member, effects *vsr.Output) {
	c := &n.checkpointing
	for _, asked := range effects.ReadChunks {
		if !slices.Contains(c.reads, asked) {
			c.reads = append(slices.Clip(c.reads), asked)
		}
	}
	if effects.StoreChunk != nil {
		chunk := *effects.StoreChunk
		chunk.Data = slices.Clone(chunk.Data)
		n.writes = append(n.writes, write{chunk: &chunk})
	}
	if in := effects.InstallCheckpoint; in != nil {
		if len(n.executes) > 0 {
			panic("a checkpoint is installed while an op is with the state machine")
		}
		c.target = in.Checkpoint
		c.sound = c.fetches == in.Checkpoint && wire.ChecksumOf(c.fetched) == in.Snapshot &&
			slices.Equal(c.fetched, s.snapshotOf(in.Checkpoint))
	}
	if effects.Release > min(n.disk.base.Op, n.disk.pairing.Op) {
		panic("R17: the log is let go before a state record over the new base is durable")
	}
	if effects.Release > 0 {
		n.disk.bodies = slices.DeleteFunc(slices.Clone(n.disk.bodies), func(p *wire.Prepare) bool {
			return p.Header.Op <= effects.Release
		})
	}
}

// land takes up the bytes of a chunk that is durable.
func (c checkpointing) land(w write) checkpointing {
	if w.state != nil && w.state.Base == c.announced {
		c.announced = wire.PrepareID{}
	}
	if w.chunk == nil {
		return c
	}
	if w.chunk.Offset == 0 {
		c.fetches, c.fetchedFrom, c.fetched = w.chunk.Checkpoint, w.chunk.Snapshot, nil
	}
	if c.fetches == w.chunk.Checkpoint && c.fetchedFrom == w.chunk.Snapshot &&
		uint64(len(c.fetched)) == w.chunk.Offset {
		c.fetched = append(slices.Clip(c.fetched), w.chunk.Data...)
	}
	return c
}

// rebases reports whether a write is the state record that follows a checkpoint: it is a part of
// its own, at which a replica may crash.
func (n *member) rebases(w write) bool {
	return w.state != nil && !n.checkpointing.announced.IsZero() &&
		w.state.Base == n.checkpointing.announced && n.disk.base != w.state.Base
}

// addSnapshot keeps a complete snapshot.
func (d *disk) addSnapshot(id wire.PrepareID) {
	at, found := slices.BinarySearchFunc(d.snapshots, id.Op,
		func(x wire.PrepareID, op wire.Op) int { return int(x.Op) - int(op) })
	if !found {
		d.snapshots = slices.Insert(slices.Clone(d.snapshots), at, id)
	}
}

// pair makes the superblock name a snapshot, and drops older ones but for as many as are
// retained for those that fetch them.
func (d *disk) pair(id wire.PrepareID, retain int) {
	if id.Op > d.pairing.Op {
		d.pairing = id
	}
	older := 0
	for _, snapshot := range d.snapshots {
		if snapshot.Op < d.pairing.Op {
			older++
		}
	}
	d.snapshots = slices.Clone(d.snapshots[max(0, older-retain):])
}

func (c *checkpointing) appendKey(dst []byte) []byte {
	dst = appendID(appendID(dst, c.own), c.target)
	dst = append(dst, flag(c.sound), flag(c.complete))
	dst = appendID(appendID(dst, c.announced), c.fetches)
	dst = binary.BigEndian.AppendUint64(dst, c.fetchedFrom.Lo)
	dst = append(append(dst, byte(len(c.fetched))), c.fetched...)
	dst = append(dst, byte(len(c.reads)))
	for _, asked := range c.reads {
		dst = appendID(append(dst, byte(asked.To), byte(asked.Offset)), asked.Checkpoint)
	}
	return dst
}

// nextCheckpoints yields checkpoints and the loss of disks, which the bounds count.
func (s *system) nextCheckpoints(c *cluster, m *member, yield func(Action, *cluster)) {
	if c.checkpoints < s.bounds.Checkpoints && m.due() {
		if t, did := s.try(c, m.id, stimulus{kind: kindCheckpoint}); t != nil {
			t.checkpoints++
			yield(did, t)
		}
	}
	if c.wipes < s.bounds.Wipes {
		if t, did := s.try(c, m.id, stimulus{kind: kindWipe}); t != nil {
			t.wipes++
			yield(did, t)
		}
	}
}

// tryTransfer tries the timer of a state transfer, which ends one that is not needed any more,
// takes another sender, or gives up. It returns the replicas that the transfer can go on by.
func (s *system) tryTransfer(c *cluster, m *member, yield func(Action, *cluster)) uint {
	if m.broken != "" || m.state.Stop != vsr.StopTransferring && m.state.Status == vsr.StatusNormal {
		return 0
	}
	by := uint(0)
	for _, attempts := range []int{0, 1, 2*s.bounds.Replicas + 1} {
		in := stimulus{kind: kindExpire, timer: vsr.TimerTransfer, arg: attempts}
		if t, did := s.try(c, m.id, in); t != nil {
			yield(did, t)
			if attempts == 0 {
				by |= 1 << m.id // it ends
			}
		}
	}
	for _, sender := range c.members {
		newest := len(sender.disk.snapshots) - 1
		if sender != m && newest >= 0 && sender.disk.snapshots[newest].Op > m.state.CommitMin {
			by |= 1 << sender.id
		}
	}
	return by
}

// tryLost loses, when a replica has let go a part of its log, what it has sent of it: nobody
// sends that again.
func (s *system) tryLost(c *cluster, did Action, yield func(Action, *cluster)) {
	if did.released == 0 || s.bounds.Full {
		return
	}
	t := *c
	t.network = slices.DeleteFunc(slices.Clone(c.network), func(m *message) bool {
		switch content := m.content.(type) { //nolint:gochecksumtype // The others are sent again.
		case *wire.Prepare:
			return content.Header.Op <= did.released && int(content.From()) == did.replica
		case *wire.RepairPrepare:
			return content.Prepare.Header.Op <= did.released && int(content.Replica) == did.replica
		}
		return false
	})
	if len(t.network) < len(c.network) {
		did.lost = true
		yield(did, &t)
	}
}
