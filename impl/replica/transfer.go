package replica

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A checkpoint travels as the bytes of its snapshot, and behind them those of the files that the
// snapshot names (statemachine.Image). Its identity is the snapshot's checksum: what lies behind
// is checked against the marks in the snapshot.

const (
	incomingFile = "checkpoint"
	// idleTicks is how long a checkpoint that was served is kept open for the next chunk.
	idleTicks = 500
)

// serving is the checkpoint that is being sent to others.
type serving struct {
	content []byte
	image   statemachine.Image
	idle    int
}

func (s *serving) end() {
	if s.image != nil {
		_ = s.image.Close() // it was only read
	}
	*s = serving{}
}

func (s *serving) tick() {
	if s.content != nil {
		if s.idle++; s.idle > idleTicks {
			s.end()
		}
	}
}

// incoming is what is kept of the checkpoint that is being fetched.
type incoming struct {
	file storage.File
	// waiting is a part that found the disk full.
	waiting *vsr.StoreChunk
	ticks   int
}

// carryOutTransfer does what the core asks for to fetch a checkpoint or to send one (R21).
func (h *Host) carryOutTransfer(out *vsr.Output) {
	for _, asked := range out.ReadChunks {
		h.inputs = append(h.inputs, h.readChunk(asked))
	}
	if out.StoreChunk != nil {
		h.storeChunk(*out.StoreChunk)
	}
	if out.InstallCheckpoint != nil {
		h.install(out.InstallCheckpoint)
	}
}

// readChunk reads a part of the newest checkpoint. The answer has no data if another is asked
// for: a host keeps no older ones.
func (h *Host) readChunk(asked vsr.ReadChunk) vsr.ChunkRead {
	answer := vsr.ChunkRead{ReadChunk: asked}
	c := &h.checkpoints
	if c.prepare.IsZero() || !asked.Checkpoint.IsZero() && asked.Checkpoint != c.prepare {
		return answer
	}
	answer.Checkpoint, answer.Snapshot = c.prepare, c.pairing.Checksum
	if err := h.serve(); err != nil {
		h.counters.Unreadable++
		return answer
	}
	size := uint64(len(h.serving.content))
	answer.Total = size
	if h.serving.image != nil {
		answer.Total += uint64(h.serving.image.Bytes())
	}
	if asked.Offset >= answer.Total {
		return answer
	}
	data := make([]byte, min(uint64(h.config.ChunkBytes), answer.Total-asked.Offset))
	n := 0
	if asked.Offset < size {
		n = copy(data, h.serving.content[asked.Offset:])
	}
	if n < len(data) {
		if _, err := h.serving.image.ReadAt(data[n:], int64(asked.Offset+uint64(n)-size)); err != nil &&
			!errors.Is(err, io.EOF) {
			h.counters.Unreadable++
			return answer
		}
	}
	answer.Data = data
	return answer
}

// serve opens the newest checkpoint, if it is not open yet.
func (h *Host) serve() error {
	s := &h.serving
	s.idle = 0
	if s.content != nil {
		return nil
	}
	content, err := checkpoint.Load(h.storage.disk, datadir.Snapshots(h.config.Group),
		h.checkpoints.prepare.Op)
	if err != nil {
		return err
	}
	snapshot, id, err := checkpoint.Decode(content, h.storage.options.Cluster, h.config.Group)
	if err != nil {
		return err
	}
	if id != h.checkpoints.pairing {
		return fmt.Errorf("serve checkpoint %s: the file has %s", h.checkpoints.pairing, id)
	}
	if m := h.segmented(); m != nil {
		if s.image, err = m.OpenImage(snapshot.State); err != nil {
			s.image = nil
			return err
		}
	}
	s.content = content
	return nil
}

// storeChunk keeps a part of a checkpoint. It need not survive a crash.
func (h *Host) storeChunk(chunk vsr.StoreChunk) {
	err := h.keep(&chunk)
	switch {
	case errors.Is(err, storage.ErrFull):
		h.incoming.waiting = &chunk
		return
	case err != nil:
		h.storage.breakDown(fmt.Errorf("fetch checkpoint of group %d: %w", h.config.Group, err))
		return
	}
	h.inputs = append(h.inputs, vsr.ChunkStored{
		Checkpoint: chunk.Checkpoint, Offset: chunk.Offset + uint64(len(chunk.Data)),
	})
}

func (h *Host) keep(chunk *vsr.StoreChunk) error {
	in := &h.incoming
	if chunk.Offset == 0 {
		if err := h.endIncoming(); err != nil {
			return err
		}
		file, err := h.storage.disk.Create(
			path.Join(datadir.Incoming(h.config.Group), incomingFile))
		if err != nil {
			return err
		}
		in.file = file
	}
	if in.file == nil {
		return errors.New("a part without the beginning")
	}
	_, err := in.file.WriteAt(chunk.Data, int64(chunk.Offset))
	return err
}

// tickIncoming tries again what found the disk full.
func (h *Host) tickIncoming() {
	in := &h.incoming
	if in.waiting == nil {
		return
	}
	if in.ticks++; in.ticks%retryTicks == 0 {
		chunk := *in.waiting
		in.waiting = nil
		h.storeChunk(chunk)
		h.run()
	}
}

// endIncoming removes what is kept.
func (h *Host) endIncoming() error {
	in := &h.incoming
	if in.file == nil {
		return h.storage.forgetIncoming(h.config.Group)
	}
	err := in.file.Close()
	*in = incoming{}
	if err != nil {
		return err
	}
	return h.storage.forgetIncoming(h.config.Group)
}

// forgetIncoming removes what a group has fetched, maybe in an earlier boot.
func (s *Storage) forgetIncoming(group wire.GroupID) error {
	directory := datadir.Incoming(group)
	names, err := s.disk.List(directory)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if err := s.disk.Remove(path.Join(directory, name)); err != nil {
			return fmt.Errorf("forget fetched checkpoint: %w", err)
		}
	}
	return err
}

// install verifies what was fetched, and begins to make it this replica's checkpoint: its files,
// the snapshot, the pairing. Nothing that is in force changes before all of it is durable.
func (h *Host) install(asked *vsr.InstallCheckpoint) {
	snapshot, err := h.fetched(asked)
	if err == nil {
		if m := h.segmented(); m != nil {
			size, _ := checkpoint.Size(h.incomingHead())
			err = m.Install(snapshot.State, h.incoming.file, int64(size), int64(asked.Total))
		}
	}
	if err != nil {
		h.counters.Refetched++
		if err := h.endIncoming(); err != nil {
			h.storage.breakDown(fmt.Errorf("fetch checkpoint of group %d: %w", h.config.Group, err))
			return
		}
		h.inputs = append(h.inputs, vsr.CheckpointRefused{ID: asked.Checkpoint})
		return
	}
	h.checkpoints.underWay++
	h.storage.takeCheckpoint(&checkpointJob{group: h.group, snapshot: snapshot, install: true})
}

func (h *Host) incomingHead() []byte {
	head := make([]byte, checkpoint.HeadBytes)
	n, _ := h.incoming.file.ReadAt(head, 0)
	return head[:n]
}

// fetched reads the snapshot of what is kept.
func (h *Host) fetched(asked *vsr.InstallCheckpoint) (checkpoint.Snapshot, error) {
	if h.incoming.file == nil {
		return checkpoint.Snapshot{}, errors.New("nothing is kept")
	}
	size, ok := checkpoint.Size(h.incomingHead())
	if !ok || size > asked.Total || h.segmented() == nil && size != asked.Total {
		return checkpoint.Snapshot{}, errors.New("no snapshot at the beginning")
	}
	content := bytes.NewBuffer(nil)
	if _, err := io.Copy(content, io.NewSectionReader(h.incoming.file, 0, int64(size))); err != nil {
		return checkpoint.Snapshot{}, err
	}
	snapshot, id, err := checkpoint.Decode(content.Bytes(), h.storage.options.Cluster,
		h.config.Group)
	switch {
	case err != nil:
		return snapshot, err
	case id.Checksum != asked.Snapshot || snapshot.Prepare != asked.Checkpoint:
		return snapshot, fmt.Errorf("checkpoint %s of %s, expected %s of %s", id, snapshot.Prepare,
			asked.Snapshot, asked.Checkpoint)
	}
	return snapshot, nil
}

// installed puts the machine to where the checkpoint is, which counts by now.
func (h *Host) installed(job *checkpointJob) {
	s := &job.snapshot
	if err := errors.Join(h.sessions.RestoreParts(s.State, s.Clients), h.endIncoming()); err != nil {
		h.storage.breakDown(fmt.Errorf("install checkpoint of group %d: %w", h.config.Group, err))
		return
	}
	h.executes = nil
	h.preflight.Restored(s.Prepare.Op)
	if h.config.OnRestore != nil {
		h.config.OnRestore(s.Prepare)
	}
	h.checkpoints.applied, h.checkpoints.appliedAt = s.Prepare, s.Timestamp
	h.counters.Installed++
	h.step(vsr.CheckpointInstalled{ID: s.Prepare, Timestamp: s.Timestamp})
}
