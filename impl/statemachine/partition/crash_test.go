package partition_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const group = wire.GroupID(7)

var clusterID = wire.ClusterID{Lo: 7}

// host is one process with one partition. Its write-ahead log is one that never fails: every
// op is there again after a crash, but for those that a checkpoint has released.
type host struct {
	disk     storage.Disk
	super    *superblock.Store
	machine  *partition.Machine
	executed wire.Op
	// booted is the checkpoint that the boot has found, released what the log has let go of.
	booted, released wire.Op
	// before and wanted are the checkpoints before and after an act.
	before, wanted wire.Op
}

// numberedOp is the op of a number: no two are equal, and all kinds come.
func numberedOp(op wire.Op) *wire.Prepare {
	time := uint64(op) * 10
	switch {
	case op%13 == 0:
		return prepare(op, time, partition.OperationRetain, partition.RetainBody(150, 4000, false))
	case op%29 == 0:
		return prepare(op, time, partition.OperationPurge, partition.PurgeBody(uint64(op)))
	case op%7 == 0:
		return prepare(op, time, protocol.OperationStoreOffset, storeBody("me", uint64(op)/2))
	}
	payload := fmt.Sprintf("message of op %d %*d", op, 1+int(op*37%400), 0)
	return prepare(op, time, protocol.OperationSend, sendBody(failing{}, payload, "another"))
}

// failing is for what cannot fail.
type failing struct{}

func (failing) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (failing) FailNow()                          { panic("failed") }

func bootHost(disk storage.Disk, executed, released wire.Op) (*host, error) {
	h := &host{disk: disk, released: released}
	var err error
	h.super, err = superblock.Open(disk, "super", clusterID, "wal")
	if errors.Is(err, superblock.ErrEmpty) {
		h.super, err = superblock.Format(disk, "super", clusterID, "wal")
	}
	if err != nil {
		return nil, err
	}
	r, err := checkpoint.Recover(disk, "snapshots", group, h.state())
	if err != nil {
		return nil, err
	}
	if r.Newer {
		state := h.state()
		state.Checkpoint = r.Checkpoint
		if err := h.super.Write(superblock.GroupState{Group: group, VsrState: state}); err != nil {
			return nil, err
		}
	}
	h.booted, h.executed = r.Checkpoint.Op, r.Checkpoint.Op
	if h.booted < released {
		return nil, fmt.Errorf("boots from checkpoint %d, and the log is released up to %d",
			h.booted, released)
	}
	h.machine = partition.New(config(disk))
	if h.booted > 0 {
		if err := h.machine.Restore(r.Snapshot.State); err != nil {
			return nil, err
		}
	}
	h.run(executed)
	return h, nil
}

func (h *host) state() superblock.VsrState {
	if state, found := h.super.Record().Find(group); found {
		return state
	}
	return superblock.VsrState{Cluster: clusterID, ReplicaCount: 1}
}

// run executes ops up to one.
func (h *host) run(to wire.Op) {
	for h.executed < to {
		h.executed++
		h.machine.Execute(numberedOp(h.executed))
	}
}

// take takes a checkpoint of what was executed.
func (h *host) take() error {
	if err := h.machine.Persist(); err != nil {
		return err
	}
	if err := h.pair(h.executed, h.machine.AppendSnapshot(nil)); err != nil {
		return err
	}
	return h.machine.Paired()
}

// pair makes a snapshot durable, pairs it, and lets the log go below.
func (h *host) pair(op wire.Op, snapshot []byte) error {
	h.wanted = op
	return checkpoint.Take(h.disk, h.super, func(bases map[wire.GroupID]wire.Op) error {
		h.released = bases[group]
		return nil
	}, checkpoint.Part{
		Directory: "snapshots", State: h.state(),
		Snapshot: checkpoint.Snapshot{
			Cluster: clusterID, Group: group, State: snapshot,
			Prepare: wire.PrepareID{Op: op, Checksum: wire.Checksum{Lo: uint64(op)}},
		},
	})
}

// install takes over the checkpoint of a replica that has gone on to another op.
func (h *host) install(op wire.Op, restoreFirst bool) error {
	peer := partition.New(config(memdisk.New(0)))
	for i := wire.Op(1); i <= op; i++ {
		peer.Execute(numberedOp(i))
	}
	snapshot := checkpointed(failing{}, peer)
	image, err := peer.OpenImage(snapshot)
	if err != nil {
		return err
	}
	if err := h.machine.Install(snapshot, image, 0, image.Bytes()); err != nil {
		return err
	}
	steps := []func() error{
		func() error { return h.pair(op, snapshot) },
		func() error { return h.machine.Restore(snapshot) },
	}
	if restoreFirst {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	h.executed = op
	return h.machine.Paired()
}

// crashActs are what the matrix strikes; wrongActs do it in a wrong order.
var (
	crashActs = map[string]func(*host) error{
		"materialise": func(h *host) error {
			h.run(h.executed + 9)
			return errors.Join(h.machine.Materialise(), h.machine.Persist())
		},
		"checkpoint": (*host).take,
		"retention": func(h *host) error {
			h.run(h.executed + 30)
			return h.take()
		},
		"install":                     func(h *host) error { return h.install(71, false) },
		"install over the same files": func(h *host) error { return h.install(28, false) },
		"boot": func(h *host) error {
			again, err := bootHost(h.disk, h.executed, h.released)
			if err == nil {
				h.machine = again.machine
			}
			return err
		},
	}
	wrongActs = map[string]func(*host) error{
		"trim_before_pairing": func(h *host) error {
			h.run(h.executed + 30)
			return errors.Join(h.machine.Persist(), h.machine.Paired(), h.take())
		},
		"restore_before_pairing": func(h *host) error { return h.install(71, true) },
		"release_before_pairing": func(h *host) error {
			h.run(h.executed + 30)
			h.released = h.executed
			return h.take()
		},
	}
)

// crashSubject prepares a host with a checkpoint and ops above it.
func crashSubject(
	name string, act func(*host) error, wrap func(*memdisk.Disk) storage.Disk,
) faultmatrix.Subject {
	return faultmatrix.Subject{
		Name: name, TornBytes: 75,
		New: func(raw *memdisk.Disk) (faultmatrix.Trial, error) {
			h, err := bootHost(wrap(raw), 20, 0)
			if err != nil {
				return faultmatrix.Trial{}, err
			}
			if err := h.take(); err != nil {
				return faultmatrix.Trial{}, err
			}
			h.run(24)
			h.before, h.wanted = 20, 0
			return faultmatrix.Trial{
				Act:   func() error { return act(h) },
				Check: func(acted error) error { return h.checkCrash(raw, acted) },
			}, nil
		},
	}
}

func asItIs(d *memdisk.Disk) storage.Disk { return d }

// checkCrash boots again, and once more after a power loss that takes whatever it may.
func (h *host) checkCrash(raw *memdisk.Disk, acted error) error {
	if acted != nil && !errors.Is(acted, faultmatrix.ErrStruck) {
		return fmt.Errorf("the act met another error: %w", acted)
	}
	again, err := bootHost(raw, h.executed, h.released)
	if err != nil {
		return err
	}
	if found := again.booted; found != h.before && found != h.wanted ||
		acted == nil && h.wanted > 0 && found != h.wanted {
		return fmt.Errorf("boots from checkpoint %d, expected %d or %d", found, h.before, h.wanted)
	}
	raw.PowerLoss(memdisk.Nothing)
	if again, err = bootHost(raw, h.executed, h.released); err != nil {
		return fmt.Errorf("second boot: %w", err)
	}
	return again.same(raw)
}

// same compares with a host that did the same ops and never crashed.
func (h *host) same(raw *memdisk.Disk) error {
	disk := memdisk.New(0)
	twin, err := bootHost(disk, h.executed, 0)
	if err != nil {
		return err
	}
	if h.machine.Checksum() != twin.machine.Checksum() {
		return errors.New("the state differs from that of a replica that did not crash")
	}
	all := func(m *partition.Machine) string {
		return fmt.Sprint(poll(failing{}, m, protocol.FromFirst, 0, math.MaxUint32))
	}
	if all(h.machine) != all(twin.machine) || h.machine.Unreadable() != nil {
		return errors.New("the messages differ from those of a replica that did not crash")
	}
	if err := errors.Join(h.take(), twin.take()); err != nil {
		return err
	}
	if !maps.Equal(files(failing{}, raw), files(failing{}, disk)) {
		return errors.New("the files differ from those of a replica that did not crash")
	}
	return nil
}

// R17: each storage operation of each act fails before, after or in part, then the process or
// the machine goes down. Whole with VIEWSTAMP_FAULT_MATRIX=1, else every fourth operation.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	seeds, stride := uint64(1), 4
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		seeds, stride = 8, 1
	}
	for name, act := range crashActs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := faultmatrix.Run(crashSubject(name, act, asItIs), seeds, stride)
			for _, wrong := range r.Wrong[:min(5, len(r.Wrong))] {
				t.Errorf("%s: %v", wrong.Case, wrong.Err)
			}
			require.Greater(t, r.Cases, 10)
			t.Logf("%d cases", r.Cases)
		})
	}
}

// Negative controls: the matrix notices steps in the wrong order, and flushes left out.
func TestTheMatrixNotices(t *testing.T) {
	t.Parallel()
	for name, act := range wrongActs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := faultmatrix.Run(crashSubject(name, act, asItIs), 1, 6)
			assert.NotEmpty(t, r.Wrong)
			t.Logf("%d of %d cases notice", len(r.Wrong), r.Cases)
		})
	}
	for name, broken := range map[string]faultmatrix.Forgetful{
		"no flush of files": {NoSync: true}, "no flush of directories": {NoSyncDir: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			subject := crashSubject(name, crashActs["retention"],
				func(d *memdisk.Disk) storage.Disk {
					f := broken
					f.Disk = d
					f.Of = func(name string) bool { return strings.HasPrefix(name, "segments") }
					return f
				})
			r := faultmatrix.Run(subject, 1, 8)
			assert.NotEmpty(t, r.Wrong)
			t.Logf("%d of %d cases notice", len(r.Wrong), r.Cases)
		})
	}
}
