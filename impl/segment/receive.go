package segment

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// suffixIncoming is behind the name of a segment that is being received.
const suffixIncoming = ".incoming"

// ImageError refuses an image that is not what its mark says.
type ImageError struct {
	// Position is where in the image, in bytes.
	Position int64
	Reason   Reason
}

// Error names position and reason.
func (e *ImageError) Error() string {
	return fmt.Sprintf("image of segments at %d is %s: expected what its checkpoint covers",
		e.Position, e.Reason)
}

// Receive makes the segments of an image those of the directory: bytes from up to, and not
// including, to of what another replica has read from [OpenImage] with this mark. All of it is
// verified before any file is replaced. A file that is replaced goes on as before, and is only
// longer: equal histories have equal segments. So the checkpoint that was in force is still
// whole, and the new one is as soon as it is paired; then [Open] with its mark.
//
// Errors, with nothing replaced: [*ImageError]; storage.ErrFull. Else the disk's, with the
// checkpoint in force still whole.
//
// Source: R21; spec/Transfer.tla.
func Receive(
	disk storage.Disk, config Config, mark Mark, image io.ReaderAt, from, to int64,
) error {
	r := &receiving{Log: &Log{disk: disk, config: config, mark: mark}}
	err := errors.Join(config.check(), mark.check())
	if err == nil {
		err = r.clear()
	}
	if err == nil {
		err = r.receive(image, from, to)
	}
	if err == nil {
		err = r.rename()
	} else {
		err = errors.Join(err, r.abandon())
	}
	if err != nil {
		return fmt.Errorf("receive segments of group %d: %w", config.Group, err)
	}
	return nil
}

// receiving is a Receive under way.
type receiving struct {
	*Log
	// starts are the segments that are written; the last is open, with so many bytes.
	starts  []uint64
	file    storage.File
	covered int64
}

// clear removes what an earlier attempt has left.
func (r *receiving) clear() error {
	names, err := r.disk.List(r.config.Directory)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, suffixIncoming) {
			if err := r.disk.Remove(r.path(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *receiving) receive(image io.ReaderAt, from, to int64) error {
	w := &walker{
		file: image, group: r.config.Group, at: from, end: to, offset: r.mark.Start,
	}
	for !w.done() {
		at := w.at
		b, _, reason, err := w.next()
		if err != nil {
			return err
		}
		if reason != 0 {
			return &ImageError{at - from, reason}
		}
		if err := r.write(b, w.raw(at)); err != nil {
			return err
		}
	}
	last := r.mark.Next
	if n := len(r.starts); n > 0 {
		last = r.starts[n-1]
	}
	ends := Mark{r.mark.Start, last, r.covered, w.offset, w.op, w.timestamp, w.chain}
	if len(r.starts) == 0 { // Nothing is kept; what was before has left its traces.
		ends.Op, ends.Timestamp, ends.Chain = r.mark.Op, r.mark.Timestamp, r.mark.Chain
	}
	if ends != r.mark {
		return &ImageError{to - from, Forked}
	}
	return r.end()
}

// write puts a batch where its own replica has it.
func (r *receiving) write(b Batch, content []byte) error {
	if !r.config.Fits(r.covered, int64(len(b.Body))) {
		if err := r.end(); err != nil {
			return err
		}
		file, err := r.disk.Create(r.path(logName(b.Offset) + suffixIncoming))
		if err != nil {
			return err
		}
		r.starts, r.file, r.covered = append(r.starts, b.Offset), file, 0
	}
	if _, err := r.file.WriteAt(content, r.covered); err != nil {
		return err
	}
	r.covered += int64(len(content))
	return nil
}

// end makes the open segment durable.
func (r *receiving) end() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return errors.Join(file.Sync(), file.Close())
}

// rename gives all files their names, in the order of the offsets.
func (r *receiving) rename() error {
	for _, start := range r.starts {
		name := r.path(logName(start))
		if err := r.disk.Rename(name+suffixIncoming, name); err != nil {
			return err
		}
	}
	if len(r.starts) == 0 {
		return nil
	}
	return r.disk.SyncDir(r.config.Directory)
}

// abandon removes what was written.
func (r *receiving) abandon() error {
	return errors.Join(r.end(), r.clear())
}
