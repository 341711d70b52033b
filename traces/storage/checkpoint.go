package storage

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
)

const directorySnapshots = "snapshots"

// Keeper is a [Machine] with snapshots, whose log is released. Each batch has a file of its own,
// so that a release of batches is one of files, and files are used again as the model's slots are.
type Keeper struct {
	Machine

	// pairings are those of the snapshots taken, by op.
	pairings [model.JournalOpMax + 1]wire.PrepareID
	// newest is where the last batch lies.
	newest place
}

// NewKeeper returns the keeper of the model's initial state. An error is that of the first boot
// on an empty disk.
func NewKeeper(c model.JournalConfig, maker Maker) (*Keeper, error) {
	k := &Keeper{Machine: Machine{
		config: c, observer: model.NewJournalObserver(c), maker: maker, disk: memdisk.New(1),
		boot: Boot{FileBytes: batchBytes, Kernel: 1, Persisted: c.Policy == model.Persisted},
	}}
	k.disk.Inject(k.watch)
	store, err := superblock.Format(k.disk, directorySuperblock, cluster)
	if err != nil {
		return nil, fmt.Errorf("start a keeper: %w", err)
	}
	k.super = store
	if err := k.open(); err != nil {
		return nil, fmt.Errorf("start a keeper: %w", err)
	}
	return k, nil
}

func (k *Keeper) watch(op memdisk.Operation) *memdisk.Fault {
	if k.stop != nil {
		return k.stop(op)
	}
	return nil
}

func (k *Keeper) open() error {
	k.boot.Number++
	log, _, err := k.maker.Open(k.disk, k.boot)
	k.log = log
	return err
}

// Follow takes the steps of a path of the model, as [Machine.Follow] does.
func (k *Keeper) Follow(path Path) error {
	for i := range path {
		if i == 0 {
			continue
		}
		k.Steps++
		if mismatch := k.act(path[i].Action, &path[i-1].State, &path[i].State); mismatch != nil {
			mismatch.Step, mismatch.Action = i, path[i].Action.String()
			return mismatch
		}
	}
	return nil
}

func (k *Keeper) act(a action, s, t *state) *Mismatch {
	switch a.Kind {
	case model.JournalWriteBatch:
		if mismatch := k.append(s); mismatch != nil {
			return mismatch
		}
		return k.read(t.BodiesWritten)
	case model.JournalSyncWAL:
		if err := k.log.Sync(); err != nil {
			return failed("flush", err)
		}
	case model.JournalWriteSuperblock:
		return k.pair(t.SuperblockNext)
	case model.JournalSyncSuperblock:
		return k.paired(t)
	case model.JournalSyncSnapshot:
		return k.snapshot(s)
	case model.JournalRelease:
		return k.release(s, t)
	case model.JournalKill:
		return k.kill(a, s)
	case model.JournalPowerLoss:
		return k.powerLoss(a, s)
	case model.JournalBoot:
		return k.recover(t)
	case model.JournalAppendPrepare, model.JournalRepairPrepare, model.JournalAppendOther,
		model.JournalEnterView, model.JournalAdopt, model.JournalMirrorSuperblock,
		model.JournalTakeSnapshot, model.JournalRepeatState:
		// In memory only; or part of the code's one call at the step that makes it durable.
	case model.JournalRot, model.JournalMisdirect, model.JournalDamageSuperblock,
		model.JournalDamageSnapshot:
		return differ("action", a, "not driven")
	}
	return nil
}

// append appends the batch that the model makes of its queue. Both groups have a say in when its
// file may go: the other one by a state record in each batch.
func (k *Keeper) append(s *state) *Mismatch {
	made := recordsOf(s.Queue, k.Batches+1)
	last := len(made) - 1
	size := len(made[last].Body)
	made[last] = record(kindState, otherGroup, wire.PrepareID{}, make([]byte, size))
	if _, err := k.log.Append(made...); err != nil {
		return failed("append", err)
	}
	k.Batches++
	name, offset, size64 := k.log.NewestPlace()
	k.newest = place{path.Join(directoryLog, name), offset}
	k.places[k.slot(s.Written+1)] = k.newest
	if offset != 0 || size64 != batchBytes {
		return differ("place of the batch", "a file of its own", k.newest)
	}
	return nil
}

// snapshotOf is the snapshot of the first ops of a log: its state are the log's views.
func snapshotOf(committed model.JournalLog) checkpoint.Snapshot {
	return checkpoint.Snapshot{
		Cluster: cluster, Group: group, Prepare: idOf(committed), State: committed.Views(),
	}
}

// snapshot makes durable what the model has taken: all phases of a file in one.
func (k *Keeper) snapshot(s *state) *Mismatch {
	id, err := checkpoint.Write(k.disk, directorySnapshots, snapshotOf(s.Committed))
	if err != nil {
		return failed("snapshot", err)
	}
	k.pairings[s.SnapshotCache] = id
	k.Snapshots++
	return nil
}

// pair begins an update of the superblock. It may name durable snapshots only.
func (k *Keeper) pair(next model.JournalSuperblock) *Mismatch {
	k.pending = stateOf(next)
	if next.Checkpoint > 0 {
		k.pending.Checkpoint = k.pairings[next.Checkpoint]
		if k.pending.Checkpoint.IsZero() {
			return differ("pairing", next.Checkpoint, "no such snapshot is durable")
		}
	}
	return nil
}

// paired ends it, and removes the snapshots before.
func (k *Keeper) paired(t *state) *Mismatch {
	if mismatch := k.writeSuperblock(); mismatch != nil {
		return mismatch
	}
	if t.Superblock.Checkpoint == 0 || t.SnapshotCache != t.Superblock.Checkpoint {
		return nil
	}
	op := wire.Op(t.Superblock.Checkpoint)
	if err := checkpoint.Clean(k.disk, directorySnapshots, op); err != nil {
		return failed("remove snapshots", err)
	}
	return nil
}

// release lets go of what the model lets go of: the code has one call for all that may go.
func (k *Keeper) release(s, t *state) *Mismatch {
	const all = wire.Op(1 << 40)
	_, err := k.log.Release(map[wire.GroupID]wire.Op{
		group: wire.Op(s.Superblock.Checkpoint), otherGroup: all,
	})
	if err != nil {
		return failed("release", err)
	}
	k.Releases++
	if err := k.compareFiles(s, t); err != nil {
		return err
	}
	return k.readBut(t.BodiesWritten, s.Queue)
}

// compareFiles compares which of the batches in s have their files still, with what is live in t.
func (k *Keeper) compareFiles(s, t *state) *Mismatch {
	names, err := k.disk.List(directoryLog)
	if err != nil {
		return failed("read the disk", err)
	}
	for n := s.Base; n <= s.Written; n++ {
		name := path.Base(k.places[k.slot(n)].path)
		if want, got := n >= t.Base, slices.Contains(names, name); want != got {
			return differ(fmt.Sprintf("batch %d is live", n), want, got)
		}
	}
	return nil
}

// readBut is read, but for the entries that are about to be written again: the model counts them
// as not stored yet.
func (k *Keeper) readBut(stored model.JournalEntries, queue model.JournalRecords) *Mismatch {
	for _, r := range queue.All[:queue.Count] {
		if r.Kind != model.JournalPrepare {
			continue
		}
		stored &^= 1 << r.Entry
		if _, err := k.log.Read(group, idOf(r.Entry)); err == nil {
			stored |= 1 << r.Entry
		}
	}
	return k.read(stored)
}

// spare reads the file that the next batch will take.
func (k *Keeper) spare() ([]byte, *Mismatch) {
	names, err := k.disk.List(directoryLog)
	if err != nil {
		return nil, failed("read the disk", err)
	}
	first := slices.IndexFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".spare")
	})
	if first < 0 {
		return make([]byte, batchBytes), nil
	}
	b, err := readBatch(k.disk, place{path.Join(directoryLog, names[first]), 0})
	if err != nil {
		return nil, failed("read the disk", err)
	}
	return b, nil
}

// kill ends the process. What is under way leaves what the model says of it.
func (k *Keeper) kill(a action, s *state) *Mismatch {
	if mismatch := k.breakOff(shown(s, s.SuperblockCache)); mismatch != nil {
		return mismatch
	}
	if s.SnapshotCache != s.SnapshotDisk { // It can be seen, and its name is not durable.
		if mismatch := k.breakSnapshot(s, memdisk.OperationSyncDir); mismatch != nil {
			return mismatch
		}
	}
	if a.Left == model.JournalLeftNothing {
		k.disk.Kill()
		return nil
	}
	before, mismatch := k.spare()
	if mismatch != nil {
		return mismatch
	}
	if mismatch := k.append(s); mismatch != nil {
		return mismatch
	}
	k.disk.Kill()
	keep := tornSectors()
	if a.Left == model.JournalLeftLegible {
		keep = legibleSectors(s.Queue)
	}
	if err := writeSectors(k.disk, k.newest, before, keep.others()); err != nil {
		return failed("tear a write", err)
	}
	return nil
}

// powerLoss ends the process and the kernel below it. A batch begins a file, which flushes the
// one before: only the newest batch can be lost ([Keepable]).
func (k *Keeper) powerLoss(a action, s *state) *Mismatch {
	files := 0
	for n := range s.SuperblockCache {
		if a.Files&(1<<n) != 0 {
			files++
		}
	}
	if mismatch := k.breakOff(files); mismatch != nil {
		return mismatch
	}
	if s.SnapshotCache != s.SnapshotDisk {
		if a.Snapshot {
			if mismatch := k.snapshot(s); mismatch != nil {
				return mismatch
			}
		} else {
			kinds := []memdisk.OperationKind{
				memdisk.OperationCreate, memdisk.OperationWrite, memdisk.OperationSync,
				memdisk.OperationRename,
			}
			if mismatch := k.breakSnapshot(s, kinds[k.Steps%len(kinds)]); mismatch != nil {
				return mismatch
			}
		}
	}
	fate := model.JournalKept
	if s.Written > 0 {
		fate = a.Fate[k.slot(s.Written)]
	}
	k.boot.Kernel++
	k.disk.PowerLoss(func(u memdisk.Unsynced) bool {
		if u.Kind != memdisk.UnsyncedSector || u.Path != k.newest.path {
			return true
		}
		switch {
		case fate == model.JournalLost:
			return false
		case fate == model.JournalTorn && a.Legible:
			return legibleSectors(s.WALCache[k.slot(s.Written)].Records)[u.Sector]
		case fate == model.JournalTorn:
			return tornSectors()[u.Sector]
		}
		return true
	})
	return nil
}

func (k *Keeper) slot(sequence uint8) int { return (int(sequence) - 1) % k.config.Slots }

// breakSnapshot writes the snapshot that the model has taken up to an operation of a kind.
func (k *Keeper) breakSnapshot(s *state, kind memdisk.OperationKind) *Mismatch {
	k.stop = func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind != kind || !strings.HasPrefix(op.Path, directorySnapshots) {
			return nil
		}
		return &memdisk.Fault{Err: errStopped, Bytes: int(op.Bytes / 2)}
	}
	_, err := checkpoint.Write(k.disk, directorySnapshots, snapshotOf(s.Committed))
	k.stop = nil
	if !errors.Is(err, errStopped) {
		return differ("snapshot", errStopped, err)
	}
	return nil
}

// recover boots the code and compares what it finds with the model's state t.
func (k *Keeper) recover(t *state) *Mismatch {
	k.Recoveries++
	said, refused, err := k.openSuperblock()
	if err != nil {
		return failed("boot", err)
	}
	if said.Cluster.IsZero() { // Nothing was ever said of the group.
		said.Cluster = cluster
	}
	found, err := checkpoint.Recover(k.disk, directorySnapshots, group, said)
	var mismatched *checkpoint.MismatchError
	refused = refused || errors.As(err, &mismatched)
	if want := t.Status == model.JournalRefused; want != refused {
		return differ("boot is refused", want, refused)
	}
	if refused {
		k.Refusals++
		return nil
	}
	if err != nil {
		return failed("boot", err)
	}
	if want := wire.Op(t.SnapshotCache); found.Checkpoint.Op != want {
		return differ("checkpoint", want, found.Checkpoint.Op)
	}
	k.pairings[t.SnapshotCache] = found.Checkpoint
	if want := wire.Op(t.Superblock.Checkpoint); said.Checkpoint.Op != want {
		return differ("pairing", want, said.Checkpoint.Op)
	}
	k.boot.Number++
	log, report, err := k.maker.Open(k.disk, k.boot)
	if err != nil {
		return failed("boot", err)
	}
	k.log = log
	return k.compare(t, said, found.Snapshot, report)
}

// compare compares what a boot has found of the log, on top of the snapshot's.
func (k *Keeper) compare(
	t *state, said superblock.VsrState, below checkpoint.Snapshot, found Found,
) *Mismatch {
	l, err := k.replay(found.Records)
	if err != nil {
		return failed("replay", err)
	}
	committed := below.State
	if len(l.Headers) > len(committed) {
		l.Headers = append(bytes.Clone(committed), l.Headers[len(committed):]...)
	} else {
		l.Headers = bytes.Clone(committed)
	}
	if mismatch := compareLog(t, l, uint8(said.View), uint8(said.LogView)); mismatch != nil {
		return mismatch
	}
	if mismatch := k.read(t.BodiesWritten); mismatch != nil {
		return mismatch
	}
	if found.Reasons != 0 {
		k.Discards++
	}
	if found.Doubt {
		k.Doubts++
	}
	return k.compareTrust(t, found.Doubt)
}
