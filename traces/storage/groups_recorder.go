package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
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

func (r *groupsRecorder) free() int { return r.g.config.Slots + r.base - r.written - 1 }

// groupsLeast are the batches for which there is always room, so that a node can move and boot.
const groupsLeast = 2

// think returns the records that are to be written next, if any.
func (r *groupsRecorder) think() []GroupsLineRecord {
	free := r.free()
	if r.written >= r.g.config.MaxBatch || free < 1 {
		return nil
	}
	if free == groupsLeast || free == 1 && r.unsaid {
		return r.move()
	}
	i := r.random.IntN(len(r.groups))
	switch g := &r.groups[i]; {
	case free < groupsLeast:
	case r.unsaid:
		return r.states()
	case r.random.IntN(5) == 0 || g.inDoubt || g.said.LogView > g.logView:
		if max(g.logView, g.said.LogView) < r.g.config.MaxView {
			return []GroupsLineRecord{{
				Group: i + 1, State: true, Op: g.history, LogView: max(g.logView, g.said.LogView) + 1,
			}}
		}
	case g.head < r.g.config.MaxOp && r.takes():
		return []GroupsLineRecord{{Group: i + 1, LogView: g.logView, Op: g.head + 1}}
	}
	return nil
}

// takes says whether the log has room for a prepare more, and for the state records of all groups.
func (r *groupsRecorder) takes() bool {
	pending := 0
	for i, g := range r.groups {
		for op := g.said.Checkpoint + 1; op <= r.g.config.MaxOp; op++ {
			if r.holds(i, op, r.base, r.written) {
				pending++
			}
		}
	}
	return pending+1+len(r.groups)+groupsLeast+1 <= r.g.config.Slots
}

// states are the state records of all groups.
func (r *groupsRecorder) states() (all []GroupsLineRecord) {
	for i := range r.groups {
		all = append(all, r.state(i))
	}
	return all
}

func (r *groupsRecorder) state(i int) GroupsLineRecord {
	g := &r.groups[i]
	return GroupsLineRecord{
		Group: i + 1, State: true, LogView: g.logView, Op: g.head, InDoubt: g.inDoubt,
	}
}

// move returns what of the oldest batch is nowhere else.
func (r *groupsRecorder) move() (all []GroupsLineRecord) {
	if r.base > r.synced {
		return nil
	}
	needed := false
	for i, g := range r.groups {
		for op := g.said.Checkpoint + 1; op <= r.g.config.MaxOp; op++ {
			if r.holds(i, op, r.base, r.base) && !r.holds(i, op, r.base+1, r.written) {
				all, needed = append(all, GroupsLineRecord{Group: i + 1, LogView: g.logView, Op: op}), true
			}
		}
		newest := r.newestState(i) == r.base
		needed = needed || newest
		if newest || r.unsaid {
			all = append(all, r.state(i))
		}
	}
	if !needed {
		return nil
	}
	return all
}

// holds says whether one of some batches has a body.
func (r *groupsRecorder) holds(i, op, first, last int) bool {
	for n := first; n <= last; n++ {
		for _, x := range r.batches[n] {
			if x.Group == i+1 && !x.State && x.Op == op {
				return true
			}
		}
	}
	return false
}

// newestState is the newest batch with a state record of a group; 0: none.
func (r *groupsRecorder) newestState(i int) int {
	for n := r.written; n >= r.base; n-- {
		for _, x := range r.batches[n] {
			if x.Group == i+1 && x.State {
				return n
			}
		}
	}
	return 0
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

// crash ends the process, or the kernel too.
func (r *groupsRecorder) crash() error {
	line := GroupsLine{Do: DoKill}
	var err error
	switch r.random.IntN(6) {
	case 0:
		if line.Superblock = r.next(); line.Superblock != nil {
			err = r.breakOff(directorySuperblock, 12, func() error {
				return r.writeSuperblock(line.Superblock)
			})
		}
	case 1:
		if of := r.covered(); of.Op > 0 {
			line.Snapshot = &of
			err = r.breakOff(directorySnapshots, 6, func() error {
				_, err := r.writeSnapshot(of)
				return err
			})
		}
	case 2:
		if line.Batch = r.think(); line.Batch != nil {
			err = r.cutShort(line.Batch)
		}
	}
	if err != nil {
		return err
	}
	if r.random.IntN(3) == 0 {
		r.g.disk.Kill()
	} else {
		line.Do = DoPowerLoss
		r.g.boot.Kernel++
		r.g.disk.PowerLoss(r.survival())
	}
	r.add(line)
	return nil
}

// breakOff does something until an operation by chance fails, the last of so many at most.
func (r *groupsRecorder) breakOff(prefix string, most int, do func() error) error {
	left, bytes := r.random.IntN(most), sectorBytes*r.random.IntN(2)
	r.g.disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
		if !strings.HasPrefix(op.Path, prefix) {
			return nil
		}
		if left--; left >= 0 {
			return nil
		}
		return &memdisk.Fault{Err: errStopped, Bytes: bytes}
	})
	defer r.g.disk.Inject(nil)
	if err := do(); err != nil && !errors.Is(err, errStopped) {
		return err
	}
	return nil
}

// cutShort breaks off the writing of a batch. If all of it was written, that is told.
func (r *groupsRecorder) cutShort(batch []GroupsLineRecord) error {
	for _, x := range batch { // The cluster knows of it.
		g := &r.groups[x.Group-1]
		g.history = max(g.history, x.Op)
	}
	return r.breakOff(directoryLog, 8, func() error {
		sequence, err := r.g.log.Append(r.g.fill(r.code(batch))...)
		if err != nil {
			return err
		}
		name, _, _ := r.g.log.NewestPlace()
		r.g.files[r.written+1] = name
		r.numbers[sequence] = r.written + 1
		r.batches = append(r.batches[:r.written+1], batch)
		return nil
	})
}

// survival leaves of the newest batch all, nothing, or some sectors of which no index is whole.
func (r *groupsRecorder) survival() memdisk.Survival {
	files := map[string]int{}
	return func(u memdisk.Unsynced) bool {
		if u.Kind != memdisk.UnsyncedSector || path.Dir(u.Path) != directoryLog {
			return true
		}
		if _, ok := files[u.Path]; !ok {
			files[u.Path] = r.random.IntN(4)
		}
		switch files[u.Path] {
		case 0:
			return true
		case 1:
			return false
		case 2:
			return u.Sector == 0
		}
		return u.Sector > 0 && u.Sector < batchSectors-1 && r.random.IntN(2) == 0
	}
}

// recover boots, and goes on from what it finds.
func (r *groupsRecorder) recover() error {
	g := r.g
	g.Recoveries++
	store, err := superblock.Open(g.disk, directorySuperblock, cluster, directoryLog)
	if err != nil {
		return fmt.Errorf("open the superblock: %w", err)
	}
	g.super = store
	found, err := g.open()
	if err != nil {
		return err
	}
	r.written, r.unsaid = r.base-1, false
	for _, x := range found.report.Records {
		if n, known := r.numbers[x.Sequence]; known {
			r.written = max(r.written, n)
		}
	}
	r.synced = r.written
	r.batches = r.batches[:r.written+1]
	line := GroupsLine{Do: DoBoot}
	for i := range r.groups {
		f, err := r.find(i, found)
		if err != nil {
			return err
		}
		line.Found = append(line.Found, f)
	}
	r.add(line)
	return nil
}

// find is what a boot finds of a group.
func (r *groupsRecorder) find(i int, found GroupsFound) (GroupsLineFound, error) {
	of := wire.GroupID(i + 1)
	g := &r.groups[i]
	said, _ := r.g.super.Record().Find(of)
	if said.Cluster.IsZero() { // Nothing was ever said of the group.
		said.Cluster = cluster
	}
	at, err := checkpoint.Recover(r.g.disk, snapshotsOf(i), of, said)
	if err != nil {
		return GroupsLineFound{}, fmt.Errorf("find the checkpoint: %w", err)
	}
	head, logView := found.log(of)
	recorded := false
	for _, x := range found.report.Records {
		if x.Group == of && x.Kind == kindState {
			recorded = x.InDoubt
		}
	}
	g.said = GroupsLineSaid{int(said.LogView), int(said.Checkpoint.Op)}
	g.snapshot, g.pairings[at.Checkpoint.Op] = int(at.Checkpoint.Op), at.Checkpoint
	g.logView, g.head = int(logView), max(int(head), g.snapshot)
	g.history = max(g.history, g.head)
	g.inDoubt = found.Doubt(of)
	if g.inDoubt {
		r.g.Doubts++
	}
	r.unsaid = r.unsaid || r.newestState(i) == 0 || g.inDoubt != recorded
	f := GroupsLineFound{
		Said: g.said, Snapshot: g.snapshot, LogView: g.logView, Head: g.head, InDoubt: g.inDoubt,
	}
	for op := uint8(1); int(op) <= r.g.config.MaxOp; op++ {
		if body, err := r.g.log.Read(of, groupsID(of, op)); err == nil {
			if string(body) != string(groupsBody(of, op)) {
				return f, fmt.Errorf("op %d of group %d has another body", op, of)
			}
			f.Bodies = append(f.Bodies, int(op))
		}
	}
	return f, nil
}
