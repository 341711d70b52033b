package storage

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of Journal.tla, in the order of its cfgs.
func (j *journal) invariants() []explore.Property[JournalState] {
	property := func(name string, check func(s *JournalState) error) explore.Property[JournalState] {
		return explore.Property[JournalState]{
			Name: name, Check: func(s JournalState) error { return check(&s) },
		}
	}
	return []explore.Property[JournalState]{
		property("ViewKept", j.viewKept),
		property("LogNoShorter", j.logNoShorter),
		property("LogNoLonger", j.logNoLonger),
		property("AckedSurvives", j.ackedSurvives),
		property("NackSafe", j.nackSafe),
		property("CrashAlone", j.crashAlone),
		property("CkptWhole", j.ckptWhole),
		property("RingWhole", j.ringWhole),
		property("RotRead", j.rotRead),
		property("NoTorn", j.noTorn),
	}
}

// viewKept is Journal!ViewKept (R1): no promise of a vote is forgotten.
func (j *journal) viewKept(s *JournalState) error {
	if s.Status == JournalRunning && (s.View < s.SentView || s.LogView < s.SentLogView) {
		return fmt.Errorf("view=%d log_view=%d, it voted for view %d and log_view %d",
			s.View, s.LogView, s.SentView, s.SentLogView)
	}
	return nil
}

// logNoShorter is Journal!LogNoShorter (R2): the log has all that was adopted.
func (j *journal) logNoShorter(s *JournalState) error {
	if adopted := s.Adopted[s.LogView]; s.live() && !adopted.fits(s.Headers, j.unknown) {
		return fmt.Errorf("log %s of log_view %d, adopted was %s",
			j.logText(s.Headers), s.LogView, j.logText(adopted))
	}
	return nil
}

// logNoLonger is Journal!LogNoLonger (R2): no truncated op comes back.
func (j *journal) logNoLonger(s *JournalState) error {
	if history := s.History[s.LogView]; s.live() && !s.Headers.fits(history, j.unknown) {
		return fmt.Errorf("log %s of log_view %d, which never had more than %s",
			j.logText(s.Headers), s.LogView, j.logText(history))
	}
	return nil
}

// ackedSurvives is Journal!AckedSurvives (R3, R14): what was acknowledged is there;
// where rot took it, that is known.
func (j *journal) ackedSurvives(s *JournalState) error {
	if !s.live() {
		return nil
	}
	queued := s.Queue.bodies()
	var lost error
	for v := s.LogView; int(v) <= j.MaxView; v++ {
		s.Owed[v].each(func(e JournalLog) {
			inLog := e.fits(s.Headers, j.unknown)
			switch {
			case inLog && (s.BodiesWritten.has(e) || e.head() <= s.SnapshotCache):
			case queued.has(e):
			case s.Rots > 0 && (inLog || s.InDoubt):
			default:
				lost = fmt.Errorf("op %d as %s was acknowledged in log_view %d and is not stored",
					e.head(), j.logText(e), v)
			}
		})
	}
	return lost
}

// nackSafe is Journal!NackSafe (R12, R15): only what it never acknowledged can it nack.
func (j *journal) nackSafe(s *JournalState) error {
	if !s.live() || s.InDoubt {
		return nil
	}
	var nacked error
	for v := s.LogView; int(v) <= j.MaxView; v++ {
		s.PrepareOKs[v].each(func(e JournalLog) {
			if !e.fits(s.Headers, j.unknown) {
				nacked = fmt.Errorf("op %d as %s was acknowledged in log_view %d and may be nacked",
					e.head(), j.logText(e), v)
			}
		})
	}
	return nacked
}

// crashAlone is Journal!CrashAlone (R2, R14, R16): a crash without decay costs neither
// the log nor the boot, and leaves no op whose header is not known.
func (j *journal) crashAlone(s *JournalState) error {
	switch {
	case s.Rots > 0 || s.Damages > 0:
		return nil
	case s.Status == JournalRefused:
		return fmt.Errorf("it refused to boot, and nothing had decayed")
	case s.LogLost:
		return fmt.Errorf("the log of log_view %d is lost, and nothing had decayed", s.LogView)
	case s.Status == JournalRunning && s.Headers.holds(j.unknown):
		return fmt.Errorf("log %s has an op without a header, and nothing had decayed",
			j.logText(s.Headers))
	}
	return nil
}

// ckptWhole is Journal!CkptWhole (R17): the snapshot holds what the WAL no longer does.
func (j *journal) ckptWhole(s *JournalState) error {
	if s.Status == JournalRunning && s.SnapshotCache < s.Released {
		return fmt.Errorf("op %d was released, the snapshot is of op %d", s.Released, s.SnapshotCache)
	}
	return nil
}

// ringWhole is Journal!RingWhole (R17): no live batch is overwritten.
func (j *journal) ringWhole(s *JournalState) error {
	if s.Status != JournalRunning || s.Rots > 0 {
		return nil
	}
	for sequence := s.Base; sequence <= s.Written; sequence++ {
		if found := j.cell(s, sequence).Sequence; found != sequence {
			return fmt.Errorf("the slot of batch %d, which is not released, holds batch %d",
				sequence, found)
		}
	}
	return nil
}

// rotRead is Journal!RotRead (R14): boot does not end where an unbroken chain behind
// says that what lies below it was synced.
func (j *journal) rotRead(s *JournalState) error {
	if s.Status != JournalDown {
		return nil
	}
	read, top := j.scan(s), s.Base+uint8(j.Slots)-1
	for k := read.end + 1; k <= top; k++ {
		for at := k; at <= top; at++ {
			cell := j.cell(s, at)
			if cell.Illegible || cell.Sequence != at ||
				at > k && cell.ParentBoot != j.cell(s, at-1).Boot {
				break
			}
			if cell.SyncedThrough >= k-1 {
				return fmt.Errorf("boot ends at batch %d, batch %d says that %d was synced",
					read.end, at, k-1)
			}
		}
	}
	return nil
}

// noTorn is Journal!NoTorn (R14): boot takes no batch of which nothing verifies.
func (j *journal) noTorn(s *JournalState) error {
	if s.Status != JournalDown {
		return nil
	}
	read := j.scan(s)
	for sequence := s.Base; sequence < read.end; sequence++ {
		if read.has(sequence) && j.cell(s, sequence).Illegible {
			return fmt.Errorf("boot takes batch %d, of which nothing verifies", sequence)
		}
	}
	return nil
}
