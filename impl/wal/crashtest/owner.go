package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	group = wire.GroupID(1)
	// other is a group that a boot's doubt concerns too, though it has nothing in the log.
	other = wire.GroupID(9)

	fileBytes, filesMax, recordsMax = 16 << 10, 8, 1000
)

func config(boot uint64) wal.Config {
	return wal.Config{
		Directory: "wal", FileBytes: fileBytes, FilesMax: filesMax, RecordsMax: recordsMax,
		Incarnation: wire.Uint128{Lo: boot}, Kernel: wire.Uint128{Lo: 77},
	}
}

// prepare is an op with a body that is like no other's.
func prepare(group wire.GroupID, op wire.Op, size int) wal.Record {
	text := fmt.Appendf(nil, "%d/%d ", group, op)
	return wal.Record{Head: wal.Head{
		Kind: wal.KindPrepare, Group: group, Op: op, Checksum: wire.ChecksumOf(text),
	}, Body: bytes.Repeat(text, size/len(text)+1)[:size]}
}

func state(group wire.GroupID, head wire.Op, doubt bool) wal.Record {
	return wal.Record{Head: wal.Head{
		Kind: wal.KindState, Group: group, Op: head, InDoubt: doubt,
	}, Body: fmt.Appendf(nil, "headers of %d up to %d", group, head)}
}

// owner is what is known of a log from outside.
type owner struct {
	disk storage.Disk
	log  *wal.Log
	// records are those that the log was given, in order; of them written is what Append has
	// returned for, synced what Sync has.
	records         []wal.Record
	written, synced int
	// released is the op up to which a release was asked for.
	released wire.Op
	// machine: it was the machine that went down.
	machine bool
}

func (o *owner) append(records ...wal.Record) error {
	o.records = append(o.records, records...)
	if _, err := o.log.Append(records...); err != nil {
		return err
	}
	o.written = len(o.records)
	return nil
}

func (o *owner) store(records ...wal.Record) error {
	if err := o.append(records...); err != nil {
		return err
	}
	if err := o.log.Sync(); err != nil {
		return err
	}
	o.synced = o.written
	return nil
}

// fill stores so many prepares, one batch each.
func (o *owner) fill(n, size int) error {
	for range n {
		if err := o.store(prepare(group, wire.Op(len(o.records)+1), size)); err != nil {
			return err
		}
	}
	return nil
}

// kept is how many records must be there.
func (o *owner) kept() int {
	if o.machine {
		return o.synced
	}
	return o.written
}

// check boots twice.
func (o *owner) check(disk *memdisk.Disk, acted error) error {
	if acted != nil && !errors.Is(acted, faultmatrix.ErrStruck) {
		return fmt.Errorf("the act met another error: %w", acted)
	}
	log, report, err := wal.Open(disk, config(3))
	if err != nil {
		return err
	}
	if err := o.holds(log, report.Records); err != nil {
		return fmt.Errorf("%w; %s", err, report)
	}
	if _, err := log.Append(prepare(other, 1, 400)); err != nil {
		return fmt.Errorf("after a boot: %w", err)
	}
	if err := log.Sync(); err != nil {
		return fmt.Errorf("after a boot: %w", err)
	}
	disk.PowerLoss(memdisk.Nothing)
	return o.again(disk, report)
}

// again checks that what a boot has found stands, whatever comes then.
func (o *owner) again(disk *memdisk.Disk, first wal.Report) error {
	log, report, err := wal.Open(disk, config(4))
	if err != nil {
		return fmt.Errorf("second boot: %w", err)
	}
	n := len(report.Records) - 1
	switch {
	case n < 0 || report.Records[n].Group != other:
		return fmt.Errorf("second boot: the record in between is lost; %s", report)
	case n != len(first.Records) && o.released == 0:
		return fmt.Errorf("second boot: %d records, expected %d; %s and %s",
			n, len(first.Records), first, report)
	case first.Damaged && !report.InDoubt(other, true):
		return fmt.Errorf("second boot: the doubt is forgotten; %s and %s", first, report)
	}
	// A release whose directory flush had failed may be undone, whole: more at the front.
	if err := o.holds(log, report.Records[:n]); err != nil {
		return fmt.Errorf("second boot: %w; %s", err, report)
	}
	return nil
}

// holds says what is wrong with the records that a boot has found.
func (o *owner) holds(log *wal.Log, found []wal.Recovered) error {
	first := 0
	if len(found) > 0 {
		first = slices.IndexFunc(o.records, func(r wal.Record) bool {
			return r.Head == found[0].Head
		})
	}
	end := first + len(found)
	switch {
	case first < 0:
		return errors.New("a record came from nowhere")
	case first > 0 && o.released == 0:
		return errors.New("records were released by nobody")
	case end < o.kept():
		return fmt.Errorf("%d records of %d are lost", o.kept()-end, o.kept())
	case end > len(o.records):
		return errors.New("there are more records than were stored")
	}
	for i, r := range found {
		if err := same(log, r, o.records[first+i], first+i < o.kept()); err != nil {
			return err
		}
	}
	return nil
}

// same says what is wrong with one record, whose body must be there or may be torn.
func same(log *wal.Log, found wal.Recovered, want wal.Record, must bool) error {
	switch {
	case found.Head != want.Head:
		return fmt.Errorf("op %d is where op %d was stored", found.Op, want.Op)
	case !found.Present && must:
		return fmt.Errorf("the body of op %d is lost", want.Op)
	case !found.Present:
		return nil
	}
	body := found.Body
	if found.Kind == wal.KindPrepare {
		var err error
		if body, err = log.Read(found.Group, found.ID()); err != nil {
			return err
		}
	}
	if !bytes.Equal(body, want.Body) {
		return fmt.Errorf("op %d has another body", want.Op)
	}
	return nil
}
