package partition

import (
	"errors"
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine"
)

var _ statemachine.Segmented = (*Machine)(nil)

// Persist implements [statemachine.Segmented]: it moves the tail into the segment files and
// flushes them. A machine without a disk has nothing to do.
//
// Errors: those of [Machine.Materialise]; after a failed flush the log is poisoned.
func (m *Machine) Persist() error {
	if err := m.Materialise(); err != nil {
		return err
	}
	m.persisted = m.start
	if m.log == nil {
		return nil
	}
	if err := m.log.Sync(); err != nil {
		return fmt.Errorf("persist partition %d: %w", m.config.Partition, err)
	}
	return nil
}

// Paired implements [statemachine.Segmented]: it removes the segments below the start that the
// last Persist has seen.
func (m *Machine) Paired() error {
	if m.log == nil {
		return nil
	}
	if err := m.log.TrimBelow(m.persisted); err != nil {
		return fmt.Errorf("trim partition %d: %w", m.config.Partition, err)
	}
	return nil
}

// named returns the mark of a snapshot of this partition.
func (m *Machine) named(snapshot []byte) (segment.Mark, error) {
	if m.config.Disk == nil {
		return segment.Mark{}, errors.New("no disk has an image")
	}
	return (&Machine{config: m.config}).decode(snapshot)
}

// OpenImage implements [statemachine.Segmented].
func (m *Machine) OpenImage(snapshot []byte) (statemachine.Image, error) {
	mark, err := m.named(snapshot)
	if err != nil {
		return nil, fmt.Errorf("open image of partition %d: %w", m.config.Partition, err)
	}
	image, err := segment.OpenImage(m.config.Disk, m.config.Segments, mark)
	if err != nil {
		return nil, err
	}
	return image, nil
}

// Install implements [statemachine.Segmented].
//
// Errors: the bytes are no snapshot of this partition; [*segment.ImageError]; storage.ErrFull;
// the disk's.
func (m *Machine) Install(snapshot []byte, image io.ReaderAt, from, to int64) error {
	mark, err := m.named(snapshot)
	if err == nil {
		err = segment.Receive(m.config.Disk, m.config.Segments, mark, image, from, to)
	}
	if err != nil {
		return fmt.Errorf("install partition %d: %w", m.config.Partition, err)
	}
	return nil
}
