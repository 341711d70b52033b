package scenario

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// partitionGroup is the one group in each WAL.
	partitionGroup = wire.GroupID(1)
	// partitionDirectory is where each replica has its WAL, on a disk of its own.
	partitionDirectory = "wal"
	// partitionFileBytes and partitionFiles bound a WAL: a scenario never releases.
	partitionFileBytes = 64 << 10
	partitionFiles     = 256
	partitionRecords   = 1 << 16

	headerEntryBytes = 24
)

// partitionLog is a replica's log of the partition, as its WAL tells it (R2): what the newest
// state record says, and the prepares that followed under its log view.
type partitionLog struct {
	wal     *wal.Log
	logView wire.View
	// ids are the ops from 1 on; present says of which the body is stored.
	ids     []wire.PrepareID
	present map[wire.PrepareID]bool
}

func openPartitionLog(disk *memdisk.Disk, config wal.Config) (*partitionLog, wal.Report, error) {
	w, report, err := wal.Open(disk, config)
	if err != nil {
		return nil, wal.Report{}, err
	}
	l := &partitionLog{wal: w, present: map[wire.PrepareID]bool{}}
	for _, r := range report.Records {
		if err := l.replay(r); err != nil {
			return nil, wal.Report{}, err
		}
	}
	return l, report, nil
}

// replay takes a record that recovery adopted.
//
// Source: R2.
func (l *partitionLog) replay(r wal.Recovered) error {
	switch r.Kind {
	case wal.KindState:
		if len(r.Body)%headerEntryBytes != 0 {
			return fmt.Errorf("replay state record: %d bytes, expected a multiple of %d",
				len(r.Body), headerEntryBytes)
		}
		l.logView, l.ids = r.LogView, nil
		for b := r.Body; len(b) > 0; b = b[headerEntryBytes:] {
			l.ids = append(l.ids, wire.PrepareID{
				Op: wire.Op(binary.LittleEndian.Uint64(b)),
				Checksum: wire.Checksum{
					Lo: binary.LittleEndian.Uint64(b[8:]), Hi: binary.LittleEndian.Uint64(b[16:]),
				},
			})
		}
	case wal.KindPrepare:
		if r.Present {
			l.present[r.ID()] = true
		}
		if !r.Fill && r.LogView == l.logView && r.Op == l.head()+1 {
			l.ids = append(l.ids, r.ID())
		}
	}
	return nil
}

func (l *partitionLog) head() wire.Op { return wire.Op(len(l.ids)) }

// bodies counts the ops whose body is stored.
func (l *partitionLog) bodies() int {
	n := 0
	for _, id := range l.ids {
		if l.present[id] {
			n++
		}
	}
	return n
}

// read returns the body of an op of the log. The WAL may hold others: what a view change has
// cut stays in it until it is released.
func (l *partitionLog) read(id wire.PrepareID) ([]byte, error) {
	if id.Op > l.head() || l.ids[id.Op-1] != id {
		return nil, wal.ErrAbsent
	}
	return l.wal.Read(partitionGroup, id)
}

// prepare appends the next op.
func (l *partitionLog) prepare(body []byte) error {
	id := wire.PrepareID{Op: l.head() + 1, Checksum: wire.ChecksumOf(body)}
	if err := l.store(id, body, false); err != nil {
		return err
	}
	l.ids = append(l.ids, id)
	return nil
}

// fill stores the body of an op whose place a state record gives.
func (l *partitionLog) fill(id wire.PrepareID, body []byte) error {
	return l.store(id, body, true)
}

func (l *partitionLog) store(id wire.PrepareID, body []byte, fill bool) error {
	_, err := l.wal.Append(wal.Record{Head: wal.Head{
		Kind: wal.KindPrepare, Group: partitionGroup, Op: id.Op, Checksum: id.Checksum,
		LogView: l.logView, Fill: fill,
	}, Body: body})
	if err != nil {
		return err
	}
	l.present[id] = true
	return nil
}

// state makes it durable that the log is these ops, in this view (R2). The batch of the
// record also says that all before it is flushed.
func (l *partitionLog) state(logView wire.View, ids []wire.PrepareID) error {
	if err := l.wal.Sync(); err != nil {
		return err
	}
	var b []byte
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint64(b, uint64(id.Op))
		b = binary.LittleEndian.AppendUint64(b, id.Checksum.Lo)
		b = binary.LittleEndian.AppendUint64(b, id.Checksum.Hi)
	}
	head := wire.Op(len(ids))
	_, err := l.wal.Append(wal.Record{Head: wal.Head{
		Kind: wal.KindState, Group: partitionGroup, Op: head, LogView: logView,
	}, Body: b})
	if err != nil {
		return err
	}
	l.logView, l.ids = logView, ids
	return l.wal.Sync()
}

// publish makes it durable how far the log is flushed. Recovery has no use for that (R14);
// only wal.RecoverToFrontier believes it, which is why it loses what was appended since.
//
// Source: spec/PartitionLog.tla PublishFrontier.
func (l *partitionLog) publish() error {
	return l.state(l.logView, l.ids)
}

// tear makes a part of the newest batch unreadable. A log without ops stays whole.
func (l *partitionLog) tear(disk *memdisk.Disk, tear Tear) error {
	if len(l.ids) == 0 {
		return nil
	}
	name, from, bytes := l.wal.NewestPlace()
	to := from + bytes
	switch tear {
	case TearFirst:
		to = from + wal.SectorBytes
	case TearLast:
		from = to - wal.SectorBytes
	case TearBoth:
	}
	for at := from; at < to; at++ {
		if err := disk.Rot(partitionDirectory+"/"+name, at, 0x55); err != nil {
			return err
		}
	}
	return nil
}
