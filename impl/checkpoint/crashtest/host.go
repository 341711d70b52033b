package crashtest

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	metadata  = wire.GroupID(1)
	partition = wire.GroupID(2)

	directorySuper = datadir.Superblock
	directoryLog   = datadir.Log

	// retainEvery makes every so manieth op of the partition one that retains.
	retainEvery = 9
	fileBytes   = 8 << 10
)

var (
	cluster           = wire.ClusterID{Lo: 7}
	directorySegments = datadir.Segments(partition)
)

func directorySnapshots(group wire.GroupID) string { return datadir.Snapshots(group) }

// host is one process.
type host struct {
	disk     storage.Disk
	super    *superblock.Store
	log      *wal.Log
	segments *segment.Log
	// fold is the metadata group's state: the checksum of all its ops.
	fold wire.Checksum
	// executed are the newest ops, by group; booted are the checkpoints found by the boot.
	executed, booted map[wire.GroupID]wire.Op
}

func segmentConfig() segment.Config {
	return segment.Config{
		Directory: directorySegments, Group: partition, SegmentBytes: 1500, IndexBytes: 400,
	}
}

// boot starts a process on a disk, formatted or not.
func boot(disk storage.Disk, incarnation uint64) (*host, error) {
	h := &host{
		disk: disk, executed: map[wire.GroupID]wire.Op{}, booted: map[wire.GroupID]wire.Op{},
	}
	var err error
	h.super, err = superblock.Open(disk, directorySuper, cluster, directoryLog)
	if errors.Is(err, superblock.ErrEmpty) {
		h.super, err = superblock.Format(disk, directorySuper, cluster, directoryLog)
	}
	if err != nil {
		return nil, err
	}
	log, report, err := wal.Open(disk, wal.Config{
		Directory: directoryLog, FileBytes: fileBytes, FilesMax: 8, RecordsMax: 1000,
		Incarnation: wire.Uint128{Lo: incarnation}, Kernel: wire.Uint128{Lo: 7},
	})
	if err != nil {
		return nil, err
	}
	h.log = log
	if err := h.recover(); err != nil {
		return nil, err
	}
	return h, h.replay(report)
}

func (h *host) state(group wire.GroupID) superblock.VsrState {
	if state, found := h.super.Record().Find(group); found {
		return state
	}
	return superblock.VsrState{Cluster: cluster, ReplicaCount: 1}
}

func (h *host) recover() error {
	meta, err := h.checkpoint(metadata)
	if err != nil {
		return err
	}
	if len(meta.State) == 16 {
		h.fold = wire.Checksum{
			Lo: binary.LittleEndian.Uint64(meta.State), Hi: binary.LittleEndian.Uint64(meta.State[8:]),
		}
	}
	part, err := h.checkpoint(partition)
	if err != nil {
		return err
	}
	var mark segment.Mark
	if part.Segments != nil {
		mark = *part.Segments
	}
	h.segments, _, err = segment.Open(h.disk, segmentConfig(), mark)
	return err
}

// checkpoint recovers a group's snapshot, and pairs one that the superblock does not name.
func (h *host) checkpoint(group wire.GroupID) (checkpoint.Snapshot, error) {
	state := h.state(group)
	r, err := checkpoint.Recover(h.disk, directorySnapshots(group), group, state)
	if err != nil {
		return checkpoint.Snapshot{}, err
	}
	if r.Newer {
		state.Checkpoint = r.Checkpoint
		paired := superblock.GroupState{Group: group, VsrState: state}
		if err := h.super.Write(paired); err != nil {
			return checkpoint.Snapshot{}, err
		}
	}
	h.executed[group], h.booted[group] = r.Checkpoint.Op, r.Checkpoint.Op
	return r.Snapshot, nil
}

// replay executes what the write-ahead log has above the checkpoints.
func (h *host) replay(report wal.Report) error {
	for _, r := range report.Records {
		if r.Kind != wal.KindPrepare || r.Op <= h.executed[r.Group] {
			continue
		}
		if !r.Present {
			continue // Torn: peers would have the body, if it was ever acknowledged.
		}
		body, err := h.log.Read(r.Group, r.ID())
		if err != nil {
			return err
		}
		if r.Op != h.executed[r.Group]+1 {
			return fmt.Errorf("group %d: op %d comes after %d", r.Group, r.Op, h.executed[r.Group])
		}
		if err := h.execute(r.Group, r.Op, body); err != nil {
			return err
		}
	}
	return nil
}

// store makes the next op of a group durable.
func (h *host) store(group wire.GroupID, op wire.Op) error {
	body := bodyOf(group, op)
	_, err := h.log.Append(wal.Record{
		Head: wal.Head{
			Kind: wal.KindPrepare, Group: group, Op: op, Checksum: wire.ChecksumOf(body),
		}, Body: body,
	})
	if err != nil {
		return err
	}
	return h.log.Sync()
}

// bodyOf is the content of an op: no two are equal.
func bodyOf(group wire.GroupID, op wire.Op) []byte {
	body := make([]byte, 100+int(op*37%400))
	for at := 0; at+16 <= len(body); at += 16 {
		binary.LittleEndian.PutUint64(body[at:], uint64(group))
		binary.LittleEndian.PutUint64(body[at+8:], uint64(op)<<20+uint64(at))
	}
	return body
}

func (h *host) execute(group wire.GroupID, op wire.Op, body []byte) error {
	h.executed[group] = op
	if group == metadata {
		folded := binary.LittleEndian.AppendUint64(body[:len(body):len(body)], h.fold.Lo)
		h.fold = wire.ChecksumOf(binary.LittleEndian.AppendUint64(folded, h.fold.Hi))
		return nil
	}
	if op%retainEvery == 0 {
		h.segments.Retain(segment.Retention{
			Now: uint64(op) * 10, Age: 150, Bytes: 5000, Hold: ^uint64(0),
		})
		return nil
	}
	return h.segments.Append(segment.Batch{
		Op: op, Offset: h.segments.Mark().Next, Timestamp: uint64(op) * 10,
		Messages: uint32(op%3) + 1, Body: body,
	})
}

// take makes a checkpoint of both groups.
func (h *host) take() error {
	part := func(group wire.GroupID) checkpoint.Part {
		op := h.executed[group]
		return checkpoint.Part{
			Directory: directorySnapshots(group), State: h.state(group),
			Snapshot: checkpoint.Snapshot{
				Cluster: cluster, Group: group, Clients: []byte("clients"),
				Prepare: wire.PrepareID{Op: op, Checksum: wire.ChecksumOf(bodyOf(group, op))},
			},
		}
	}
	a, b := part(metadata), part(partition)
	a.Snapshot.State = binary.LittleEndian.AppendUint64(
		binary.LittleEndian.AppendUint64(nil, h.fold.Lo), h.fold.Hi)
	b.Log = h.segments
	return checkpoint.Take(h.disk, h.super, h.release, a, b)
}

func (h *host) release(bases map[wire.GroupID]wire.Op) error {
	var records []wal.Record
	for _, group := range []wire.GroupID{metadata, partition} {
		records = append(records, wal.Record{Head: wal.Head{
			Kind: wal.KindState, Group: group, Op: bases[group],
		}, Body: []byte("no headers above the base")})
	}
	if _, err := h.log.Append(records...); err != nil {
		return err
	}
	if err := h.log.Sync(); err != nil {
		return err
	}
	_, err := h.log.Release(bases)
	return err
}

// Fill makes the data directory of a host that has taken a checkpoint of both groups and has
// executed more ops since: what a tool may be shown.
func Fill(disk storage.Disk) error {
	h, err := boot(disk, 1)
	if err != nil {
		return err
	}
	for op := wire.Op(1); op <= 12; op++ {
		for _, group := range []wire.GroupID{metadata, partition} {
			if err := h.store(group, op); err != nil {
				return err
			}
			if err := h.execute(group, op, bodyOf(group, op)); err != nil {
				return err
			}
		}
		if op == 8 {
			if err := h.take(); err != nil {
				return err
			}
		}
	}
	return errors.Join(h.segments.Close(), h.log.Close())
}
