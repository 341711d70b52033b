package storage

import (
	"path"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// kill ends the process. The write under way leaves what the model says of it.
func (m *Machine) kill(a action, s *state) *Mismatch {
	if mismatch := m.breakOff(shown(s, s.SuperblockCache)); mismatch != nil {
		return mismatch
	}
	if a.Left == model.JournalLeftNothing {
		m.disk.Kill()
		return nil
	}
	before, err := readBatch(m.disk, m.behind)
	if err != nil {
		return failed("read the disk", err)
	}
	at := m.behind
	if mismatch := m.append(s.Queue); mismatch != nil {
		return mismatch
	}
	m.disk.Kill()
	keep := tornSectors()
	if a.Left == model.JournalLeftLegible {
		keep = legibleSectors(s.Queue)
	}
	if err := writeSectors(m.disk, at, before, keep.others()); err != nil {
		return failed("tear a write", err)
	}
	return nil
}

// shown counts the files that have the update under way.
func shown(s *state, files [2]model.JournalSuperblock) int {
	n := 0
	for _, f := range files {
		if f == s.SuperblockNext {
			n++
		}
	}
	return n
}

// powerLoss ends the process and the kernel below it, and leaves of what was not synced what
// the model says.
func (m *Machine) powerLoss(a action, s *state) *Mismatch {
	files := 0
	for k := range s.SuperblockCache {
		if a.Files&(1<<k) != 0 {
			files++
		}
	}
	if mismatch := m.breakOff(files); mismatch != nil {
		return mismatch
	}
	m.past.powerLost = true
	m.boot.Kernel++
	m.disk.PowerLoss(func(u memdisk.Unsynced) bool {
		if u.Kind != memdisk.UnsyncedSector || path.Dir(u.Path) != directoryLog {
			return true
		}
		for p := range m.config.Slots {
			at := m.places[p]
			sector := u.Sector - at.offset/sectorBytes
			if at.path != u.Path || sector < 0 || sector >= batchSectors {
				continue
			}
			switch {
			case a.Fate[p] == model.JournalLost:
				return false
			case a.Fate[p] == model.JournalTorn && a.Legible:
				return legibleSectors(s.WALCache[p].Records)[sector]
			case a.Fate[p] == model.JournalTorn:
				return tornSectors()[sector]
			}
		}
		return true
	})
	return nil
}

// rot makes the batch in a slot unreadable, but for its index at one end.
func (m *Machine) rot(a action, s *state) *Mismatch {
	p := int(a.Number) - 1
	b := &s.WALCache[p]
	keep := legibleSectors(b.Records)
	if m.config.MaxRot == 1 && m.Steps%2 == 0 && m.observer.Scan(*s).Uses(b.Sequence) {
		// Or at the other end, where no second fault puts the batch behind the end of the log.
		keep[0], keep[batchSectors-1] = false, true
	}
	for sector, kept := range keep {
		at := m.places[p]
		at.offset += int64(sector * sectorBytes)
		if kept {
			continue
		}
		if err := flip(m.disk, at); err != nil {
			return failed("rot", err)
		}
	}
	return nil
}

// misdirect takes a batch out of its place and puts it into another one, below what has been
// written there since.
func (m *Machine) misdirect(a action, s *state) *Mismatch {
	from, to := m.places[a.Number-1], m.places[a.To-1]
	b, err := readBatch(m.disk, from)
	if err != nil {
		return failed("read the disk", err)
	}
	var all sectors
	if err := writeSectors(m.disk, from, make([]byte, batchBytes), all.others()); err != nil {
		return failed("misdirect", err)
	}
	covered := sectors{}
	batch, there := &s.WALCache[a.Number-1], &s.WALCache[a.To-1]
	if there.Boot > batch.Boot || there.Boot == batch.Boot && there.Sequence > batch.Sequence {
		covered = covered.others()
		if there.Illegible {
			covered = tornSectors()
			m.past.beneath[a.To-1] = true
		}
	}
	if err := writeSectors(m.disk, to, b, covered.others()); err != nil {
		return failed("misdirect", err)
	}
	return nil
}

func (m *Machine) damageSuperblock(a action) *Mismatch {
	name := superblock.FileA
	if a.Number == 2 {
		name = superblock.FileB
	}
	at := place{path.Join(directorySuperblock, name), 0}
	at.offset += int64(m.Steps % 64)
	if at.offset >= 4 && at.offset < 6 { // Magic and version have outcomes of their own.
		at.offset = 40
	}
	if err := flip(m.disk, at); err != nil {
		return failed("damage the superblock", err)
	}
	return nil
}
