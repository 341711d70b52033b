package partition

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/segment"
)

// TailBytes returns how many bytes of batches are in memory only.
func (m *Machine) TailBytes() int64 { return m.tailBytes }

// Materialise moves the tail into the segment files, without flushing them: [Machine.Persist]
// does both, for a checkpoint. A machine without a disk has nothing to do. Call it at any
// time, so that the tail does not grow.
//
// Errors: storage.ErrFull, with the rest of the tail kept and the state as it was; it may be called
// again.
// Any other error is the disk's: the log is poisoned, and the process has to boot anew.
//
// Source: R17; spec/PartitionLog.tla.
func (m *Machine) Materialise() error {
	if m.config.Disk == nil {
		return nil
	}
	if err := m.materialise(); err != nil {
		return fmt.Errorf("materialise partition %d: %w", m.config.Partition, err)
	}
	return nil
}

func (m *Machine) materialise() error {
	if m.log == nil {
		log, _, err := segment.Open(m.config.Disk, m.config.Segments, segment.Mark{})
		if err != nil {
			return err
		}
		m.log = log
	}
	for i := range m.tail {
		if err := m.write(&m.tail[i]); err != nil {
			m.forget(m.log.Mark().Next) // What is in the files is not in the tail, too.
			return err
		}
	}
	if m.start == m.next {
		m.log.Purge()
	}
	m.log.ReleaseBelow(m.start)
	m.forget(m.next)
	return nil
}

// write moves one batch. What an op has dropped before it ever got to a file is not written,
// but the chain has it, as on a replica that had written it by then.
func (m *Machine) write(r *record) error {
	if r.next <= m.start {
		return m.log.Skip(r.segmented())
	}
	if r.offset == m.start && m.config.Defect != DefectStartInsideSegment {
		m.log.Purge() // The start is where a segment begins; all before it has gone.
	}
	return m.log.Append(r.segmented())
}

// Segments returns the log of the segment files, to be looked at. Nil without a disk, and before
// the first Materialise or Restore.
func (m *Machine) Segments() *segment.Log { return m.log }

// Close releases the files. It flushes nothing.
func (m *Machine) Close() error {
	if m.log == nil {
		return nil
	}
	log := m.log
	m.log = nil
	return log.Close()
}
