package replica

import (
	"errors"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// GroupConfig says which replica of which group a host is.
type GroupConfig struct {
	Group        wire.GroupID
	Replica      wire.ReplicaID
	ReplicaCount int
	// Policy is what an acknowledgement promises; zero stands for vsr.PolicyPersisted.
	Policy vsr.Policy
	// Fresh says that the group is being created, on all its replicas, and has no log
	// anywhere. It counts only for a group that the superblock does not know. Without it such a
	// replica has lost its disk, or replaces one that is gone: it takes no part in any quorum
	// until it holds the log of a current view (R16).
	Fresh bool
}

// Boot is what a group starts from.
type Boot struct {
	Recovered vsr.Recovered
	// Discarded counts records of the group that verify and have no place in its log: of an
	// older log view, or behind a hole.
	Discarded int
	// Shortened says that a prepare which the log should have is not in it: its bytes are lost, and
	// its header with them, or those of one below it, which a checkpoint may cover.
	Shortened bool
	// Snapshot is what the machine begins with; nil if there is none.
	Snapshot *checkpoint.Snapshot
}

// boot finds what the storage holds of a group, gives a new group its identity, and takes the
// group's work from then on.
//
// Errors: the superblock names another replica than the configuration; a
// *checkpoint.MismatchError; a record that verifies and cannot be
// read; the disk's.
//
// Source: R2, R14, R15, R16; spec/Journal.tla Recover.
func (s *Storage) boot(c GroupConfig) (*group, Boot, error) {
	g := &group{config: c}
	fresh, doubted, err := s.identify(g)
	if err != nil {
		return nil, Boot{}, err
	}
	b := Boot{Recovered: vsr.Recovered{Formatted: fresh, View: g.state.View}}
	found, err := checkpoint.Recover(s.disk, datadir.Snapshots(c.Group), c.Group, g.state)
	if err != nil {
		return nil, Boot{}, err
	}
	if found.Checkpoint.Op > 0 { // maybe newer than the superblock's: its next update says so
		g.state.Checkpoint, g.released = found.Checkpoint, found.Checkpoint.Op
		g.state.CommitMax = max(g.state.CommitMax, found.Checkpoint.Op)
		b.Snapshot = &found.Snapshot
		b.Recovered.Base, b.Recovered.Timestamp = found.Snapshot.Prepare, found.Snapshot.Timestamp
	}
	if err := s.forgetIncoming(c.Group); err != nil {
		return nil, Boot{}, err
	}
	s.mu.Lock()
	records := s.records[c.Group]
	s.mu.Unlock()
	if err := s.replay(&b, c, records); err != nil {
		return nil, Boot{}, err
	}
	r := &b.Recovered
	if !fresh {
		// A superblock ahead of the log means that the log of its log view is lost (R2). A log
		// that ends below what it had may lack what was acknowledged (R15).
		r.Untrusted = doubted || s.report.InDoubt(c.Group, g.durable()) ||
			g.state.LogView > r.LogView || b.Shortened
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.groups[c.Group] != nil {
		return nil, Boot{}, errors.New("the group has a host already")
	}
	s.groups[c.Group] = g
	delete(s.records, c.Group)
	return g, b, nil
}

// identify finds the group's state in the superblock, or writes it there. It reports whether
// the group is fresh, and whether the replica has just lost what it knew.
func (s *Storage) identify(g *group) (fresh, doubted bool, err error) {
	c := &g.config
	s.superMu.Lock()
	defer s.superMu.Unlock()
	found, known := s.super.Record().Find(c.Group)
	if known {
		if found.Replica != c.Replica || int(found.ReplicaCount) != c.ReplicaCount {
			return false, false, fmt.Errorf(
				"the data directory is of replica %d of %d, expected %d of %d",
				found.Replica, found.ReplicaCount, c.Replica, c.ReplicaCount)
		}
		g.state = found
		return false, false, nil
	}
	s.mu.Lock()
	fresh = c.Fresh && len(s.records[c.Group]) == 0
	s.mu.Unlock()
	if !fresh {
		if err := s.markDoubt(c.Group); err != nil {
			return false, false, err
		}
	}
	g.state = superblock.VsrState{
		Cluster: s.options.Cluster, Replica: c.Replica, ReplicaCount: uint8(c.ReplicaCount),
	}
	return fresh, !fresh, s.super.Write(superblock.GroupState{Group: c.Group, VsrState: g.state})
}

// markDoubt writes a state record that says: this replica may have forgotten what it
// acknowledged (R15, R16). It comes before the superblock knows the group, so that no crash
// leaves an identity without the doubt.
func (s *Storage) markDoubt(group wire.GroupID) error {
	record := stateRecord(group, &vsr.StateRecord{})
	record.InDoubt = true
	s.logMu.Lock()
	defer s.logMu.Unlock()
	if _, err := s.log.Append(record); err != nil {
		return err
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[group] = append(s.records[group], wal.Recovered{
		Head: record.Head, Present: true, Body: record.Body,
	})
	return nil
}

// replay makes a log of the group's records: a state record replaces it, a prepare extends it
// under the log view in force and an unbroken chain, a fill adds a body. Bodies that the index
// names and that do not verify are faulty (R14).
func (s *Storage) replay(b *Boot, c GroupConfig, records []wal.Recovered) error {
	r := &b.Recovered
	newest := 0 // the newest state record: what lies below it places nothing
	for i := range records {
		if records[i].Kind == wal.KindState {
			newest = i
		}
	}
	for i := range records {
		record := &records[i]
		switch {
		case record.Kind == wal.KindState && i < newest:
		case record.Kind == wal.KindState:
			state, err := decodeState(record.LogView, record.Body)
			if err != nil {
				return fmt.Errorf("replay log: %w", err)
			}
			r.Place(&state)
			// No log was ever stored in view 0 with a doubt but by markDoubt.
			r.Wiped = record.InDoubt && state.LogView == 0 && len(state.Headers) == 0 &&
				state.Base.IsZero()
		case !record.Present:
			r.Faulty = append(r.Faulty, record.ID())
		case record.Fill || i < newest:
			r.Stored = append(r.Stored, record.ID())
		default:
			placed, err := s.place(r, c.Group, record)
			if err != nil {
				return err
			}
			if !placed {
				b.Discarded++
			}
		}
	}
	for i := newest; i < len(records); i++ {
		record := &records[i]
		b.Shortened = b.Shortened || record.Kind == wal.KindPrepare && !record.Fill &&
			record.Op > r.Base.Op && record.LogView == r.LogView && !r.InLog(record.ID())
	}
	if c.ReplicaCount == 1 {
		s.cutTorn(r, records)
	}
	r.Faulty = inLog(r, r.Faulty)
	if c.ReplicaCount == 1 {
		return s.refuseRot(records[newest:], r.Base.Op)
	}
	return nil
}

// cutTorn ends the log of a solo replica below a prepare that a state record names and a death
// tore: a record says what is being stored with it, too. Nobody heard of it, nor of what is above,
// and nobody else can have it. The next thing that the log gets is a state record without it.
func (s *Storage) cutTorn(r *vsr.Recovered, records []wal.Recovered) {
	for i := range records {
		torn := &records[i]
		if torn.Present || s.report.Flushed(torn) || !r.InLog(torn.ID()) {
			continue
		}
		r.Headers = r.Headers[:slices.IndexFunc(r.Headers, func(h wire.PrepareHeader) bool {
			return h.Op == torn.Op
		})]
	}
}

// refuseRot refuses a solo replica whose log, behind its newest state record, has a body that was
// flushed and is not legible: it has no peer to repair it from. What a boot wrote behind its last
// flush may be torn, one batch or several, and was then never acknowledged. What the checkpoint
// covers is not missed; what a state record names is the core's to refuse.
func (s *Storage) refuseRot(records []wal.Recovered, base wire.Op) error {
	for i := range records {
		if r := &records[i]; !r.Present && r.Op > base && s.report.Flushed(r) {
			return fmt.Errorf("body of op %d: unreadable, and a solo replica has no peer to repair "+
				"it from: restore its data from a backup", r.Op)
		}
	}
	return nil
}

// place puts a prepare at the head of the log if it belongs there.
func (s *Storage) place(r *vsr.Recovered, group wire.GroupID, record *wal.Recovered) (bool, error) {
	p, err := s.Read(group, record.ID())
	if err != nil {
		if errors.Is(err, wal.ErrDamaged) { // since the log was opened
			r.Faulty = append(r.Faulty, record.ID())
			return false, nil
		}
		return false, fmt.Errorf("replay log: %w", err)
	}
	h := p.Header
	r.Stored = append(r.Stored, h.ID())
	return r.Extend(record.LogView, &h), nil
}

// inLog keeps the identities that the log has a header of. A prepare whose record is rotten
// took its header along: the log ends below it, in doubt, and peers have what is missing.
func inLog(r *vsr.Recovered, ids []wire.PrepareID) []wire.PrepareID {
	return slices.DeleteFunc(ids, func(id wire.PrepareID) bool {
		return id.Op <= r.Base.Op || !r.InLog(id)
	})
}
