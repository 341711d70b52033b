package wal_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var errBroken = errors.New("broken")

// stored is what the matrix knows of the log: the records in order, how many the operating
// system has, how many the disk, and up to which op a release was asked for.
type stored struct {
	log      *wal.Log
	records  []wal.Record
	written  int
	synced   int
	released wire.Op
}

func (s *stored) append(records ...wal.Record) error {
	s.records = append(s.records, records...)
	if _, err := s.log.Append(records...); err != nil {
		return err
	}
	s.written = len(s.records)
	return nil
}

func (s *stored) store(records ...wal.Record) error {
	if err := s.append(records...); err != nil {
		return err
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	s.synced = s.written
	return nil
}

func (s *stored) fill(n, size int) error {
	for range n {
		if err := s.store(prepare(1, wire.Op(len(s.records)+1), size)); err != nil {
			return err
		}
	}
	return nil
}

// acts are what is done to a log of some batches when a fault strikes.
var acts = map[string]func(*stored) error{
	"append": func(s *stored) error {
		if err := s.append(prepare(1, wire.Op(len(s.records)+1), 700)); err != nil {
			return err
		}
		return s.fill(2, 1500)
	},
	"state record": func(s *stored) error { return s.store(state(1, 2, false), state(2, 0, true)) },
	"roll":         func(s *stored) error { return s.fill(5, 3000) },
	"release": func(s *stored) error {
		if err := s.fill(9, 3000); err != nil {
			return err
		}
		head := wire.Op(len(s.records))
		if err := s.store(state(1, head, false)); err != nil {
			return err
		}
		s.released = head
		if _, err := s.log.Release(map[wire.GroupID]wire.Op{1: head}); err != nil {
			return err
		}
		return s.fill(9, 3000) // In files that are used again.
	},
	"make room": func(s *stored) error {
		if _, err := s.log.MakeRoom(); err != nil {
			return err
		}
		return s.fill(6, 3000)
	},
	"boot": func(s *stored) error { return s.log.Close() }, // And Open, in strike.
}

// wrong compares what a boot found with what must be there: a run of the records without
// gaps, from its start or a release to what the crash cannot have taken.
func (s *stored) wrong(l *wal.Log, report wal.Report, kept int) string {
	found := report.Records
	first := 0
	if len(found) > 0 {
		first = slices.IndexFunc(s.records, func(r wal.Record) bool {
			return r.Head == found[0].Head
		})
	}
	switch {
	case first < 0:
		return "a record came from nowhere"
	case first > 0 && s.released == 0:
		return "released by nobody"
	case first+len(found) < kept:
		return fmt.Sprintf("%d records of %d lost", kept-first-len(found), kept)
	case first+len(found) > len(s.records):
		return "more records than were stored"
	}
	for i, r := range found {
		want := s.records[first+i]
		if r.Head != want.Head {
			return "another order"
		}
		if !r.Present {
			if first+i < kept {
				return "a body is lost"
			}
			continue
		}
		body := r.Body
		if r.Kind == wal.KindPrepare {
			var err error
			if body, err = l.Read(r.Group, r.ID()); err != nil {
				return err.Error()
			}
		}
		if !slices.Equal(body, want.Body) {
			return "another body"
		}
	}
	return ""
}

// strike runs one case and returns what is wrong, and whether the fault struck.
func strike(
	t *testing.T, wrap func(*memdisk.Disk) storage.Disk,
	act string, n int, fault memdisk.Fault, crash string, seed uint64,
) (wrong string, struck bool) {
	t.Helper()
	disk := memdisk.New(seed)
	s := &stored{}
	s.log, _ = open(t, wrap(disk), 1)
	require.NoError(t, s.fill(3, 900))
	before := len(disk.Operations())
	disk.InjectAt(n, fault)
	err := acts[act](s)
	if act == "boot" && err == nil {
		s.log, _, err = wal.Open(disk, config(2))
	}
	disk.Inject(nil)
	if len(disk.Operations())-before <= n {
		return "", false
	}
	if err != nil && act != "boot" && !errors.Is(err, errBroken) {
		return err.Error(), true
	}
	kept := s.written
	if crash == "kill" {
		disk.Kill()
	} else {
		kept = s.synced
		disk.PowerLoss(map[string]memdisk.Survival{
			"all": memdisk.Nothing, "none": memdisk.Everything,
		}[crash])
	}
	l, report, err := wal.Open(disk, config(3))
	if err != nil {
		return err.Error(), true
	}
	if why := s.wrong(l, report, kept); why != "" {
		return why + "\n" + report.String(), true
	}
	// What a boot has found stands, and the log works on.
	more := prepare(9, 1, 400)
	store(t, l, more)
	disk.PowerLoss(memdisk.Nothing)
	l, again, err := wal.Open(disk, config(4))
	switch {
	case err != nil:
		return err.Error(), true
	// A release whose directory flush had failed may be undone, whole: more at the front.
	case len(again.Records) != len(report.Records)+1 &&
		(s.released == 0 || s.wrong(l, withoutLast(again), kept) != ""):
		return fmt.Sprintf("%d records after a second boot, expected %d\n%s\n%s",
			len(again.Records), len(report.Records)+1, report, again), true
	case report.Damaged && !again.InDoubt(9, true):
		return "doubt is forgotten", true
	}
	return "", true
}

// withoutLast is a report as it was before one more record.
func withoutLast(r wal.Report) wal.Report {
	r.Records = r.Records[:max(0, len(r.Records)-1)]
	return r
}

// TestFaultMatrix: each storage operation of each act fails before, after or in part, then
// the process or the machine goes down. Whole with VIEWSTAMP_FAULT_MATRIX=1, else sampled.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	seeds := uint64(1)
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		seeds = 20
	}
	faults := map[string]memdisk.Fault{
		"fails before": {Err: errBroken},
		"fails after":  {Err: errBroken, After: true},
		"is torn":      {Err: errBroken, Bytes: 700},
	}
	for act := range acts {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			cases := 0
			for how, fault := range faults {
				for _, crash := range []string{"kill", "all", "none", "any"} {
					for seed := range seeds {
						if seed > 0 && crash != "any" && how != "fails before" {
							break // Nothing is left to chance.
						}
						for n := 0; ; n++ {
							wrong, struck := strike(t, asItIs, act, n, fault, crash, seed)
							if !struck {
								break
							}
							cases++
							assert.Empty(t, wrong, "operation %d %s, crash %s, seed %d", n, how, crash, seed)
						}
					}
				}
			}
			assert.Positive(t, cases)
			t.Logf("%d cases", cases)
		})
	}
}

func asItIs(d *memdisk.Disk) storage.Disk { return d }

// Negative controls: the matrix notices a flush that is left out.
func TestTheMatrixNoticesAMissingFlush(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]faultmatrix.Forgetful{
		"of the file": {NoSync: true}, "of the directory": {NoSyncDir: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := 0
			for n := range 60 {
				wrong, _ := strike(t, func(d *memdisk.Disk) storage.Disk {
					broken := disk
					broken.Disk = d
					return broken
				}, "roll", n, memdisk.Fault{DelayTicks: 1}, "all", 1)
				if wrong != "" {
					noticed++
				}
			}
			assert.Positive(t, noticed)
		})
	}
}

func TestAFailedFlushPoisonsForGood(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	_, err := l.Append(prepare(1, 1, 10))
	require.NoError(t, err)
	disk.InjectAt(0, memdisk.Fault{Err: errBroken})
	require.ErrorIs(t, l.Sync(), errBroken)
	disk.Inject(nil)
	require.ErrorIs(t, l.Sync(), wal.ErrPoisoned)
	_, err = l.Append(prepare(1, 2, 10))
	require.ErrorIs(t, err, wal.ErrPoisoned)
	_, err = l.Release(nil)
	require.ErrorIs(t, err, wal.ErrPoisoned)
	body, err := l.Read(1, prepare(1, 1, 0).ID())
	require.NoError(t, err, "reads go on")
	assert.Equal(t, prepare(1, 1, 10).Body, body)

	// The next process reads it from the page cache, where it counts as clean: boot must not
	// trust a flush, but write anew.
	disk.Kill()
	_, report := open(t, disk, 2)
	require.Len(t, report.Records, 1)
	disk.PowerLoss(memdisk.Nothing)
	_, report = open(t, disk, 3)
	require.Len(t, report.Records, 1, "what a boot spoke for is gone")
}

// A kernel that restarted may have taken what a group under the policy replicated had
// acknowledged. That is not known any less because the process dies once more.
func TestTheDoubtOfARestartEndsWithAStateRecordOnly(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	after := func(boot, kernel uint64) (*wal.Log, bool) {
		c := config(boot)
		c.Kernel.Lo = kernel
		l, report, err := wal.Open(disk, c)
		require.NoError(t, err)
		assert.False(t, report.InDoubt(1, true), "persisted")
		return l, report.InDoubt(1, false)
	}
	l, _ := after(1, 77)
	store(t, l, state(1, 1, false))
	_, err := l.Append(prepare(1, 2, 100))
	require.NoError(t, err)
	disk.PowerLoss(memdisk.Nothing)
	_, doubt := after(2, 78)
	assert.True(t, doubt, "another kernel")
	disk.Kill()
	l, doubt = after(3, 78)
	assert.True(t, doubt, "nothing has ended it")
	store(t, l, state(2, 1, false))
	disk.Kill()
	l, doubt = after(4, 78)
	assert.True(t, doubt, "another group's state record")
	store(t, l, state(1, 1, false))
	disk.Kill()
	_, doubt = after(5, 78)
	assert.False(t, doubt)
}

// What is left of a misdirected batch below a torn one is its index at the end.
func TestAMisdirectedBatchBelowATornOnePutsTheLogInDoubt(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	batch := func(op wire.Op) (records []wal.Record) {
		for i := range wire.Op(8) { // Their index is longer than a sector.
			records = append(records, prepare(1, op+i, 300))
		}
		return records
	}
	const first, bytes = 2 * wal.SectorBytes, 8 * wal.SectorBytes // Behind that of boot.
	disk.InjectAt(0, memdisk.Fault{Elsewhere: &memdisk.Place{Path: firstFile, Offset: first + bytes}})
	store(t, l, batch(1)...)
	_, err := l.Append(batch(9)...)
	require.NoError(t, err)
	disk.PowerLoss(func(u memdisk.Unsynced) bool {
		return u.Sector == (first+bytes)/wal.SectorBytes
	})
	_, report := open(t, disk, 2)
	assert.True(t, report.InDoubt(1, true), report.String())
}
