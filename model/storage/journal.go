package storage

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// Journal returns the model of Journal.tla under c: the disk of one replica, with a
// crash at every step, decay and boot. With c.Bugs empty all invariants hold; the
// comment of each invariant names the mutants that break it.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Journal(c JournalConfig) explore.Model[JournalState, JournalAction] {
	j := newJournal(c)
	return explore.Model[JournalState, JournalAction]{
		Name:      "Journal",
		Init:      j.init,
		Next:      j.next,
		Key:       func(dst []byte, s JournalState) []byte { return s.appendKey(dst) },
		Canonical: func(dst []byte, s JournalState) []byte { return j.appendCanonical(dst, &s) },
		Always:    j.invariants(),
		Sometimes: j.goals(),
		Format:    func(s JournalState) []string { return j.format(&s) },
	}
}

// journal is the model under one configuration.
type journal struct {
	JournalConfig
	bugs    uint32 // Bit b: mutant b is switched on.
	unknown uint8  // JournalDisk!Unknown.
	// before are the logs of JournalDisk!LogsBefore, by view.
	before [JournalViewMax + 1][]JournalLog
}

func newJournal(c JournalConfig) *journal {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	j := &journal{JournalConfig: c, unknown: uint8(c.MaxView) + 1}
	for _, b := range c.Bugs {
		j.bugs |= 1 << slices.Index(JournalBugs(), b)
	}
	for v := range j.before {
		eachJournalLog(c.MaxOp, v, func(l JournalLog) {
			if l.head() < 2 || l.at(1) <= l.at(2) {
				j.before[v] = append(j.before[v], l)
			}
		})
	}
	return j
}

// has reports whether a mutant is switched on.
func (j *journal) has(b journalBug) bool { return j.bugs&(1<<b) != 0 }

// init is Journal!Init.
func (j *journal) init() []JournalState {
	return []JournalState{{Base: 1, Status: JournalRunning, StateSynced: true}}
}

// next yields the steps out of s: Journal!Next. What no crash can follow shows
// nothing, so after the last boot nothing more is done.
func (j *journal) next(s JournalState, yield func(JournalAction, JournalState)) {
	switch {
	case s.Status == JournalDown:
		j.decay(&s, yield)
		j.boot(&s, yield)
	case s.Status == JournalRunning && int(s.Crashes) < j.MaxCrash:
		// Every step of a running replica ends with speaking.
		work := func(a JournalAction, t *JournalState) {
			j.speak(t)
			yield(a, *t)
		}
		j.log(&s, work)
		j.writeBatch(&s, work)
		j.syncWAL(&s, work)
		j.superblock(&s, work)
		if j.Checkpoints {
			j.checkpoint(&s, work)
		}
		j.kill(&s, yield)
		j.powerLoss(&s, yield)
	}
}

// take is how a step of a running replica is handed on: the state is copied.
type take func(a JournalAction, t *JournalState)

// speak is JournalDisk!Speak: in the state after a step the replica votes and
// acknowledges whatever it may (R1, R3).
func (j *journal) speak(s *JournalState) {
	can := s.canSpeak()
	if can || j.has(viewSentBeforeWrite) && s.Status == JournalRunning {
		s.SentView = max(s.SentView, s.View)
	}
	acknowledged := JournalEntries(0)
	if can {
		s.SentLogView = max(s.SentLogView, s.LogView)
		stored := s.BodiesWritten
		if j.Policy == Persisted && !j.has(ackBeforeFlush) {
			stored = s.BodiesSynced
		}
		for o := uint8(1); o <= s.Headers.head(); o++ {
			acknowledged |= stored & (1 << s.Headers.prefix(o))
		}
	}
	for v := range s.PrepareOKs {
		if v < int(s.SentLogView) { // The vote has replaced them.
			s.PrepareOKs[v], s.Owed[v] = 0, 0
		}
		s.PrepareOKs[v] &^= acknowledged
		s.Owed[v] &^= acknowledged
	}
	s.PrepareOKs[s.LogView] |= acknowledged
	s.Owed[s.LogView] |= acknowledged
}

// room is Journal!Room.
func (j *journal) room(s *JournalState) bool { return int(s.Queue.Count) < j.MaxRecords }

// log has the actions about the log of the replica.
func (j *journal) log(s *JournalState, take take) {
	j.appendPrepare(s, take)
	j.repairPrepare(s, take)
	j.appendOther(s, take)
	j.enterView(s, take)
	j.adopt(s, take)
}

// appendPrepare is Journal!AppendPrepare: the next op of the view.
func (j *journal) appendPrepare(s *JournalState, take take) {
	if !j.room(s) || !s.normal() || int(s.Headers.head()) >= j.MaxOp {
		return
	}
	t := *s
	t.Headers = s.Headers.add(s.LogView)
	t.Queue.add(JournalRecord{Kind: JournalPrepare, Entry: t.Headers, LogView: s.LogView})
	if t.Headers.head() > s.History[s.LogView].head() {
		t.History[s.LogView] = t.Headers
	}
	if !j.has(ackByOldBody) {
		t.BodiesWritten &^= 1 << t.Headers
		t.BodiesSynced &^= 1 << t.Headers
	}
	take(JournalAction{Kind: JournalAppendPrepare}, &t)
}

// repairPrepare is Journal!RepairPrepare: a hollow or faulty op gets its body (R9).
func (j *journal) repairPrepare(s *JournalState, take take) {
	if !j.room(s) || !s.normal() {
		return
	}
	history := s.History[s.LogView]
	stored := s.BodiesWritten | s.Queue.bodies()
	for op := s.SnapshotCache + 1; op <= min(s.Headers.head(), history.head()); op++ {
		entry := history.prefix(op)
		if stored.has(entry) {
			continue
		}
		t := *s
		t.Headers = s.Headers.with(op, entry.last())
		t.Queue.add(JournalRecord{Kind: JournalPrepare, Entry: entry, LogView: s.LogView})
		take(JournalAction{Kind: JournalRepairPrepare, Number: op}, &t)
	}
}

// appendOther is Journal!AppendOther: another group of the node has something to write.
func (j *journal) appendOther(s *JournalState, take take) {
	if !j.OtherGroups || s.Queue.Count > 0 {
		return
	}
	t := *s
	t.Queue.add(JournalRecord{Kind: JournalOther})
	take(JournalAction{Kind: JournalAppendOther}, &t)
}

// enterView is Journal!EnterView: a view change begins.
func (j *journal) enterView(s *JournalState, take take) {
	if int(s.View) >= j.MaxView {
		return
	}
	t := *s
	t.View++
	take(JournalAction{Kind: JournalEnterView}, &t)
}

// adopt is Journal!Adopt: a StartView, or the merge of a new primary.
func (j *journal) adopt(s *JournalState, take take) {
	if !j.room(s) {
		return
	}
	for v := s.View; int(v) <= j.MaxView; v++ {
		if v == s.LogView {
			if s.InDoubt || s.LogLost {
				j.adoptLog(s, v, s.History[v], take)
			}
			continue
		}
		for _, log := range j.before[v] {
			if s.Committed.fits(log, j.unknown) {
				j.adoptLog(s, v, log, take)
			}
		}
	}
}

func (j *journal) adoptLog(s *JournalState, v uint8, log JournalLog, take take) {
	t := *s
	if v > s.LogView {
		t.Adopted[v] = log
	}
	t.View, t.LogView, t.Headers, t.InDoubt, t.LogLost = v, v, log, false, false
	t.History[v] = log
	record := j.stateRecord(v, log, s.Superblock.Checkpoint, false)
	if j.has(hollowHeadersOnly) {
		for o := uint8(1); o <= log.head(); o++ {
			if !s.BodiesWritten.has(log.prefix(o)) {
				record.Hollow |= 1 << (o - 1)
			}
		}
	}
	t.Queue.add(record)
	t.StateSynced, t.StateBase = false, s.Superblock.Checkpoint
	take(JournalAction{Kind: JournalAdopt, Number: v, Log: log}, &t)
}

// stateRecord is JournalDisk!StateRecord (R2).
func (j *journal) stateRecord(v uint8, log JournalLog, from uint8, doubt bool) JournalRecord {
	record := JournalRecord{
		Kind: JournalStateRecord, LogView: v, From: from, Head: log.head(), InDoubt: doubt,
	}
	if !j.has(logViewWithoutHeaders) {
		record.Entry = log.suffix(from)
	}
	return record
}
