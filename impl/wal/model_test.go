package wal_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wal/crashtest"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// machine drives a log. Beside the records that it was ever given, the model has two
// variables: how many of them nothing may take, and how many only the machine's power may.
type machine struct {
	disk *memdisk.Disk
	wrap func(*memdisk.Disk) storage.Disk
	log  *wal.Log
	boot uint64

	given []given
	// onDisk records survive a power loss, inSystem ones a kill.
	onDisk, inSystem int

	freed  int // So many at the front are released, and may be gone.
	head   wire.Op
	view   wire.View
	wrong  string
	failed bool // The disk has failed: only a new boot helps.
}

type given struct {
	wal.Record
	hollow bool // An earlier boot found no body.
}

func newMachine(t *rapid.T, wrap func(*memdisk.Disk) storage.Disk) *machine {
	m := &machine{disk: memdisk.New(rapid.Uint64().Draw(t, "seed")), wrap: wrap}
	m.open(t)
	return m
}

func (m *machine) open(t *rapid.T) wal.Report {
	m.boot++
	l, report := open(t, m.wrap(m.disk), m.boot)
	m.log, m.failed = l, false
	return report
}

// store gives the log records in one batch.
func (m *machine) store(t *rapid.T, durable bool, records ...wal.Record) {
	_, err := m.log.Append(records...)
	if err == nil && durable {
		err = m.log.Sync()
	}
	if errors.Is(err, wal.ErrFull) {
		return
	}
	for _, r := range records {
		m.given = append(m.given, given{Record: r})
		m.head = max(m.head, r.Op)
	}
	if err != nil {
		require.ErrorIs(t, err, errBroken)
		m.failed = true
		return
	}
	m.inSystem = len(m.given)
	m.noteFlush()
}

// noteFlush asks the log what it knows to be flushed: it may be more than was asked for.
func (m *machine) noteFlush() {
	if m.log.Synced() >= m.log.Newest() {
		m.onDisk = m.inSystem
	}
}

// restart boots after a crash that leaves at least so many records, and compares.
func (m *machine) restart(t *rapid.T, least int) {
	report := m.open(t)
	start := min(least, m.freed)
	if len(report.Records) > 0 {
		start = slices.IndexFunc(m.given, func(g given) bool {
			return g.Head == report.Records[0].Head
		})
	}
	end := start + len(report.Records)
	switch {
	case start < 0 || end > len(m.given):
		m.wrong = "a record came from nowhere"
	case start > m.freed:
		m.wrong = "a record is gone from the front"
	case end < least:
		m.wrong = "records are lost"
	}
	if m.wrong != "" {
		return
	}
	for i, r := range report.Records {
		if m.wrong = m.compare(&m.given[start+i], r, start+i < least); m.wrong != "" {
			return
		}
	}
	m.given, m.freed = m.given[start:end], max(0, m.freed-start)
	m.onDisk, m.inSystem = len(m.given), len(m.given) // A boot speaks for what it found.
}

// compare says what is wrong with a record that a boot found.
func (m *machine) compare(g *given, r wal.Recovered, safe bool) string {
	if g.Head != r.Head {
		return "another order"
	}
	if !r.Present {
		if safe && !g.hollow {
			return "a body is lost"
		}
		g.hollow = true
		return ""
	}
	body, err := r.Body, error(nil)
	if r.Kind == wal.KindPrepare {
		body, err = m.log.Read(r.Group, r.ID())
	}
	switch {
	case err != nil:
		return err.Error()
	case g.hollow:
		return "a body came back"
	case !slices.Equal(g.Body, body):
		return "another body"
	}
	return ""
}

func (m *machine) actions() map[string]func(*rapid.T) {
	runs := func(do func(*rapid.T)) func(*rapid.T) {
		return func(t *rapid.T) {
			if m.failed {
				t.Skip("the disk has failed")
			}
			do(t)
		}
	}
	return map[string]func(*rapid.T){
		"store": runs(func(t *rapid.T) {
			var batch []wal.Record
			for i := range rapid.IntRange(1, 3).Draw(t, "records") {
				size := rapid.IntRange(0, 3000).Draw(t, "bytes")
				batch = append(batch, prepare(1, m.head+wire.Op(i+1), size))
				batch[i].LogView = m.view
			}
			m.view++ // So that no two records are alike.
			m.store(t, rapid.Bool().Draw(t, "durable"), batch...)
		}),
		"flush": runs(func(t *rapid.T) {
			require.NoError(t, m.log.Sync())
			m.noteFlush()
		}),
		"checkpoint": runs(func(t *rapid.T) {
			m.view++
			r, before := state(1, m.head, false), len(m.given)
			r.LogView = m.view
			m.store(t, true, r)
			if len(m.given) == before {
				return // Full.
			}
			_, err := m.log.Release(map[wire.GroupID]wire.Op{1: m.head})
			require.NoError(t, err)
			m.freed = before
		}),
		"the disk is full": func(*rapid.T) { m.disk.Limit(m.disk.UsedBytes()) },
		"space returns":    func(*rapid.T) { m.disk.Limit(0) },
		"the disk fails": runs(func(t *rapid.T) {
			m.disk.InjectAt(rapid.IntRange(0, 1).Draw(t, "operation"), memdisk.Fault{
				Err: errBroken, After: rapid.Bool().Draw(t, "after"),
			})
			m.view++
			r := prepare(1, m.head+1, 700)
			r.LogView = m.view
			m.store(t, true, r)
			m.disk.Inject(nil)
		}),
		"kill": func(t *rapid.T) {
			m.disk.Limit(0) // A log that has no room for a boot's batch says so, and that is all.
			m.disk.Kill()
			m.restart(t, m.inSystem)
		},
		"power loss": func(t *rapid.T) {
			m.disk.Limit(0)
			m.disk.PowerLoss(nil)
			m.restart(t, m.onDisk)
		},
	}
}

// Whatever is done to a log, it has what it acknowledged; what it may have lost it has lost
// from the end, and whole.
func TestALogAgainstItsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t, crashtest.AsItIs)
		actions := m.actions()
		actions[""] = func(t *rapid.T) { require.Empty(t, m.wrong) }
		t.Repeat(actions)
	})
}

// Negative control: the model notices a disk whose owner forgets to flush, by what is lost.
func TestTheModelNoticesAMissingFlush(t *testing.T) {
	t.Parallel()
	run := func(wrap func(*memdisk.Disk) storage.Disk) func(*rapid.T) string {
		return func(t *rapid.T) string {
			m := newMachine(t, wrap)
			actions := m.actions()
			for range 20 {
				name := rapid.SampledFrom([]string{"store", "power loss"}).Draw(t, "action")
				if actions[name](t); m.wrong != "" {
					break
				}
			}
			return m.wrong
		}
	}
	found := map[string]int{}
	for seed := range 30 {
		require.Empty(t, rapid.Custom(run(crashtest.AsItIs)).Example(seed))
		found[rapid.Custom(run(func(d *memdisk.Disk) storage.Disk {
			return faultmatrix.Forgetful{Disk: d, NoSync: true}
		})).Example(seed)]++
	}
	require.Positive(t, found["records are lost"], "%v", found)
	require.Positive(t, found["a body is lost"], "%v", found)
}
