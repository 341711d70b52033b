package storage

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// recorder is a replica that does whatever a replica may to its storage, by chance, and dies by
// chance. It knows nothing of the model's states.
type recorder struct {
	m      *Machine
	random *rand.Rand
	lines  []Line

	view, logView uint8
	headers       []uint8
	inDoubt, lost bool
	bodies        model.JournalEntries
	queue         []model.JournalRecord // At most one;
	booted        bool                  // ... which is the one that boot makes.
	stateSynced   bool
	synced        bool // All that was appended is.
	durable       LineSuperblock
	// Batches from whole to below flushed are this boot's and flushed.
	whole, flushed uint8
	rotten         bool
	// history is what the cluster knows of each view's log.
	history [model.JournalViewMax + 1][]uint8
}

// NewRecording makes a recording of a run of so many boots, by the seed.
//
// Errors are the code's: none is expected.
func NewRecording(maker Maker, persisted bool, seed uint64, boots int) (Recording, error) {
	m, err := NewMachine(boundsOf(persisted), maker)
	if err != nil {
		return Recording{}, err
	}
	r := &recorder{
		m: m, stateSynced: true, synced: true, whole: 1,
		random: rand.New(rand.NewPCG(seed, 66)), //nolint:forbidigo // The run's one source.
	}
	for range boots {
		for r.random.IntN(8) > 0 {
			if err := r.step(); err != nil {
				return Recording{}, fmt.Errorf("record: %w", err)
			}
		}
		if err := r.crash(); err != nil {
			return Recording{}, fmt.Errorf("record: %w", err)
		}
		refused, err := r.recover()
		if err != nil {
			return Recording{}, fmt.Errorf("record: %w", err)
		}
		if refused {
			break
		}
	}
	return Recording{Persisted: persisted, Lines: r.lines}, nil
}

func (r *recorder) add(l Line) { r.lines = append(r.lines, l) }

// step does one thing that a replica may do now, or nothing.
func (r *recorder) step() error {
	switch r.random.IntN(6) {
	case 0:
		if int(r.view) < r.m.config.MaxView {
			r.view++
			r.add(Line{Do: DoView})
		}
	case 1:
		return r.sync()
	case 2:
		return r.superblock()
	default:
		r.think()
		return r.append()
	}
	return nil
}

// think puts a record into the queue, if nothing waits there.
func (r *recorder) think() {
	normal := r.view == r.logView && !r.lost
	unknown := slices.Contains(r.headers, r.m.observer.Unknown())
	switch {
	case len(r.queue) > 0:
	case (r.inDoubt || r.lost) && r.view == r.logView && r.random.IntN(2) == 0:
		r.adopt(r.logView, r.history[r.logView])
	case r.view > r.logView:
		r.adopt(r.view, r.newLog())
	case normal && !unknown && len(r.headers) < r.m.config.MaxOp:
		r.headers = append(slices.Clone(r.headers), r.logView)
		r.prepare(r.headers)
	case normal && !unknown:
		for op := range r.headers {
			entry := model.JournalLogOf(r.headers[:op+1]...)
			if r.bodies&(1<<entry) == 0 && op < len(r.history[r.logView]) &&
				slices.Equal(r.headers[:op+1], r.history[r.logView][:op+1]) {
				r.prepare(r.headers[:op+1])
				return
			}
		}
	}
}

func (r *recorder) prepare(log []uint8) {
	r.queue = append(r.queue, model.JournalRecord{
		Kind: model.JournalPrepare, Entry: model.JournalLogOf(log...), LogView: r.logView,
	})
}

func (r *recorder) newLog() []uint8 {
	var log []uint8
	for v := uint8(0); v < r.view && len(log) < r.m.config.MaxOp; v++ {
		for r.random.IntN(2) == 0 && len(log) < r.m.config.MaxOp {
			log = append(log, v)
		}
	}
	return log
}

func (r *recorder) adopt(view uint8, log []uint8) {
	r.logView, r.headers, r.inDoubt, r.lost = view, log, false, false
	r.stateSynced = false
	r.queue = append(r.queue, r.state(view))
}

func (r *recorder) state(view uint8) model.JournalRecord {
	return model.JournalRecord{
		Kind: model.JournalStateRecord, LogView: view, Head: uint8(len(r.headers)),
		Entry: model.JournalLogOf(r.headers...), InDoubt: r.inDoubt,
	}
}

// batch takes the queue; ok is false if there is nothing to write, or no slot.
func (r *recorder) batch() (records model.JournalRecords, lines []LineRecord, ok bool) {
	if len(r.queue) == 0 || int(r.m.next) > r.m.config.Slots {
		return records, nil, false
	}
	records.All[0], records.Count = r.queue[0], 1
	return records, []LineRecord{lineOf(r.queue[0])}, true
}

// tell lets the cluster know of what is about to be stored.
func (r *recorder) tell() {
	log := r.queue[0].Entry.Views()
	known := &r.history[r.queue[0].LogView]
	if r.booted {
		return
	}
	if r.queue[0].Kind == model.JournalStateRecord || len(log) > len(*known) {
		*known = log
	}
}

func (r *recorder) append() error {
	records, lines, ok := r.batch()
	if !ok {
		return nil
	}
	r.tell()
	if mismatch := r.m.append(records); mismatch != nil {
		return mismatch
	}
	if r.queue[0].Kind == model.JournalPrepare {
		r.bodies |= 1 << r.queue[0].Entry
	}
	r.queue, r.synced, r.booted = nil, false, false
	r.add(Line{Do: DoAppend, Batch: lines})
	return nil
}

func (r *recorder) sync() error {
	if r.synced {
		return nil
	}
	r.synced, r.flushed = true, r.m.next
	if len(r.queue) == 0 || r.queue[0].Kind != model.JournalStateRecord {
		r.stateSynced = true
	}
	r.add(Line{Do: DoSync})
	if err := r.m.log.Sync(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// next is what the superblock has to say; ok is false if that is nothing new, or not yet true.
func (r *recorder) next() (next LineSuperblock, ok bool) {
	next = LineSuperblock{View: int(r.view), LogView: int(r.logView)}
	return next, r.stateSynced && next != r.durable
}

func (r *recorder) superblock() error {
	next, ok := r.next()
	if !ok {
		return nil
	}
	r.pend(next)
	if mismatch := r.m.writeSuperblock(); mismatch != nil {
		return mismatch
	}
	r.durable = next
	r.add(Line{Do: DoSuperblock, Superblock: &next})
	return nil
}

func (r *recorder) pend(s LineSuperblock) {
	r.m.pending = stateOf(model.JournalSuperblock{View: uint8(s.View), LogView: uint8(s.LogView)})
}

// crash ends the process, or the kernel too, and then something may rot.
func (r *recorder) crash() error {
	line := Line{Do: DoKill}
	if next, ok := r.next(); ok && r.random.IntN(3) == 0 {
		r.pend(next)
		line.Superblock = &next
		r.m.Steps = r.random.IntN(4)
		if mismatch := r.m.breakOff(r.random.IntN(3)); mismatch != nil {
			return mismatch
		}
	}
	if _, lines, ok := r.batch(); ok && r.random.IntN(3) == 0 {
		line.Batch = lines
		r.tell()
		r.cutShort()
	}
	if r.random.IntN(3) == 0 {
		r.m.disk.Kill()
	} else {
		line.Do = DoPowerLoss
		r.m.boot.Kernel++
		r.m.disk.PowerLoss(r.survival())
	}
	r.add(line)
	if r.m.config.MaxRot > 0 && !r.rotten && r.random.IntN(4) == 0 {
		return r.rot()
	}
	return nil
}

// cutShort writes some sectors of the next batch.
func (r *recorder) cutShort() {
	records, _, _ := r.batch()
	sectors := r.random.IntN(batchSectors + 1)
	r.m.stop = func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind != memdisk.OperationWrite || path.Dir(op.Path) != directoryLog {
			return nil
		}
		return &memdisk.Fault{Err: errStopped, Bytes: sectors * sectorBytes}
	}
	_, err := r.m.log.Append(recordsOf(records, r.m.Batches+1)...)
	r.m.stop = nil
	if err == nil {
		panic("the write that was to fail did not") // memdisk fails as it is told.
	}
}

// survival leaves sectors of batches to chance: with all, none, or any of a batch.
func (r *recorder) survival() memdisk.Survival {
	odds := map[int64]int{}
	return func(u memdisk.Unsynced) bool {
		if u.Kind != memdisk.UnsyncedSector {
			return true
		}
		batch := u.Sector / batchSectors // As good as any division.
		if _, ok := odds[batch]; !ok {
			odds[batch] = r.random.IntN(5)
		}
		return r.random.IntN(4) < odds[batch]
	}
}

// rot flips bits in one index of a batch that is whole.
func (r *recorder) rot() error {
	if r.flushed <= r.whole {
		return nil
	}
	slot := r.whole + uint8(r.random.IntN(int(r.flushed-r.whole)))
	at := r.m.places[slot-1]
	at.offset += []int64{0, batchBytes - 1}[r.random.IntN(2)]
	r.rotten = true
	r.add(Line{Do: DoRot})
	return flip(r.m.disk, at)
}

// recover boots, and goes on from what it finds.
func (r *recorder) recover() (refused bool, err error) {
	said, refused, err := r.m.openSuperblock()
	if err != nil {
		return false, err
	}
	if refused {
		r.add(Line{Do: DoBoot, Found: &LineFound{Refused: true}})
		return true, nil
	}
	found, err := r.m.openLog()
	if err != nil {
		return false, err
	}
	l, err := r.m.replay(found.Records)
	if err != nil {
		return false, err
	}
	if mismatch := r.m.read(l.Bodies); mismatch != nil {
		return false, mismatch
	}
	r.durable = LineSuperblock{int(said.View), int(said.LogView)}
	r.headers, r.bodies, r.inDoubt = l.Headers, l.Bodies, found.Doubt
	r.logView = max(uint8(said.LogView), l.LogView)
	r.view, r.lost = max(uint8(said.View), l.LogView), uint8(said.LogView) > l.LogView
	r.queue = []model.JournalRecord{r.state(l.LogView)}
	r.stateSynced, r.synced, r.booted = false, true, true
	r.flushed = 0
	r.m.cut(r.newest(found.Records) + 1)
	r.whole = r.m.next
	r.add(Line{Do: DoBoot, Found: r.found(l)})
	return false, nil
}

func (r *recorder) found(l log) *LineFound {
	f := &LineFound{
		View: int(r.view), LogView: int(r.logView), LogLost: r.lost, InDoubt: r.inDoubt,
		Headers: numbers(l.Headers), Bodies: [][]int{},
	}
	model.EachJournalLog(func(entry model.JournalLog) {
		if l.Bodies&(1<<entry) != 0 {
			f.Bodies = append(f.Bodies, numbers(entry.Views()))
		}
	})
	return f
}

// newest is the newest batch that has records: maybe the one that was under way.
func (r *recorder) newest(records []Recovered) uint8 {
	if len(records) == 0 {
		return 0
	}
	last := records[len(records)-1].Sequence
	if _, known := r.m.sequences[last]; !known {
		r.m.sequences[last] = r.m.next
	}
	return r.m.sequences[last]
}
