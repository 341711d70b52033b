package storage

import (
	"bytes"
	"fmt"

	disk "github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
)

const (
	sectorBytes = 512
	// Every batch has so many records and sectors, whatever the model has in it: the rest are
	// records of another group. So a misdirected batch covers exactly another one, and an index
	// is longer than a sector, so that a write of whole sectors can tear it.
	batchRecords = 8
	batchSectors = 8
	batchBytes   = batchSectors * sectorBytes
	indexBytes   = 128 + 64*batchRecords // At both ends of a batch.
	bodyBytes    = 1100                  // Of a prepare: some sector has nothing else.

	group      wire.GroupID = 1
	otherGroup wire.GroupID = 2

	directoryLog        = "wal"
	directorySuperblock = "superblock"
)

// place is where a batch lies.
type place struct {
	path   string
	offset int64
}

// idOf is the identity of an entry of the model: a checksum names its whole chain.
func idOf(entry model.JournalLog) wire.PrepareID {
	return wire.PrepareID{
		Op:       wire.Op(len(entry.Views())),
		Checksum: wire.Checksum{Lo: 1000 + uint64(entry), Hi: 1},
	}
}

// entryOf is the entry of an identity that idOf made.
func entryOf(id wire.PrepareID) (model.JournalLog, error) {
	entry := model.JournalLog(id.Checksum.Lo - 1000)
	if id.Checksum.Lo < 1000 || id.Checksum.Lo > 1255 || idOf(entry) != id {
		return 0, fmt.Errorf("prepare %s is of no entry", id)
	}
	return entry, nil
}

func bodyOf(entry model.JournalLog) []byte {
	return bytes.Repeat([]byte{byte(entry), ^byte(entry)}, bodyBytes/2)
}

// recordsOf is the code's batch for a model's. The number makes its index unlike that of others.
func recordsOf(records model.JournalRecords, number int) []Record {
	all := make([]Record, 0, batchRecords)
	room := batchBytes - 2*indexBytes
	for _, r := range records.All[:records.Count] {
		if r.Kind == model.JournalOther {
			continue
		}
		made := recordOf(r)
		room -= len(made.Body)
		all = append(all, made)
	}
	for n := wire.Op(1); len(all) < batchRecords; n++ {
		size := 1
		if n == 1 {
			size = room - (batchRecords - len(all) - 1)
		}
		id := wire.PrepareID{Op: n, Checksum: wire.Checksum{Lo: uint64(number), Hi: 2}}
		all = append(all, record(kindPrepare, otherGroup, id, make([]byte, size)))
	}
	return all
}

func recordOf(r model.JournalRecord) Record {
	if r.Kind == model.JournalPrepare {
		made := record(kindPrepare, group, idOf(r.Entry), bodyOf(r.Entry))
		made.LogView = wire.View(r.LogView)
		return made
	}
	made := record(kindState, group, wire.PrepareID{Op: wire.Op(r.Head)},
		append([]byte{r.From}, r.Entry.Views()...))
	made.LogView, made.InDoubt = wire.View(r.LogView), r.InDoubt
	return made
}

// sectors is a set of a batch's sectors.
type sectors [batchSectors]bool

// tornSectors are those that a batch keeps of which nothing verifies: half an index.
func tornSectors() sectors { return sectors{true} }

// legibleSectors are those that a batch keeps whose index verifies and whose bodies do not.
// State records have no copy: a batch whose index verifies has them (R2).
func legibleSectors(records model.JournalRecords) sectors {
	var keep sectors
	for s := range keep {
		keep[s] = true
	}
	keep[batchSectors-1] = false // The index at the end.
	at := indexBytes
	for _, r := range records.All[:records.Count] {
		if r.Kind == model.JournalOther {
			continue
		}
		if r.Kind == model.JournalPrepare {
			keep[(at+sectorBytes-1)/sectorBytes] = false
		}
		at += len(recordOf(r).Body)
	}
	return keep
}

// readBatch reads what lies in the place of a batch; nothing is zeros.
func readBatch(d disk.Disk, at place) ([]byte, error) {
	b := make([]byte, batchBytes)
	f, err := d.Open(at.path)
	if err != nil {
		return nil, fmt.Errorf("read a batch: %w", err)
	}
	if _, err := f.ReadAt(b, at.offset); err != nil {
		return nil, fmt.Errorf("read a batch: %w", err)
	}
	return b, f.Close()
}

// writeSectors puts some sectors of a batch onto the disk as no process would: for good.
func writeSectors(d disk.Disk, at place, b []byte, which sectors) error {
	f, err := d.Open(at.path)
	if err != nil {
		return fmt.Errorf("write sectors: %w", err)
	}
	for s, wanted := range which {
		if !wanted {
			continue
		}
		part := b[s*sectorBytes:][:sectorBytes]
		if _, err := f.WriteAt(part, at.offset+int64(s*sectorBytes)); err != nil {
			return fmt.Errorf("write sectors: %w", err)
		}
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write sectors: %w", err)
	}
	return f.Close()
}

func (s sectors) others() sectors {
	for i := range s {
		s[i] = !s[i]
	}
	return s
}
