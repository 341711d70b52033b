package storage

import (
	"fmt"
	"strings"

	disk "github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The write-ahead log's own types. No other file of this package names its package.
type (
	// Record is what a group stores.
	Record = wal.Record
	// Recovered is a record that recovery adopted.
	Recovered = wal.Recovered
	// Reason says why recovery did not adopt a range of bytes.
	Reason = wal.Reason
	// Sequence numbers the code's batches.
	Sequence = wal.Sequence
)

const (
	kindPrepare = wal.KindPrepare
	kindState   = wal.KindState

	// bootBytes is the size of the batch that each boot writes.
	bootBytes = 2 * sectorBytes
)

// Log is the write-ahead log that is driven: [wal.Log], or one with a defect.
type Log interface {
	Append(records ...Record) (Sequence, error)
	Sync() error
	Release(checkpoints map[wire.GroupID]wire.Op) (int, error)
	NewestPlace() (name string, offset, bytes int64)
	Read(group wire.GroupID, id wire.PrepareID) ([]byte, error)
	Close() error
}

// Found is what a recovery reports of one group.
type Found struct {
	Records []Recovered
	Reasons ReasonSet
	Doubt   bool
}

// Maker opens logs.
type Maker struct {
	// Open recovers the log on a disk for a group of a policy.
	Open func(d disk.Disk, boot Boot) (Log, Found, error)
}

// Boot says what a process knows when it opens its log.
type Boot struct {
	FileBytes int64
	// Number is the boot's, from 1, Kernel that of the kernel below it.
	Number, Kernel uint64
	// Persisted is the policy of the group; else it is replicated.
	Persisted bool
}

// Production opens the log that runs.
func Production() Maker { return Maker{Open: openJournal} }

func openJournal(d disk.Disk, boot Boot) (Log, Found, error) {
	l, report, err := openLog(d, boot)
	if err != nil {
		return nil, Found{}, err
	}
	found := Found{
		Records: report.Records, Doubt: report.InDoubt(group, boot.Persisted),
	}
	for _, d := range report.Discarded {
		found.Reasons.add(d.Reason)
	}
	return l, found, nil
}

// GroupsLog is the log of several groups: [wal.Log], or one with a defect.
type GroupsLog interface {
	Log
	Move(checkpoints map[wire.GroupID]wire.Op) (int, error)
}

// GroupsFound is what a recovery reports, of all groups.
type GroupsFound struct{ report wal.Report }

// Doubt says whether a group's log is in doubt.
func (f GroupsFound) Doubt(of wire.GroupID) bool { return f.report.InDoubt(of, true) }

// log is what a replay makes of a group's records: head and log view.
func (f GroupsFound) log(of wire.GroupID) (head wire.Op, logView wire.View) {
	for _, r := range f.report.Records {
		switch {
		case r.Group != of:
		case r.Kind == kindState:
			head, logView = r.Op, r.LogView
		case r.LogView == logView && !r.Fill && r.Op == head+1:
			head = r.Op
		}
	}
	return head, logView
}

// GroupsMaker opens the log of several groups on a disk.
type GroupsMaker func(d disk.Disk, boot Boot) (GroupsLog, GroupsFound, error)

// ProductionGroups opens the log that runs.
func ProductionGroups(d disk.Disk, boot Boot) (GroupsLog, GroupsFound, error) {
	l, report, err := openLog(d, boot)
	return l, GroupsFound{report}, err
}

func openLog(d disk.Disk, boot Boot) (*wal.Log, wal.Report, error) {
	l, report, err := wal.Open(d, wal.Config{
		Directory: directoryLog, FileBytes: boot.FileBytes, FilesMax: 64, RecordsMax: 1 << 16,
		Incarnation: wire.Uint128{Lo: boot.Number}, Kernel: wire.Uint128{Lo: boot.Kernel},
	})
	if err != nil {
		return nil, wal.Report{}, fmt.Errorf("boot %d: %w", boot.Number, err)
	}
	return l, report, nil
}

// ReasonSet is a set of reasons; bit r is reason r.
type ReasonSet uint16

// add adds a reason; zero is none.
func (s *ReasonSet) add(r Reason) { *s |= 1 << r &^ 1 }

func (s ReasonSet) has(r Reason) bool { return s&(1<<r) != 0 }

// String returns the names of the reasons.
func (s ReasonSet) String() string {
	var all []string
	for r := Reason(1); r < 16; r++ {
		if s.has(r) {
			all = append(all, r.String())
		}
	}
	return "[" + strings.Join(all, " ") + "]"
}

// record is a record of the driven group.
func record(kind wal.Kind, of wire.GroupID, id wire.PrepareID, body []byte) Record {
	return Record{
		Head: wal.Head{Kind: kind, Group: of, Op: id.Op, Checksum: id.Checksum}, Body: body,
	}
}

// The reasons that a model's state can call for.
const (
	tornTail           = wal.TornTail
	rot                = wal.Rot
	staleRecycled      = wal.StaleRecycled
	foreignIncarnation = wal.ForeignIncarnation
	orphaned           = wal.Orphaned
	misdirected        = wal.Misdirected
)
