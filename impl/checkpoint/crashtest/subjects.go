package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Wrap puts something between the host and its disk, to see what the matrix notices.
type Wrap func(*memdisk.Disk) storage.Disk

// AsItIs puts nothing there.
func AsItIs(d *memdisk.Disk) storage.Disk { return d }

// run is one host with what is known of it from outside.
type run struct {
	*host
	// appended and durable are ops of which the log was asked to have, and has, by group.
	appended, durable map[wire.GroupID]wire.Op
	// before is the checkpoint of both groups before the act, wanted that of the act.
	before, wanted map[wire.GroupID]wire.Op
}

// ops makes so many ops of each group.
func (r *run) ops(n int) error {
	for range n {
		for _, group := range []wire.GroupID{metadata, partition} {
			op := r.executed[group] + 1
			r.appended[group] = op
			if err := r.store(group, op); err != nil {
				return err
			}
			r.durable[group] = op
			if err := r.execute(group, op, bodyOf(group, op)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) take() error {
	for group, op := range r.executed {
		r.wanted[group] = op
	}
	return r.host.take()
}

// act is what a subject does.
type act struct {
	name string
	do   func(*run) error
}

// Mutants are acts in a wrong order, which the matrix must notice.
func Mutants() []faultmatrix.Subject {
	after := func(wrong func(*run) error) func(*run) error {
		return func(r *run) error {
			if err := errors.Join(r.ops(14), wrong(r)); err != nil {
				return err
			}
			return r.take()
		}
	}
	return subjects(AsItIs, []act{
		{"release_before_pairing", after(func(r *run) error { return r.release(r.executed) })},
		{"trim_before_pairing", after(func(r *run) error { return r.segments.Trim() })},
	})
}

// Subjects are what the matrix strikes.
func Subjects(wrap Wrap) []faultmatrix.Subject {
	return subjects(wrap, []act{
		{"append", func(r *run) error { return errors.Join(r.ops(1), r.segments.Sync()) }},
		{"roll", func(r *run) error { return errors.Join(r.ops(6), r.segments.Sync()) }},
		{"checkpoint", func(r *run) error { return r.take() }},
		{"retention", func(r *run) error {
			if err := r.ops(14); err != nil {
				return err
			}
			return r.take()
		}},
		{"boot", func(r *run) error {
			var err error
			r.host, err = boot(r.disk, 2)
			return err
		}},
	})
}

func subjects(wrap Wrap, acts []act) []faultmatrix.Subject {
	all := make([]faultmatrix.Subject, 0, len(acts))
	for _, s := range acts {
		all = append(all, faultmatrix.Subject{
			Name: "host/" + s.name, TornBytes: 75,
			New: func(disk *memdisk.Disk) (faultmatrix.Trial, error) {
				return trial(disk, wrap(disk), s.do)
			},
		})
	}
	return all
}

// trial prepares a host with a checkpoint and ops above it.
func trial(raw *memdisk.Disk, disk storage.Disk, act func(*run) error) (faultmatrix.Trial, error) {
	h, err := boot(disk, 1)
	if err != nil {
		return faultmatrix.Trial{}, err
	}
	r := &run{
		host: h, appended: map[wire.GroupID]wire.Op{}, durable: map[wire.GroupID]wire.Op{},
		before: map[wire.GroupID]wire.Op{}, wanted: map[wire.GroupID]wire.Op{},
	}
	if err := errors.Join(r.ops(20), r.take(), r.ops(5)); err != nil {
		return faultmatrix.Trial{}, err
	}
	r.before, r.wanted = r.wanted, map[wire.GroupID]wire.Op{}
	return faultmatrix.Trial{
		Act:   func() error { return act(r) },
		Check: func(acted error) error { return r.check(raw, acted) },
	}, nil
}

// check boots again, and once more after a power loss that takes whatever it may.
func (r *run) check(disk *memdisk.Disk, acted error) error {
	if acted != nil && !errors.Is(acted, faultmatrix.ErrStruck) {
		return fmt.Errorf("the act met another error: %w", acted)
	}
	h, err := boot(disk, 3)
	if err != nil {
		return err
	}
	for _, group := range []wire.GroupID{metadata, partition} {
		got := h.executed[group]
		if got < r.durable[group] || got > r.appended[group] {
			return fmt.Errorf("group %d has executed %d ops, expected %d to %d",
				group, got, r.durable[group], r.appended[group])
		}
		found, wanted := h.booted[group], r.wanted[group]
		if found != r.before[group] && found != wanted || acted == nil && wanted > 0 && found != wanted {
			return fmt.Errorf("group %d boots from checkpoint %d, expected %d or %d",
				group, found, r.before[group], wanted)
		}
	}
	disk.PowerLoss(memdisk.Nothing)
	again, err := boot(disk, 4)
	if err != nil {
		return fmt.Errorf("second boot: %w", err)
	}
	for group, op := range h.executed {
		if again.executed[group] != op {
			return fmt.Errorf("group %d: a second boot has executed %d, expected %d",
				group, again.executed[group], op)
		}
	}
	return again.same()
}

// same compares a host with one that did the same ops and never crashed: its state, and all
// files of its groups once both have taken a checkpoint.
func (h *host) same() error {
	disk := memdisk.New(0)
	twin, err := boot(disk, 1)
	if err != nil {
		return err
	}
	for _, group := range []wire.GroupID{metadata, partition} {
		for op := wire.Op(1); op <= h.executed[group]; op++ {
			if err := twin.execute(group, op, bodyOf(group, op)); err != nil {
				return err
			}
		}
	}
	if twin.fold != h.fold {
		return errors.New("the metadata differ from those of a replica that did not crash")
	}
	if err := errors.Join(h.take(), twin.take()); err != nil {
		return err
	}
	for _, directory := range []string{
		directorySegments, directorySnapshots(metadata), directorySnapshots(partition),
	} {
		if err := sameFiles(h.disk, twin.disk, directory); err != nil {
			return err
		}
	}
	return nil
}

func sameFiles(a, b storage.Disk, directory string) error {
	namesA, errA := a.List(directory)
	namesB, errB := b.List(directory)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if fmt.Sprint(namesA) != fmt.Sprint(namesB) {
		return fmt.Errorf("%s has %v, a replica that did not crash %v", directory, namesA, namesB)
	}
	for _, name := range namesA {
		x, errX := content(a, path.Join(directory, name))
		y, errY := content(b, path.Join(directory, name))
		if err := errors.Join(errX, errY); err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s/%s differs from a replica's that did not crash", directory, name)
		}
	}
	return nil
}

func content(disk storage.Disk, name string) ([]byte, error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p := make([]byte, size)
	if _, err := f.ReadAt(p, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, f.Close())
	}
	return p, f.Close()
}
