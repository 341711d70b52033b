package wal

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// moveBytes bounds the bodies that are moved in one batch; a larger one goes alone.
const moveBytes = 1 << 20

// Move writes those bodies of the oldest file again that no checkpoint covers, at the head of the
// log, as repair would, and flushes. It returns how many. Then the file can go as soon as the
// groups in it have newer state records, though their ops do not commit: else state records
// alone, of view change after view change, would fill the log for good. What does not verify is
// left alone, and keeps its file.
//
// Moving a file that holds nothing else frees nothing. But prepares stop a file before state
// records, so that there is something superseded to be found in the files behind.
//
// Errors: ErrFull, with some bodies moved, which is harmless; ErrPoisoned; the disk's, which
// poisons.
//
// Source: R17; spec/JournalGroups.tla Move, NoStall.
func (l *Log) Move(checkpoints map[wire.GroupID]wire.Op) (int, error) {
	if err := l.usable("move bodies in"); err != nil {
		return 0, err
	}
	if len(l.files) < 2 {
		return 0, nil
	}
	oldest := l.files[0]
	var batch []Record
	moved, bytes := 0, 0
	write := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := l.write(batch, 0, reserveMove, wayCached); err != nil {
			return fmt.Errorf("move bodies in log: %w", err)
		}
		moved, batch = moved+len(batch), nil
		return nil
	}
	for _, x := range l.uncopied(oldest, checkpoints) {
		body, err := l.Read(x.group, x.id)
		if errors.Is(err, ErrDamaged) || errors.Is(err, ErrAbsent) {
			continue
		}
		if err != nil {
			return moved, fmt.Errorf("move bodies in log: %w", err)
		}
		if bytes += len(body); bytes > min(moveBytes, int(l.config.FileBytes/8)) {
			if err := write(); err != nil {
				return moved, err
			}
			bytes = len(body)
		}
		batch = append(batch, Record{Head: Head{
			Kind: KindPrepare, Group: x.group, Op: x.id.Op, Checksum: x.id.Checksum, Fill: true,
		}, Body: body})
	}
	if err := write(); err != nil {
		return moved, err
	}
	oldest.moved = true
	return moved, l.Sync()
}

// uncopied are the ops in a file above the checkpoints, of which no flushed copy lies in a later
// file.
func (l *Log) uncopied(f *file, checkpoints map[wire.GroupID]wire.Op) []named {
	var all []named
	add := func(x named) {
		if x.id.Op > checkpoints[x.group] && !l.copied(f, x) {
			all = append(all, x)
		}
	}
	for i := range f.bodies {
		add(named{f.bodies[i].group, f.bodies[i].id})
	}
	for _, x := range f.absent {
		add(x)
	}
	return all
}

// copied says whether a file behind has a body too, and the disk has that file as far.
func (l *Log) copied(f *file, x named) bool {
	last := l.files[len(l.files)-1]
	for at := l.index.newest(x.group, x.id.Op); at.file > f.number; {
		g := l.files[at.file-l.files[0].number]
		b := &g.bodies[at.body]
		if b.id == x.id && (g != last || int64(b.offset) < l.flushed) {
			return true
		}
		at = b.older
	}
	return false
}
