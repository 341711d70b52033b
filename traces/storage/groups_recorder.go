package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// groupsRecorder is a node that does whatever it may to the storage of its groups, by chance, and
// dies by chance. It knows nothing of the model's states.
type groupsRecorder struct {
	g      *Groups
	random *rand.Rand
	lines  []GroupsLine

	// batches are by number, from 1; those from base to written are in the log, those to synced
	// are flushed. numbers has theirs by the code's sequence.
	batches               [][]GroupsLineRecord
	base, written, synced int
	numbers               map[Sequence]int
	unsaid                bool
	groups                []recordedGroup
}

// recordedGroup is what the node knows of one group.
type recordedGroup struct {
	said                             GroupsLineSaid
	snapshot, logView, head, history int
	inDoubt                          bool
	pairings                         [model.GroupsOpMax + 1]wire.PrepareID
}

// NewGroupsRecording makes a recording of a run of so many boots, by the seed.
//
// Errors are the code's: none is expected.
func NewGroupsRecording(
	c model.GroupsConfig, maker GroupsMaker, seed uint64, boots int,
) (GroupsRecording, Counts, error) {
	g, err := NewGroups(c, maker)
	if err != nil {
		return GroupsRecording{}, Counts{}, err
	}
	r := &groupsRecorder{
		g: g, base: 1, unsaid: true, batches: make([][]GroupsLineRecord, 1),
		numbers: map[Sequence]int{}, groups: make([]recordedGroup, c.Groups),
		random: rand.New(rand.NewPCG(seed, 68)), //nolint:forbidigo // The run's one source.
	}
	for range boots {
		err = nil
		for r.random.IntN(16) > 0 && err == nil {
			err = r.step()
		}
		if err == nil {
			err = r.crash()
		}
		if err == nil {
			err = r.recover()
		}
		if err != nil {
			return GroupsRecording{}, g.Counts, fmt.Errorf("record: %w", err)
		}
	}
	return GroupsRecording{Lines: r.lines}, g.Counts, nil
}

func (r *groupsRecorder) add(l GroupsLine) { r.lines = append(r.lines, l) }

// step does one thing that a node may do now, or nothing.
func (r *groupsRecorder) step() error {
	switch r.random.IntN(6) {
	case 0:
		return r.sync()
	case 1:
		return r.superblock()
	case 2:
		return r.snapshot()
	case 3:
		return r.release()
	default:
		if batch := r.think(); batch != nil {
			return r.append(batch)
		}
	}
	return nil
}

// code returns the code's form of a batch. What is older than the head is a fill.
func (r *groupsRecorder) code(batch []GroupsLineRecord) (made []Record) {
	for _, x := range batch {
		of := wire.GroupID(x.Group)
		next := record(kindState, of, wire.PrepareID{Op: wire.Op(x.Op)}, nil)
		next.InDoubt = x.InDoubt
		if !x.State {
			next = record(kindPrepare, of, groupsID(of, uint8(x.Op)), groupsBody(of, uint8(x.Op)))
			next.Fill = x.Op <= r.groups[x.Group-1].head
		}
		next.LogView = wire.View(x.LogView)
		made = append(made, next)
	}
	return made
}

func (r *groupsRecorder) append(batch []GroupsLineRecord) error {
	if r.free() <= groupsLeast { // Nothing else is written then.
		r.g.Moves++
	}
	sequence, mismatch := r.g.put(r.code(batch), uint8(r.written+1))
	if mismatch != nil {
		return mismatch
	}
	r.appended(sequence, batch)
	r.add(GroupsLine{Do: DoAppend, Batch: batch})
	return nil
}

// appended takes note of a batch that is in the log.
func (r *groupsRecorder) appended(sequence Sequence, batch []GroupsLineRecord) {
	r.written++
	r.batches = append(r.batches[:r.written], batch)
	r.numbers[sequence] = r.written
	for _, x := range batch {
		g := &r.groups[x.Group-1]
		if x.State {
			g.logView, g.head, g.inDoubt, r.unsaid = x.LogView, x.Op, x.InDoubt, false
		}
		g.head = max(g.head, x.Op)
		g.history = max(g.history, x.Op)
	}
}

func (r *groupsRecorder) sync() error {
	if r.synced >= r.written {
		return nil
	}
	r.synced = r.written
	r.add(GroupsLine{Do: DoSync})
	if err := r.g.log.Sync(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

func (r *groupsRecorder) stateSynced(i int) bool {
	return !r.unsaid && r.newestState(i) <= r.synced
}

// next is what the superblock has to say; nil if that is nothing new.
func (r *groupsRecorder) next() []GroupsLineSaid {
	all, changed := make([]GroupsLineSaid, len(r.groups)), false
	for i := range r.groups {
		g := &r.groups[i]
		all[i] = GroupsLineSaid{g.said.LogView, g.snapshot}
		if r.stateSynced(i) {
			all[i].LogView = max(g.said.LogView, g.logView)
		}
		changed = changed || all[i] != g.said
	}
	if !changed {
		return nil
	}
	return all
}

func (r *groupsRecorder) writeSuperblock(next []GroupsLineSaid) error {
	all := make([]superblock.GroupState, len(next))
	for i, said := range next {
		all[i] = superblock.GroupState{Group: wire.GroupID(i + 1), VsrState: superblock.VsrState{
			Cluster: cluster, ReplicaCount: 3, View: wire.View(said.LogView),
			LogView: wire.View(said.LogView), CommitMax: wire.Op(said.Checkpoint),
			Checkpoint: r.groups[i].pairings[said.Checkpoint],
		}}
	}
	if err := r.g.super.Write(all...); err != nil {
		return fmt.Errorf("write superblock: %w", err)
	}
	return nil
}

func (r *groupsRecorder) superblock() error {
	next := r.next()
	if next == nil {
		return nil
	}
	if err := r.writeSuperblock(next); err != nil {
		return err
	}
	for i, said := range next {
		r.groups[i].said = said
		err := checkpoint.Clean(r.g.disk, snapshotsOf(i), wire.Op(said.Checkpoint))
		if said.Checkpoint > 0 && err != nil {
			return fmt.Errorf("remove snapshots: %w", err)
		}
	}
	r.add(GroupsLine{Do: DoSuperblock, Superblock: next})
	return nil
}

func snapshotsOf(i int) string { return fmt.Sprintf("%s-%d", directorySnapshots, i+1) }

// covered is an op that a snapshot may cover: it and all below are flushed, and the group may
// speak. Op 0: none.
func (r *groupsRecorder) covered() (of GroupsLineOp) {
	i := r.random.IntN(len(r.groups))
	g := &r.groups[i]
	of.Group = i + 1
	if g.said.LogView != g.logView || !r.stateSynced(i) {
		return of
	}
	for op := g.snapshot + 1; op <= g.head && r.holds(i, op, r.base, r.synced); op++ {
		of.Op = op
		if r.random.IntN(2) == 0 {
			break
		}
	}
	return of
}

func (r *groupsRecorder) writeSnapshot(of GroupsLineOp) (wire.PrepareID, error) {
	group := wire.GroupID(of.Group)
	return checkpoint.Write(r.g.disk, snapshotsOf(of.Group-1), checkpoint.Snapshot{
		Cluster: cluster, Group: group, Prepare: groupsID(group, uint8(of.Op)),
		State: groupsBody(group, uint8(of.Op)),
	})
}

func (r *groupsRecorder) snapshot() error {
	of := r.covered()
	if of.Op == 0 {
		return nil
	}
	id, err := r.writeSnapshot(of)
	if err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	g := &r.groups[of.Group-1]
	g.snapshot, g.pairings[of.Op] = of.Op, id
	r.g.Snapshots++
	r.add(GroupsLine{Do: DoSnapshot, Snapshot: &of})
	return nil
}

// release lets go of all that may go.
func (r *groupsRecorder) release() error {
	const all = wire.Op(1 << 40)
	checkpoints := map[wire.GroupID]wire.Op{fillGroup: all}
	for i := range r.groups {
		checkpoints[wire.GroupID(i+1)] = wire.Op(r.groups[i].said.Checkpoint)
	}
	if _, err := r.g.log.Release(checkpoints); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	names, err := r.g.disk.List(directoryLog)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	line := GroupsLine{Do: DoRelease}
	for r.base <= r.written && !slices.Contains(names, r.g.files[r.base]) {
		r.base++
		line.Released++
	}
	if line.Released > 0 {
		r.g.Releases += line.Released
		r.add(line)
	}
	return nil
}
