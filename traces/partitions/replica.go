package partitions

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
)

const (
	directory = "wal"
	fileBytes = 128 << 10 // Far more than a path writes.
	bodyBytes = 3 * wal.SectorBytes
	noChain   = 7 // The other half of every checksum.
)

// replica has a disk and, while its process runs, a log.
type replica struct {
	disk   *memdisk.Disk
	log    *wal.Log
	groups map[model.Policy]*groupLog
	kernel uint64
	// batches are where the records lie that were written since the last boot or adoption, by
	// their place in the model's log.
	batches map[int]batch
}

// groupLog is a group's log as its records tell it (R2).
type groupLog struct {
	view     wire.View
	prepares []uint8 // From op 1 on.
	stored   map[uint8]bool
}

type batch struct {
	name        string
	first, last int64 // Sectors of the file.
}

func newReplica(seed uint64) *replica {
	return &replica{disk: memdisk.New(seed), kernel: 1}
}

func groupOf(g model.Policy) wire.GroupID { return wire.GroupID(g) }

func idOf(op int, prepare uint8) wire.PrepareID {
	return wire.PrepareID{
		Op: wire.Op(op), Checksum: wire.Checksum{Lo: uint64(prepare), Hi: noChain},
	}
}

func bodyOf(prepare uint8) []byte { return bytes.Repeat([]byte{prepare, ^prepare}, bodyBytes/2) }

// open recovers the log.
func (r *replica) open(boot uint64, recovery wal.Recovery) (wal.Report, error) {
	log, report, err := wal.Open(r.disk, wal.Config{
		Directory: directory, FileBytes: fileBytes, FilesMax: 4, RecordsMax: 1 << 16,
		Incarnation: wire.Uint128{Lo: boot}, Kernel: wire.Uint128{Lo: r.kernel},
		Recovery: recovery,
	})
	if err != nil {
		return report, fmt.Errorf("boot %d: %w", boot, err)
	}
	r.log, r.batches = log, map[int]batch{}
	r.groups = make(map[model.Policy]*groupLog)
	for _, g := range both {
		r.groups[g] = &groupLog{stored: map[uint8]bool{}}
	}
	for _, record := range report.Records {
		r.replay(record)
	}
	return report, nil
}

// replay takes a record that recovery adopted.
func (r *replica) replay(record wal.Recovered) {
	own := r.groups[model.Policy(record.Group)]
	if own == nil {
		return // A batch of the log's own.
	}
	if record.Kind == wal.KindState {
		own.view, own.prepares = record.LogView, slices.Clone(record.Body)
		return
	}
	prepare := uint8(record.Checksum.Lo)
	own.stored[prepare] = own.stored[prepare] || record.Present
	if !record.Fill && record.LogView == own.view && int(record.Op) == len(own.prepares)+1 {
		own.prepares = append(own.prepares, prepare)
	}
}

// write appends the record that the model has at a place of its log.
func (r *replica) write(s *model.PartitionState, number, at int) error {
	prepare := s.Log[number].Prepares[at]
	g := s.Made[prepare-1].Group
	own := r.groups[g]
	if err := r.append(g, len(own.prepares)+1, prepare, false); err != nil {
		return err
	}
	own.prepares = append(own.prepares, prepare)
	name, offset, size := r.log.NewestPlace()
	r.batches[at] = batch{
		directory + "/" + name, offset / wal.SectorBytes, (offset+size)/wal.SectorBytes - 1,
	}
	return nil
}

func (r *replica) append(g model.Policy, op int, prepare uint8, fill bool) error {
	id := idOf(op, prepare)
	_, err := r.log.Append(wal.Record{Head: wal.Head{
		Kind: wal.KindPrepare, Group: groupOf(g), Op: id.Op, Checksum: id.Checksum,
		LogView: r.groups[g].view, Fill: fill,
	}, Body: bodyOf(prepare)})
	r.groups[g].stored[prepare] = true
	return err
}

// adopt makes a log that of a group, durably, and all that was written with it.
func (r *replica) adopt(g model.Policy, view wire.View, prepares []uint8) error {
	own := r.groups[g]
	for i, prepare := range prepares {
		if !own.stored[prepare] {
			if err := r.append(g, i+1, prepare, true); err != nil {
				return err
			}
		}
	}
	if err := r.log.Sync(); err != nil { // The state record speaks of what is stored.
		return err
	}
	_, err := r.log.Append(wal.Record{Head: wal.Head{
		Kind: wal.KindState, Group: groupOf(g), Op: wire.Op(len(prepares)), LogView: view,
	}, Body: prepares})
	if err != nil {
		return err
	}
	own.view, own.prepares, r.batches = view, slices.Clone(prepares), map[int]batch{}
	return r.log.Sync()
}

// crash ends the process, and leaves on the disk what the model says.
func (r *replica) crash(a model.PartitionAction, s *model.PartitionState, number int) error {
	if a.Kind == model.Kill {
		r.disk.Kill()
	} else {
		r.kernel++
		keep, torn := int(a.Keep[number]), has(a.Torn, number)
		r.disk.PowerLoss(func(u memdisk.Unsynced) bool {
			if u.Kind != memdisk.UnsyncedSector {
				return true
			}
			for at := range int(s.Written[number]) {
				b, known := r.batches[at]
				if !known || b.name != u.Path || u.Sector < b.first || u.Sector > b.last {
					continue
				}
				switch {
				case at < keep || at > keep && torn:
					return true
				case at == keep && torn: // The index is at both ends.
					return u.Sector != b.first && u.Sector != b.last
				}
				return false
			}
			return true
		})
	}
	log := r.log
	r.log = nil
	return log.Close()
}
