package wal_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	directory = "wal"
	firstFile = "wal/0000000000000001.wal"
)

// boot numbers make incarnations; the kernel stays the same unless a test says so.
func config(boot uint64) wal.Config {
	return wal.Config{
		Directory: directory, FileBytes: 16 << 10, FilesMax: 8, RecordsMax: 1000,
		Incarnation: wire.Uint128{Lo: boot}, Kernel: wire.Uint128{Lo: 77},
	}
}

func open(t require.TestingT, disk storage.Disk, boot uint64) (*wal.Log, wal.Report) {
	l, report, err := wal.Open(disk, config(boot))
	require.NoError(t, err)
	return l, report
}

// prepare is an op of a group with a body that is like no other's.
func prepare(group wire.GroupID, op wire.Op, size int) wal.Record {
	body := bytes.Repeat([]byte(fmt.Sprintf("%d/%d ", group, op)), size/4+1)[:size]
	return wal.Record{Head: wal.Head{
		Kind: wal.KindPrepare, Group: group, Op: op,
		Checksum: wire.ChecksumOf([]byte(fmt.Sprint(group, op))),
	}, Body: body}
}

func state(group wire.GroupID, head wire.Op, doubt bool) wal.Record {
	return wal.Record{Head: wal.Head{
		Kind: wal.KindState, Group: group, Op: head, InDoubt: doubt,
	}, Body: []byte(fmt.Sprintf("headers of %d up to %d", group, head))}
}

func store(t require.TestingT, l *wal.Log, records ...wal.Record) {
	_, err := l.Append(records...)
	require.NoError(t, err)
	require.NoError(t, l.Sync())
}

// requireHolds checks that the log has exactly these prepares, with their bodies.
func requireHolds(
	t require.TestingT, l *wal.Log, report wal.Report, records ...wal.Record,
) {
	require.Len(t, report.Records, len(records))
	for i, r := range records {
		require.Equal(t, r.Head, report.Records[i].Head)
		require.True(t, report.Records[i].Present)
		if r.Kind == wal.KindState {
			require.Equal(t, r.Body, report.Records[i].Body)
			continue
		}
		body, err := l.Read(r.Group, r.ID())
		require.NoError(t, err)
		require.Equal(t, r.Body, body)
	}
}

func TestWhatWasStoredIsFoundAgain(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, report := open(t, disk, 1)
	assert.Empty(t, report.Records)
	records := []wal.Record{
		prepare(1, 1, 0), prepare(2, 1, 700), state(1, 1, false), prepare(1, 2, 5000),
	}
	store(t, l, records[:2]...)
	store(t, l, records[2:]...)
	_, err := l.Read(1, wire.PrepareID{Op: 1, Checksum: wire.Checksum{Lo: 1}})
	require.ErrorIs(t, err, wal.ErrAbsent, "another checksum (R3)")
	_, err = l.Read(2, records[0].ID())
	require.ErrorIs(t, err, wal.ErrAbsent, "another group")
	require.NoError(t, l.Close())
	disk.PowerLoss(memdisk.Nothing)
	l, report = open(t, disk, 2)
	requireHolds(t, l, report, records...)
	assert.Empty(t, report.Discarded)
	assert.True(t, report.SameKernel)
	assert.False(t, report.InDoubt(1, false))
}

// On the operating system, in a directory that is not there yet, over rolls and releases.
func TestALogOnTheOperatingSystem(t *testing.T) {
	t.Parallel()
	disk, err := storage.OpenDirectory(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	head := wire.Op(0)
	for boot := range uint64(4) {
		l, report := open(t, disk, boot+1)
		if boot > 0 {
			require.Equal(t, head, report.Records[len(report.Records)-1].Op)
			require.False(t, report.Damaged, report.String())
		}
		for range 12 {
			head++
			store(t, l, prepare(1, head, 3000))
		}
		store(t, l, state(1, head, false))
		n, err := l.Release(map[wire.GroupID]wire.Op{1: head})
		require.NoError(t, err)
		require.Positive(t, n)
		require.NoError(t, l.Close())
	}
}

// Seed 003: 30 batches of 317 bytes that nothing but the operating system has, and SIGKILL.
func TestSeed003(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		flushed bool
		crash   func(*memdisk.Disk)
		kept    int
		reasons []wal.Reason
	}{
		"replicated, killed":          {false, (*memdisk.Disk).Kill, 30, nil},
		"persisted, killed":           {true, (*memdisk.Disk).Kill, 30, nil},
		"persisted, power lost":       {true, powerOff, 30, nil},
		"replicated, power lost":      {false, powerOff, 0, nil},
		"the last batch is torn":      {true, tear, 29, []wal.Reason{wal.TornTail}},
		"... whatever was its policy": {false, tear, 29, []wal.Reason{wal.TornTail}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			c := config(1)
			c.FileBytes = 64 << 10
			l, _, err := wal.Open(disk, c)
			require.NoError(t, err)
			var records []wal.Record
			for op := range wire.Op(30) {
				records = append(records, prepare(1, op+1, 317))
				_, err := l.Append(records[op])
				require.NoError(t, err)
				if tc.flushed {
					require.NoError(t, l.Sync())
				}
			}
			tc.crash(disk)
			c.Incarnation.Lo++
			l, report, err := wal.Open(disk, c)
			require.NoError(t, err)
			requireHolds(t, l, report, records[:tc.kept]...)
			var reasons []wal.Reason
			for _, d := range report.Discarded {
				reasons = append(reasons, d.Reason)
			}
			assert.Equal(t, tc.reasons, reasons)
		})
	}
}

func powerOff(d *memdisk.Disk) { d.PowerLoss(memdisk.Nothing) }

// tear takes the second half of the last of 30 batches: the boot's batch and 29 lie before.
func tear(d *memdisk.Disk) {
	d.PowerLoss(memdisk.Everything)
	for at := int64(1024*30 + 100); at < 1024*31; at++ {
		if err := d.Rot(firstFile, at, 0x55); err != nil {
			panic(err)
		}
	}
}

// R15: what each cause of doubt does, for each policy and kernel.
func TestDoubt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm                  func(*testing.T, *memdisk.Disk)
		kernel                uint64
		persisted, replicated bool
	}{
		"a process that was killed is trusted":            {nil, 77, false, false},
		"another kernel: what the system had may be gone": {nil, 78, false, true},
		"an unknown kernel":                               {nil, 0, false, true},
		"rot in a body that a copy of the index names":    {flip(1024*2 + 300), 77, false, false},
		"rot in one index":                                {flip(1024*2 + 10), 77, false, false},
		"rot in both":                                     {flip(1024*2+10, 1024*3-10), 77, true, true},
		"the last batch in both":                          {flip(1024*3+10, 1024*4-10), 77, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			for op := range wire.Op(3) {
				store(t, l, prepare(1, op+1, 317))
			}
			disk.Kill()
			if tc.harm != nil {
				tc.harm(t, disk)
			}
			c := config(2)
			c.Kernel.Lo = tc.kernel
			for boot := range 2 { // The second boot knows it from the first one's mark.
				l, report, err := wal.Open(disk, c)
				require.NoError(t, err)
				if boot == 0 || tc.persisted {
					assert.Equal(t, tc.persisted, report.InDoubt(1, true), "boot %d: %s", boot, report)
					assert.Equal(t, tc.replicated, report.InDoubt(1, false))
				}
				c.Incarnation.Lo++
				require.NoError(t, l.Close())
			}
		})
	}
}

func flip(places ...int64) func(*testing.T, *memdisk.Disk) {
	return func(t *testing.T, disk *memdisk.Disk) {
		for _, at := range places {
			require.NoError(t, disk.Rot(firstFile, at, 1))
		}
	}
}

// A group's doubt ends with its own state record, and with nothing else.
func TestDoubtEndsWithAStateRecord(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	store(t, l, prepare(1, 1, 10), prepare(2, 1, 10))
	store(t, l, prepare(1, 2, 10))
	disk.Kill()
	flip(1024*2+10, 1024*3-10)(t, disk)
	l, report := open(t, disk, 2)
	require.Equal(t, wal.TornTail, report.Discarded[0].Reason)
	store(t, l, state(1, 1, false))
	disk.Kill()
	_, report = open(t, disk, 3)
	assert.False(t, report.Damaged, "the cut has taken the evidence")
	assert.False(t, report.InDoubt(1, true))
	assert.True(t, report.InDoubt(2, true))
}

// Each bit of a file: flipped, it is reported or lies where nothing is; no record changes. All of
// them with VIEWSTAMP_FAULT_MATRIX=1, else every seventh.
func TestEachFlippedBitIsClassified(t *testing.T) {
	t.Parallel()
	records := []wal.Record{
		prepare(1, 1, 20), state(1, 1, false), prepare(1, 2, 600), prepare(2, 1, 5),
	}
	build := func() *memdisk.Disk {
		disk := memdisk.New(1)
		c := config(1)
		c.FileBytes = 8 << 10
		l, _, err := wal.Open(disk, c)
		require.NoError(t, err)
		for _, r := range records {
			store(t, l, r)
		}
		disk.Kill()
		return disk
	}
	reasons := map[wal.Reason]int{}
	stride := 7 // Coprime to 8: every bit of a byte has its turn.
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		stride = 1
	}
	for bit := 0; bit < 8*(8<<10); bit += stride {
		disk := build()
		require.NoError(t, disk.Rot(firstFile, int64(bit/8), 1<<(bit%8)))
		c := config(2)
		c.FileBytes = 8 << 10
		l, report, err := wal.Open(disk, c)
		require.NoError(t, err)
		require.NotEmpty(t, report.Discarded, "bit %d: %s", bit, report)
		at := int64(bit / 8)
		d := report.Discarded[0]
		require.True(t, d.Offset <= at && at < d.Offset+d.Bytes, "bit %d: %s", bit, report)
		reasons[d.Reason]++
		for _, r := range report.Records {
			want := records[0]
			for _, w := range records {
				if w.Kind == r.Kind && w.Group == r.Group && w.Op == r.Op {
					want = w
				}
			}
			require.Equal(t, want.Head, r.Head)
			body, err := l.Read(r.Group, r.ID())
			if r.Kind == wal.KindPrepare && r.Present {
				require.NoError(t, err)
				require.Equal(t, want.Body, body)
			} else if r.Kind == wal.KindPrepare {
				require.ErrorIs(t, err, wal.ErrAbsent)
			}
		}
		if len(report.Records) < len(records) {
			require.True(t, report.Damaged, "bit %d: %s", bit, report)
		}
	}
	assert.Positive(t, reasons[wal.Rot])
	assert.Positive(t, reasons[wal.TornTail])
	assert.Positive(t, reasons[wal.StaleRecycled])
	t.Log(reasons)
}

// fillFiles stores prepares of group 1 until the log has so many files.
func fillFiles(t require.TestingT, disk storage.Disk, l *wal.Log, files int) wire.Op {
	for op := wire.Op(1); ; op++ {
		store(t, l, prepare(1, op, 3000))
		if names, err := disk.List(directory); err != nil || live(names) == files {
			require.NoError(t, err)
			return op
		}
	}
}

func live(names []string) int {
	n := 0
	for _, name := range names {
		if len(name) == len("0000000000000001.wal") {
			n++
		}
	}
	return n
}

// R17: only what a checkpoint covers goes, and only under a newer state record.
func TestRelease(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	head := fillFiles(t, disk, l, 3)
	release := func(op wire.Op) int {
		n, err := l.Release(map[wire.GroupID]wire.Op{1: op})
		require.NoError(t, err)
		return n
	}
	assert.Zero(t, release(head), "no state record stands above")
	_, err := l.Append(state(1, head, false))
	require.NoError(t, err)
	assert.Zero(t, release(head), "it is not flushed")
	require.NoError(t, l.Sync())
	assert.Zero(t, release(1), "the checkpoint covers too little")
	assert.Equal(t, 2, release(head))
	_, err = l.Read(1, prepare(1, 1, 0).ID())
	require.ErrorIs(t, err, wal.ErrAbsent, "released bodies count no more (R3)")
	body, err := l.Read(1, prepare(1, head, 0).ID())
	require.NoError(t, err)
	assert.Equal(t, prepare(1, head, 3000).Body, body)

	// Files are used again as they are, and what is left over in them is known for what it is.
	next := head
	for range 20 {
		next++
		store(t, l, prepare(1, next, 3000))
	}
	disk.PowerLoss(memdisk.Nothing)
	_, report := open(t, disk, 2)
	require.Equal(t, head, report.Records[0].Op)
	assert.Equal(t, next, report.Records[len(report.Records)-1].Op)
	assert.False(t, report.Damaged)
	require.NotEmpty(t, report.Discarded)
	for _, d := range report.Discarded {
		assert.Equal(t, wal.StaleRecycled, d.Reason)
	}
}

func TestMisdirectedAndLostWritesPutTheLogInDoubt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]memdisk.Fault{
		"lost":                  {Lost: true},
		"over another batch":    {Elsewhere: &memdisk.Place{Path: firstFile, Offset: 1024}},
		"behind the end":        {Elsewhere: &memdisk.Place{Path: firstFile, Offset: 8 << 10}},
		"over the boot's batch": {Elsewhere: &memdisk.Place{Path: firstFile, Offset: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			store(t, l, prepare(1, 1, 100))
			disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
				if op.Kind == memdisk.OperationWrite {
					return &fault
				}
				return nil
			})
			store(t, l, prepare(1, 2, 100))
			disk.Inject(nil)
			store(t, l, prepare(1, 3, 100))
			disk.PowerLoss(memdisk.Nothing)
			_, report := open(t, disk, 2)
			assert.True(t, report.InDoubt(1, true), report.String())
			if name == "lost" {
				require.Len(t, report.Records, 2, "the log goes on behind the gap")
			}
		})
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	require.NoError(t, l.Close())
	_, err := disk.Create("wal/notes.txt")
	require.NoError(t, err)
	before := len(disk.Operations())
	_, _, err = wal.Open(disk, config(2))
	require.EqualError(t, err, "open log: wal/notes.txt is no file of a log, "+
		"expected SEQUENCE.wal, NUMBER.spare or new.tmp")
	assert.Len(t, disk.Operations(), before, "nothing was done to the disk")
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*wal.Config){
		"file size 1000, expected": func(c *wal.Config) { c.FileBytes = 1000 },
		"bounds of 1 files":        func(c *wal.Config) { c.FilesMax = 1 },
		"incarnation zero":         func(c *wal.Config) { c.Incarnation = wire.Uint128{} },
	} {
		c := config(1)
		change(&c)
		_, _, err := wal.Open(memdisk.New(1), c)
		require.ErrorContains(t, err, want)
	}
	l, _ := open(t, memdisk.New(1), 1)
	_, err := l.Append(prepare(1, 1, 20_000))
	require.ErrorIs(t, err, wal.ErrTooLarge)
	for want, r := range map[string]wal.Record{
		"kind(0), expected prepare or state": {},
		"expected an op and a checksum":      {Head: wal.Head{Kind: wal.KindPrepare, Op: 1}},
		"expected no checksum": {Head: wal.Head{
			Kind: wal.KindState, Checksum: wire.Checksum{Lo: 1},
		}},
		"a flag of the other kind": {Head: wal.Head{Kind: wal.KindState, Fill: true}},
	} {
		_, err := l.Append(r)
		require.ErrorContains(t, err, want)
	}
	_, err = l.Append()
	require.ErrorContains(t, err, "expected 1 or more")
	store(t, l, prepare(1, 1, 10))
}

// A boot drops a last file into which no batch ever came: bodies are found all the same in the one
// that takes its place.
func TestABodyIsFoundBehindAFileThatWasDropped(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	op := fillFiles(t, disk, l, 2)
	empty, err := disk.Create(fmt.Sprintf("wal/%016x.wal", uint64(l.Newest()+1)))
	require.NoError(t, err)
	require.NoError(t, empty.Allocate(16<<10))
	require.NoError(t, disk.SyncDir(directory))
	l, _ = open(t, disk, 2)
	for next := op + 1; next < op+8; next++ {
		r := prepare(1, next, 3000)
		store(t, l, r)
		body, err := l.Read(1, r.ID())
		require.NoError(t, err)
		require.Equal(t, r.Body, body)
	}
}
