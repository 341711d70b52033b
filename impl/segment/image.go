package segment

import (
	"errors"
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// Image is the content of the segments that a mark covers, one after the other, as a replica
// that lacks them fetches it (R21). Whoever opened it may read it until the files go: they stay
// until the next checkpoint is trimmed.
type Image struct {
	parts []part
	bytes int64
}

// part is one segment of an image.
type part struct {
	file     storage.File
	at, size int64
}

// OpenImage opens the files that a mark covers, as they are. They are not verified here: who
// receives an image does that.
//
// Errors: [*LostError] where a file is shorter than the mark says, or not there; the disk's.
func OpenImage(disk storage.Disk, config Config, mark Mark) (*Image, error) {
	i := &Image{}
	if err := i.open(disk, config, mark); err != nil {
		return nil, fmt.Errorf("open image of group %d: %w", config.Group,
			errors.Join(err, i.Close()))
	}
	return i, nil
}

func (i *Image) open(disk storage.Disk, config Config, mark Mark) error {
	if err := errors.Join(config.check(), mark.check()); err != nil || mark.Bytes == 0 {
		return err
	}
	o := &opening{Log: &Log{disk: disk, config: config, mark: mark}}
	if err := o.names(); err != nil {
		return err
	}
	for _, start := range o.logs {
		if start < mark.Start || start > mark.Last {
			continue
		}
		file, err := disk.Open(o.path(logName(start)))
		if err != nil {
			return err
		}
		size, err := file.Size()
		i.parts = append(i.parts, part{file, i.bytes, size})
		switch {
		case err != nil:
			return err
		case start == mark.Last && size < mark.Bytes:
			return o.lost(start, size, Short)
		case start == mark.Last:
			size = mark.Bytes
		}
		i.parts[len(i.parts)-1].size = size
		i.bytes += size
	}
	if n := len(o.logs); n == 0 || o.logs[0] > mark.Start || o.logs[n-1] < mark.Last {
		return o.lost(mark.Last, 0, Missing)
	}
	return nil
}

// Bytes returns how large the image is.
func (i *Image) Bytes() int64 { return i.bytes }

// ReadAt implements io.ReaderAt.
func (i *Image) ReadAt(p []byte, offset int64) (n int, err error) {
	for _, s := range i.parts {
		if n == len(p) {
			return n, nil
		}
		at := offset + int64(n) - s.at
		if at < 0 || at >= s.size {
			continue
		}
		want := p[n:min(int64(len(p)), int64(n)+s.size-at)]
		read, err := s.file.ReadAt(want, at)
		n += read
		if read < len(want) {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close releases the files.
func (i *Image) Close() error {
	var err error
	for _, s := range i.parts {
		err = errors.Join(err, s.file.Close())
	}
	i.parts = nil
	return err
}
