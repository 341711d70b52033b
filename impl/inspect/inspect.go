package inspect

import (
	"errors"
	"fmt"
	"os"
	"path"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/overlay"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Report says what a data directory holds and what recovery would make of it.
type Report struct {
	Directory string `json:"directory"`
	Cluster   string `json:"cluster"`
	// Sequence is the superblock's.
	Sequence uint64 `json:"superblock_sequence"`
	// Identity is nil where formatting was not finished.
	Identity *Identity `json:"identity,omitempty"`
	Log      Log       `json:"wal"`
	Groups   []Group   `json:"groups"`
}

// Identity is what format has given the directory.
type Identity struct {
	Replica  wire.ReplicaID `json:"replica"`
	Replicas int            `json:"replicas"`
	// ReplacedUpTo is the last group that an earlier directory of the replica may have had a log
	// of; 0 if there was no earlier one, the highest number while nobody knows (R16).
	ReplacedUpTo wire.GroupID `json:"replaced_up_to"`
}

// Replaced says of a replaced directory how far it is; nothing of another one.
func (id *Identity) Replaced() string {
	switch id.ReplacedUpTo {
	case 0:
		return ""
	case ^wire.GroupID(0):
		return ", in place of a lost directory: not back yet"
	}
	return fmt.Sprintf(", in place of a directory that was lost after group %d", id.ReplacedUpTo)
}

// Log is the write-ahead log.
type Log struct {
	Batches int `json:"batches"`
	Records int `json:"records"`
	// Damaged: something was unreadable, so all groups would be in doubt (R15).
	Damaged   bool     `json:"damaged"`
	Discarded []string `json:"discarded"`
	// highest are the highest ops of the groups.
	highest map[wire.GroupID]wire.Op
}

// Group is one group of the superblock.
type Group struct {
	Group     wire.GroupID   `json:"group"`
	Replica   wire.ReplicaID `json:"replica"`
	View      wire.View      `json:"view"`
	LogView   wire.View      `json:"log_view"`
	CommitMax wire.Op        `json:"commit_max"`
	// Highest is the highest op of a record of the group in the log.
	Highest wire.Op `json:"op_highest"`
	// Paired is the checkpoint that the superblock names, Adopted the one that counts.
	Paired  wire.Op `json:"checkpoint_paired"`
	Adopted wire.Op `json:"checkpoint_adopted"`
	// Segments, Bytes and the offsets are a partition's.
	Segments  int      `json:"segments"`
	Bytes     int64    `json:"segment_bytes"`
	Start     uint64   `json:"offset_start"`
	Next      uint64   `json:"offset_next"`
	Discarded []string `json:"discarded"`
	// Refused says why recovery would refuse to boot; empty if it would not.
	Refused string `json:"refused"`
}

// Refused says whether recovery would refuse to boot from the directory.
func (r Report) Refused() bool {
	for _, g := range r.Groups {
		if g.Refused != "" {
			return true
		}
	}
	return false
}

// Directory inspects a data directory. A cluster that is not zero is the one expected.
//
// Errors: no such directory, no directory, one that cannot be read, files that are none of a
// data directory, a superblock that is missing, unreadable or another cluster's, a write-ahead log
// that is gone, a foreign file in it. Nothing is changed, with or without an error.
func Directory(name string, cluster wire.ClusterID) (report Report, err error) {
	if err := datadir.Check(name, os.O_RDONLY); err != nil {
		return Report{}, fmt.Errorf("inspect: %w", err)
	}
	base, err := storage.OpenReadOnly(name)
	if err != nil {
		return Report{}, err
	}
	disk := overlay.New(base)
	defer func() { err = multierr.Combine(err, disk.Close(), base.Close()) }()
	outcome, err := superblock.Read(disk, datadir.Superblock, datadir.Log)
	if err != nil {
		return Report{}, err
	}
	var record superblock.Record
	switch found := outcome.(type) {
	case superblock.Empty:
		return Report{}, fmt.Errorf("inspect %s: %w", name, superblock.ErrEmpty)
	case superblock.Unreadable:
		found.File = path.Join(name, found.File)
		return Report{}, fmt.Errorf("inspect: %w", found)
	case superblock.Present:
		record = found.Record
	}
	if !wire.Uint128(cluster).IsZero() && cluster != record.Cluster {
		return Report{}, &superblock.ForeignError{
			Directory: name, Found: record.Cluster, Expected: cluster,
		}
	}
	report = Report{
		Directory: name, Cluster: wire.Uint128(record.Cluster).String(), Sequence: record.Sequence,
		Groups: []Group{},
	}
	for _, state := range record.Groups {
		if state.Group == datadir.Identity {
			report.Identity = &Identity{
				Replica: state.Replica, Replicas: int(state.ReplicaCount),
				ReplacedUpTo: wire.GroupID(state.CommitMax),
			}
			continue
		}
		g, err := group(disk, state)
		if err != nil {
			return Report{}, err
		}
		report.Groups = append(report.Groups, g)
	}
	if report.Log, err = readLog(disk, len(report.Groups) > 0); err != nil {
		return Report{}, fmt.Errorf("inspect %s: %w", name, err)
	}
	for i := range report.Groups {
		report.Groups[i].Highest = report.Log.highest[report.Groups[i].Group]
	}
	return report, nil
}

// group asks recovery about one group.
func group(disk storage.Disk, state superblock.GroupState) (Group, error) {
	g := Group{
		Group: state.Group, Replica: state.Replica, View: state.View, LogView: state.LogView,
		CommitMax: state.CommitMax, Paired: state.Checkpoint.Op, Discarded: []string{},
	}
	found, err := checkpoint.Inspect(disk, datadir.Snapshots(g.Group), g.Group, state.VsrState)
	var mismatch *checkpoint.MismatchError
	if errors.As(err, &mismatch) {
		g.Refused = mismatch.Error()
		return g, nil
	}
	if err != nil {
		return Group{}, err
	}
	g.Adopted = found.Checkpoint.Op
	for _, d := range found.Discarded {
		g.Discarded = append(g.Discarded, d.String())
	}
	return g, g.readSegments(disk, found.Snapshot.Segments)
}

func (g *Group) readSegments(disk storage.Disk, mark *segment.Mark) (err error) {
	directory := datadir.Segments(g.Group)
	names, err := disk.List(directory)
	if err != nil || mark == nil && len(names) == 0 {
		return err
	}
	if mark == nil {
		mark = &segment.Mark{}
	}
	l, report, err := segment.Open(disk, segment.DefaultConfig(directory, g.Group), *mark)
	var lost *segment.LostError
	if errors.As(err, &lost) {
		g.Refused = lost.Error()
		return nil
	}
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(l))
	g.Segments, g.Bytes, g.Start, g.Next = report.Segments, report.Bytes, mark.Start, mark.Next
	for _, d := range report.Discarded {
		g.Discarded = append(g.Discarded, d.String())
	}
	err = l.Scan(func(segment.Batch) bool { return true })
	if errors.As(err, &lost) {
		g.Refused = lost.Error()
		return nil
	}
	return err
}
