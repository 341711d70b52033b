package storage

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

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
