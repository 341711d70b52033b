package crashtest

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Wrap puts something between the log and its disk, to see what the matrix notices.
type Wrap func(*memdisk.Disk) storage.Disk

// AsItIs puts nothing there.
func AsItIs(d *memdisk.Disk) storage.Disk { return d }

// tornBytes is how much of a torn write takes effect: a sector, and a part of the next.
const tornBytes = 700

// Subjects are what the matrix strikes.
func Subjects(wrap Wrap) []faultmatrix.Subject {
	acts := []struct {
		name string
		do   func(*owner) error
	}{
		{"append", appendSome},
		{"state_record", func(o *owner) error {
			return o.store(state(group, 2, false), state(2, 0, true))
		}},
		{"roll", func(o *owner) error { return o.fill(5, 3000) }},
		{"release", release},
		{"move", move},
		{"make_room", func(o *owner) error {
			if _, err := o.log.MakeRoom(); err != nil {
				return err
			}
			return o.fill(6, 3000)
		}},
		{"boot", reboot},
	}
	all := make([]faultmatrix.Subject, 0, len(acts))
	for _, act := range acts {
		all = append(all, faultmatrix.Subject{
			Name: "wal/" + act.name, TornBytes: tornBytes,
			New: func(disk *memdisk.Disk) (faultmatrix.Trial, error) {
				return trial(disk, wrap(disk), act.do)
			},
		})
	}
	return all
}

// appendSome leaves one batch to the flush of the next.
func appendSome(o *owner) error {
	if err := o.append(prepare(group, wire.Op(len(o.records)+1), 700)); err != nil {
		return err
	}
	return o.fill(2, 1500)
}

// release lets go of all that is full, and goes on in files that are used again.
func release(o *owner) error {
	if err := o.fill(9, 3000); err != nil {
		return err
	}
	head := wire.Op(len(o.records))
	if err := o.store(state(group, head, false)); err != nil {
		return err
	}
	o.released = head
	if _, err := o.log.Release(map[wire.GroupID]wire.Op{group: head}); err != nil {
		return err
	}
	return o.fill(9, 3000)
}

// move frees the first file though no checkpoint covers what is in it.
func move(o *owner) error {
	for o.log.Files() < 2 {
		if err := o.fill(1, 3000); err != nil {
			return err
		}
	}
	first := len(o.records) - 1 // The last one is in the second file.
	if err := o.fill(3, 3000); err != nil {
		return err
	}
	for _, r := range o.records[:first] {
		r.Fill = true
		o.records = append(o.records, r)
	}
	moved, err := o.log.Move(nil)
	switch {
	case err != nil:
		return err
	case moved != first:
		return fmt.Errorf("moved %d bodies, expected %d", moved, first)
	}
	o.written, o.synced = len(o.records), len(o.records)
	head := wire.Op(len(o.records))
	if err := o.store(state(group, head, false)); err != nil {
		return err
	}
	o.released = head
	released, err := o.log.Release(nil)
	switch {
	case err != nil:
		return err
	case released != 1:
		return fmt.Errorf("released %d files, expected 1", released)
	}
	return o.fill(4, 3000)
}

// reboot opens the log of a process that has died.
func reboot(o *owner) error {
	if err := o.log.Close(); err != nil {
		return err
	}
	log, _, err := wal.Open(o.disk, config(2))
	if err != nil {
		return err
	}
	o.log = log
	return nil
}

// trial prepares a log of some batches.
func trial(
	raw *memdisk.Disk, disk storage.Disk, act func(*owner) error,
) (faultmatrix.Trial, error) {
	log, _, err := wal.Open(disk, config(1))
	if err != nil {
		return faultmatrix.Trial{}, err
	}
	o := &owner{disk: disk, log: log}
	if err := o.fill(3, 900); err != nil {
		return faultmatrix.Trial{}, err
	}
	return faultmatrix.Trial{
		Act:     func() error { return act(o) },
		Crashed: func(machine bool) { o.machine = machine },
		Check:   func(acted error) error { return o.check(raw, acted) },
	}, nil
}
