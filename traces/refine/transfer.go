package refine

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/transfer"
)

// transferModel holds cores against Transfer.tla: it projects a replica with its disk to the
// module's variables. It is nil in a search without checkpoints, and of a size that the module
// does not have.
type transferModel struct {
	system     *system
	drive      *transfer.Drive
	invariants []explore.Property[transfer.State]
}

// Stages of an install as the module counts them: before snapshot, pairing and log.
const (
	stageFetch = 1 + iota
	stageSnapshot
	stagePairing
	stageLog
)

// wide is more than any bound of a search: what senders choose is taken from what they have sent.
const wide = 9

func newTransferModel(s *system) (*transferModel, error) {
	b := s.bounds
	if b.Checkpoints == 0 || b.Wipes > 0 {
		return nil, nil //nolint:nilnil // Documented: there is none.
	}
	drive, err := transfer.NewDrive(transfer.Config{
		N: b.Replicas, MaxRequest: b.Requests, MaxView: b.Views, MaxCrash: wide,
		MaxCheckpoint: wide, MaxPipeline: wide, MaxSuffix: wide, MaxWindow: wide, Chunks: 1,
		PrepareDuring: true, Retain: b.Retain > 0, LateStartViews: true,
	})
	if err != nil {
		return nil, fmt.Errorf("compare with Transfer: %w", err)
	}
	return &transferModel{system: s, drive: drive, invariants: drive.Invariants()}, nil
}

// entry is the module's identity of a prepare: the views in which it and those below were
// prepared. Two prepares with one entry would be a divergence, which the search would see as
// two commits of an op.
func (t *transferModel) entry(id wire.PrepareID) transfer.Entry {
	if id.Op == 0 {
		return 0
	}
	t.system.mutex.Lock()
	h := t.system.headers[id]
	t.system.mutex.Unlock()
	below := t.entry(wire.PrepareID{Op: id.Op - 1, Checksum: h.Parent})
	return t.drive.Entry(below, uint8(h.View))
}

// log projects the identities of a log from its base to its head. Of the base only the identity is
// known, which the header above it names, too; at the head the module has it as a header.
func (t *transferModel) log(ids []wire.PrepareID) transfer.Log {
	var l transfer.Log
	if len(ids) > 1 {
		ids = ids[1:]
	}
	for _, id := range ids {
		if id.Op > 0 {
			l.Entries[id.Op-1] = t.entry(id)
			l.Length = uint8(id.Op)
		}
	}
	return l
}

var statuses = map[vsr.Status]transfer.Status{
	vsr.StatusNormal: transfer.Normal, vsr.StatusViewChange: transfer.ViewChange,
	vsr.StatusRecovering: transfer.Recovering,
}

// replica projects a replica with its disk. A checkpoint of its own counts from the moment at
// which its snapshot is durable: what follows changes nothing that anybody could tell, and the
// boot after a crash finds it. Executed is what the state machine has executed.
func (t *transferModel) replica(m *member) transfer.Replica {
	f, c := &m.footing, &m.checkpointing
	x := transfer.Replica{
		Status: statuses[m.state.Status], View: uint8(m.state.View),
		LogView: uint8(m.state.LogView), CommitMax: uint8(m.state.CommitMax),
		Headers: t.log(f.Log), Executed: t.entry(m.applied),
	}
	own := wire.PrepareID{}
	for _, id := range m.disk.snapshots {
		if !c.complete || id != c.target {
			own = id
		}
		x.Snapshot = t.entry(id)
	}
	switch {
	case !f.Fetches.IsZero():
		x.Transfer = transfer.Transfer{Stage: stageFetch, Target: t.entry(f.Fetches)}
	case !f.Installs.IsZero():
		x.Executed = t.entry(f.Applied)
		x.Transfer = transfer.Transfer{Stage: stageLog, Target: t.entry(f.Installs)}
		if !c.target.IsZero() {
			x.Transfer.Stage = stageSnapshot
			if c.complete {
				x.Transfer.Stage = stagePairing
			}
			break
		}
		own = wire.PrepareID{} // the pairing names the target, the log is still over the old base
		for _, id := range m.disk.snapshots {
			if id != f.Installs {
				own = id
			}
		}
	}
	x.Pairing = t.entry(m.disk.pairing)
	if own.Op > m.disk.pairing.Op {
		x.Pairing = t.entry(own)
	}
	x.Base = uint8(max(f.Checkpoint.Op, own.Op))
	for _, id := range f.Stored {
		x.Bodies.Add(t.entry(id))
	}
	t.normalize(&x)
	return x
}

// normalize takes out of a replica what the core does not have: the headers of what it has
// executed, the sender of a transfer, the moments of a checkpoint of its own.
func (t *transferModel) normalize(x *transfer.Replica) {
	for op := 1; op <= min(int(t.drive.Length(x.Executed)), int(x.Headers.Length)); op++ {
		x.Headers.Entries[op-1] = t.drive.Cut(x.Executed, op)
	}
	if x.Transfer.Stage <= stageFetch {
		x.Base, x.Pairing = t.drive.Length(x.Snapshot), x.Snapshot
	}
	x.Bodies = t.drive.Above(x.Bodies, x.Base)
	x.Transfer.Sender, x.Barrier = 0, 0
	x.PrepareOKs = [transfer.ReplicasMax]transfer.EntrySet{}
}

// state projects a cluster, with what has happened.
func (t *transferModel) state(c *cluster) transfer.State {
	var s transfer.State
	for r, m := range c.members {
		s.Replicas[r] = m.projected
	}
	if n := len(c.history.committed); n > 0 {
		s.Committed = t.entry(c.history.committed[n-1])
	}
	for v, id := range c.history.viewLogs {
		s.ViewLogs[v] = t.entry(id)
	}
	return s
}

// broken says which invariant of the module a state breaks, or nothing.
func (t *transferModel) broken(c *cluster) string {
	s := t.state(c)
	for _, p := range t.invariants {
		if err := p.Check(s); err != nil {
			return p.Name + ": " + err.Error()
		}
	}
	return ""
}
