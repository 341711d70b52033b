package crashtest

import (
	"errors"
	"fmt"
	"path"
	"reflect"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	directory = "node"
	// before is the number of updates made before an act, tornBytes how much of a torn write
	// takes effect, damagedAt where a damaged copy is.
	before    = 2
	tornBytes = 75
	damagedAt = 20
)

var cluster = wire.ClusterID{Lo: 7}

// state is that of the only group after an update.
func state(update int) superblock.GroupState {
	view := wire.View(update)
	return superblock.GroupState{Group: 1, VsrState: superblock.VsrState{
		Cluster: cluster, Replica: 2, ReplicaCount: 3, View: view, LogView: view / 2,
	}}
}

// record is what so many updates amount to.
func record(updates int) superblock.Record {
	r := superblock.Record{Sequence: uint64(updates) + 1, Cluster: cluster}
	if updates > 0 {
		r.Groups = []superblock.GroupState{state(updates)}
	}
	return r
}

// Wrap puts something between the superblock and its disk, to see what the matrix notices.
type Wrap func(*memdisk.Disk) storage.Disk

// AsItIs puts nothing there.
func AsItIs(d *memdisk.Disk) storage.Disk { return d }

// Subjects are what the matrix strikes.
func Subjects(wrap Wrap) []faultmatrix.Subject {
	update := func(d storage.Disk) error {
		s, err := superblock.Open(d, directory, cluster)
		if err != nil {
			return err
		}
		return s.Write(state(before + 1))
	}
	boot := func(d storage.Disk) error {
		_, err := superblock.Open(d, directory, cluster)
		return err
	}
	all := []faultmatrix.Subject{{
		Name: "superblock/the first format", TornBytes: tornBytes,
		New: func(disk *memdisk.Disk) (faultmatrix.Trial, error) {
			return faultmatrix.Trial{
				Act: func() error {
					_, err := superblock.Format(wrap(disk), directory, cluster)
					return err
				},
				Check: func(acted error) error { return checkFormat(disk, acted) },
			}, nil
		},
	}}
	for _, s := range []struct {
		name    string
		act     act
		updates int
	}{
		{"an update", act{do: update}, 1},
		{"an update over a damaged first copy", act{do: update, damaged: superblock.FileA}, 1},
		{"an update over a damaged second copy", act{do: update, damaged: superblock.FileB}, 1},
		{"a boot over a damaged first copy", act{do: boot, damaged: superblock.FileA}, 0},
		{"a boot over a damaged second copy", act{do: boot, damaged: superblock.FileB}, 0},
	} {
		s.act.wrap, s.act.after = wrap, before+s.updates
		all = append(all, faultmatrix.Subject{
			Name: "superblock/" + s.name, TornBytes: tornBytes, New: s.act.trial,
		})
	}
	return all
}

// act is what is done to a superblock.
type act struct {
	do      func(storage.Disk) error
	damaged string // A copy that is damaged before.
	after   int    // How many updates there are to be after it.
	wrap    Wrap
}

func (a act) trial(disk *memdisk.Disk) (faultmatrix.Trial, error) {
	if err := fill(disk, before); err != nil {
		return faultmatrix.Trial{}, err
	}
	if a.damaged != "" {
		if err := disk.Rot(path.Join(directory, a.damaged), damagedAt, 1); err != nil {
			return faultmatrix.Trial{}, err
		}
	}
	return faultmatrix.Trial{
		Act:   func() error { return a.do(a.wrap(disk)) },
		Check: func(acted error) error { return a.check(disk, acted) },
	}, nil
}

// fill makes a superblock of so many updates.
func fill(disk storage.Disk, updates int) error {
	s, err := superblock.Format(disk, directory, cluster)
	if err != nil {
		return err
	}
	for n := range updates {
		if err := s.Write(state(n + 1)); err != nil {
			return err
		}
	}
	return nil
}

// check says what is wrong after the crash.
func (a act) check(disk *memdisk.Disk, acted error) error {
	if acted != nil && !errors.Is(acted, faultmatrix.ErrStruck) {
		return fmt.Errorf("the act met another error: %w", acted)
	}
	outcome, err := superblock.Read(disk, directory)
	if err != nil {
		return err
	}
	present, ok := outcome.(superblock.Present)
	if !ok {
		return fmt.Errorf("the outcome is %T %v, expected a record", outcome, outcome)
	}
	s, err := superblock.Open(disk, directory, cluster)
	if err != nil {
		return err
	}
	got := int(s.Record().Sequence) - 1
	switch {
	case !reflect.DeepEqual(present.Record, s.Record()):
		return errors.New("what is read is not what is opened")
	case got != before && got != a.after, !reflect.DeepEqual(record(got), s.Record()):
		return fmt.Errorf("there are %d updates, expected %d or %d", got, before, a.after)
	case acted == nil && got != a.after:
		return errors.New("a complete update is lost")
	}
	return again(disk, s.Record())
}

// again checks that what Open has returned stands, whatever comes then.
func again(disk *memdisk.Disk, opened superblock.Record) error {
	disk.PowerLoss(memdisk.Nothing)
	for _, file := range []string{superblock.FileA, superblock.FileB} {
		if err := disk.Rot(path.Join(directory, file), damagedAt, 1); err != nil {
			return err
		}
		s, err := superblock.Open(disk, directory, cluster)
		if err != nil {
			return fmt.Errorf("second boot: %w", err)
		}
		if !reflect.DeepEqual(opened, s.Record()) {
			return errors.New("what was opened is forgotten when one copy is damaged")
		}
	}
	return nil
}

func checkFormat(disk *memdisk.Disk, acted error) error {
	outcome, err := superblock.Read(disk, directory)
	if err != nil {
		return err
	}
	switch found := outcome.(type) {
	case superblock.Empty:
		if acted == nil {
			return errors.New("formatted, and empty")
		}
		return fill(disk, 1)
	case superblock.Present:
		s, err := superblock.Open(disk, directory, cluster)
		if err != nil {
			return err
		}
		return s.Write(state(1))
	case superblock.Unreadable:
		return found
	}
	return errors.New("no outcome")
}
