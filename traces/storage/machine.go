package storage

import (
	"errors"
	"fmt"
	"path"
	"strings"

	disk "github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// Counts says how much was compared. A comparison that counted nothing showed nothing.
type Counts struct {
	// Edges are the distinct ones of the graphs, Steps those of all paths.
	Edges, Steps int
	// Recoveries are the boots that were compared, Refusals those of them that were refused.
	Recoveries, Refusals int
	// Batches are those written, Reads the bodies asked for.
	Batches, Reads int
	// Further are the recoveries in which the batch of the code's boot before proves more to be
	// flushed than the spec's state does; the path ends there.
	Further int
	// Snapshots are those that became durable, Releases those of the log, Moves the batches that
	// were written again so that the oldest could go.
	Snapshots, Releases, Moves int
	// Discards are the recoveries that had something to discard, Doubts those in doubt, Trusting
	// those whose log the code trusts and the spec does not (see doc.go).
	Discards, Doubts, Trusting int
}

// Add adds what another machine has counted.
func (c *Counts) Add(more Counts) {
	c.Edges += more.Edges
	c.Steps += more.Steps
	c.Recoveries += more.Recoveries
	c.Refusals += more.Refusals
	c.Batches += more.Batches
	c.Reads += more.Reads
	c.Further += more.Further
	c.Snapshots += more.Snapshots
	c.Releases += more.Releases
	c.Moves += more.Moves
	c.Discards += more.Discards
	c.Doubts += more.Doubts
	c.Trusting += more.Trusting
}

var (
	cluster    = wire.ClusterID{Lo: 7}
	errStopped = errors.New("the process dies here")
	// errFurther ends a path: from here on the code's log has more in it than the model's.
	errFurther = &Mismatch{What: "the code's log goes further"}
)

// Machine has the disk of the model's replica, and the code that works on it.
type Machine struct {
	Counts

	config   model.JournalConfig
	observer model.JournalObserver
	maker    Maker
	disk     *memdisk.Disk
	log      Log
	super    *superblock.Store

	boot   Boot
	places [model.JournalSlotsMax]place // Of the batch that each slot shows, or of the next one.
	behind place                        // Behind the last batch.
	next   uint8                        // The sequence of the next batch.
	// sequences are the model's, by the code's.
	sequences map[Sequence]uint8
	// pending is an update of the superblock that the model has begun.
	pending *superblock.VsrState
	wrote   memdisk.Operation // The first or last write that is of interest.
	stop    func(memdisk.Operation) *memdisk.Fault
	past    past
}

// NewMachine returns the machine of the model's initial state. An error is that of the first
// boot on an empty disk.
func NewMachine(c model.JournalConfig, maker Maker) (*Machine, error) {
	m := &Machine{
		config: c, observer: model.NewJournalObserver(c), maker: maker, disk: memdisk.New(1),
		sequences: map[Sequence]uint8{},
		boot: Boot{
			FileBytes: int64(batchBytes*(2*c.Slots+1) + bootBytes*(c.MaxCrash+2)),
			Kernel:    1, Persisted: c.Policy == model.Persisted,
		},
	}
	m.disk.Inject(m.watch)
	store, err := superblock.Format(m.disk, directorySuperblock, cluster)
	if err != nil {
		return nil, fmt.Errorf("start a machine: %w", err)
	}
	m.super = store
	if _, err := m.openLog(); err != nil {
		return nil, fmt.Errorf("start a machine: %w", err)
	}
	m.cut(1)
	return m, nil
}

// watch sees every operation of the disk, and strikes where a process is to die.
func (m *Machine) watch(op memdisk.Operation) *memdisk.Fault {
	switch {
	case op.Kind != memdisk.OperationWrite || !strings.HasSuffix(op.Path, ".wal"):
	case op.Bytes == bootBytes+sectorBytes, op.Bytes == batchBytes+sectorBytes:
		m.wrote = op
	}
	if m.stop != nil {
		return m.stop(op)
	}
	return nil
}

// openLog opens the log at a new boot.
func (m *Machine) openLog() (Found, error) {
	m.boot.Number++
	m.wrote = memdisk.Operation{}
	log, found, err := m.maker.Open(m.disk, m.boot)
	if err != nil {
		return Found{}, err
	}
	if m.wrote.Bytes != bootBytes+sectorBytes {
		return Found{}, fmt.Errorf("boot wrote %s, expected a batch of its own", m.wrote)
	}
	m.log = log
	m.behind = place{m.wrote.Path, m.wrote.Offset + bootBytes}
	return found, nil
}

// cut gives the slots from a sequence on the places that their next batches would take.
func (m *Machine) cut(from uint8) {
	m.next = from
	for s := from; int(s) <= m.config.Slots; s++ {
		m.places[s-1] = place{m.behind.path, m.behind.offset + int64(s-from)*batchBytes}
	}
}

// Follow takes the steps of a path of the model with m's configuration, from its initial state
// on. The error is a [*Mismatch] where the code differs from the model.
func (m *Machine) Follow(path Path) error {
	for i := range path {
		if i == 0 {
			continue
		}
		m.Steps++
		mismatch := m.act(path[i].Action, &path[i-1].State, &path[i].State)
		if mismatch == errFurther {
			return nil
		}
		if mismatch != nil {
			mismatch.Step, mismatch.Action = i, path[i].Action.String()
			return mismatch
		}
	}
	return nil
}

// act does what an action does, from s to t.
func (m *Machine) act(a action, s, t *state) *Mismatch {
	switch a.Kind {
	case model.JournalWriteBatch:
		return m.write(s, t)
	case model.JournalSyncWAL:
		if err := m.log.Sync(); err != nil {
			return failed("flush", err)
		}
	case model.JournalWriteSuperblock:
		m.pending = stateOf(t.SuperblockNext)
	case model.JournalSyncSuperblock:
		return m.writeSuperblock()
	case model.JournalKill:
		return m.kill(a, s)
	case model.JournalPowerLoss:
		return m.powerLoss(a, s)
	case model.JournalRot:
		return m.rot(a, s)
	case model.JournalMisdirect:
		return m.misdirect(a, s)
	case model.JournalDamageSuperblock:
		return m.damageSuperblock(a)
	case model.JournalBoot:
		return m.recover(s, t)
	case model.JournalAppendPrepare, model.JournalRepairPrepare, model.JournalAppendOther,
		model.JournalEnterView, model.JournalAdopt, model.JournalMirrorSuperblock:
		// In memory only; or part of the code's one call that SyncSuperblock makes.
	case model.JournalTakeSnapshot, model.JournalSyncSnapshot, model.JournalRepeatState,
		model.JournalRelease, model.JournalDamageSnapshot:
		return differ("action", a, "not driven")
	}
	return nil
}

// append appends the batch that the model makes of its queue.
func (m *Machine) append(records model.JournalRecords) *Mismatch {
	sequence, err := m.log.Append(recordsOf(records, m.Batches+1)...)
	if err != nil {
		return failed("append", err)
	}
	m.Batches++
	if m.wrote.Bytes != batchBytes+sectorBytes || m.wrote.Offset != m.behind.offset {
		return differ("place of the batch", m.behind, m.wrote)
	}
	m.places[m.next-1], m.sequences[sequence] = m.behind, m.next
	m.behind.offset += batchBytes
	m.next++
	return nil
}

func (m *Machine) write(s, t *state) *Mismatch {
	if mismatch := m.append(s.Queue); mismatch != nil {
		return mismatch
	}
	return m.read(t.BodiesWritten)
}

// read compares which bodies the log finds: by op and checksum, and no others (R3).
func (m *Machine) read(stored model.JournalEntries) (found *Mismatch) {
	model.EachJournalLog(func(entry model.JournalLog) {
		if entry == 0 || found != nil {
			return
		}
		m.Reads++
		body, err := m.log.Read(group, idOf(entry))
		if want := stored&(1<<entry) != 0; want != (err == nil) {
			found = differ(fmt.Sprintf("body of %v is stored", entry.Views()), want, err)
		} else if want && string(body) != string(bodyOf(entry)) {
			found = differ(fmt.Sprintf("body of %v", entry.Views()), "its own", "another")
		}
	})
	return found
}

func stateOf(s model.JournalSuperblock) *superblock.VsrState {
	return &superblock.VsrState{
		Cluster: cluster, ReplicaCount: 1, View: wire.View(s.View), LogView: wire.View(s.LogView),
	}
}

func (m *Machine) writeSuperblock() *Mismatch {
	err := m.super.Write(superblock.GroupState{Group: group, VsrState: *m.pending})
	m.pending = nil
	if err != nil {
		return failed("superblock", err)
	}
	return nil
}

// breakOff writes the pending update until so many of its files have been replaced.
func (m *Machine) breakOff(files int) *Mismatch {
	if m.pending == nil {
		return nil
	}
	if files == 2 {
		return m.writeSuperblock()
	}
	// Any operation from one rename to the next will do: they take turns.
	kinds := []memdisk.OperationKind{
		memdisk.OperationRename, memdisk.OperationCreate, memdisk.OperationWrite,
		memdisk.OperationSync,
	}
	at, seen := kinds[m.Steps%len(kinds)], 0
	m.stop = func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind != at || path.Dir(op.Path) != directorySuperblock {
			return nil
		}
		if seen++; seen != files+1 {
			return nil
		}
		return &memdisk.Fault{Err: errStopped, Bytes: int(op.Bytes / 2)}
	}
	err := m.super.Write(superblock.GroupState{Group: group, VsrState: *m.pending})
	m.stop, m.pending = nil, nil
	if !errors.Is(err, errStopped) {
		return differ("superblock", errStopped, err)
	}
	return nil
}

// openSuperblock returns what the superblock says; refused if boot is.
func (m *Machine) openSuperblock() (s superblock.VsrState, refused bool, err error) {
	store, err := superblock.Open(m.disk, directorySuperblock, cluster)
	var unreadable superblock.Unreadable
	switch {
	case errors.As(err, &unreadable):
		return s, true, nil
	case err != nil:
		return s, false, fmt.Errorf("open the superblock: %w", err)
	}
	m.super = store
	s, _ = store.Record().Find(group)
	return s, false, nil
}

// flip makes a byte of a file unreadable.
func flip(d *memdisk.Disk, at place) error {
	return d.Rot(at.path, at.offset, 0xff)
}

var _ disk.Disk = (*memdisk.Disk)(nil)
