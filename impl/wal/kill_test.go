package wal_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// killedDirectory and killedPolicy make of this test binary the process that is killed.
	killedDirectory = "VIEWSTAMP_KILLED_DIRECTORY"
	killedPolicy    = "VIEWSTAMP_KILLED_POLICY"

	policyPersisted, policyReplicated = "persisted", "replicated"
	// policyBetween is persisted, killed between each append around the page cache and its flush.
	policyBetween = "persisted but for the flush"

	// Seed 003: so many batches of so many bytes.
	killedBatches, killedBytes = 30, 317
	// killedBatch is the size of one on the disk: sectors for two indexes and the body. The
	// boot's own batch lies before the first.
	killedBatch, killedBoot = 1024, 1024
)

// TestMain is the child's main function where the environment says so.
func TestMain(m *testing.M) {
	if directory := os.Getenv(killedDirectory); directory != "" {
		if err := storeAndWait(directory, os.Getenv(killedPolicy)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// storeAndWait acknowledges each batch with a line, then waits to be killed. It returns if
// its input ends: then the parent is gone.
func storeAndWait(directory, policy string) error {
	disk, err := storage.OpenDirectory(directory)
	if err != nil {
		return err
	}
	c, err := killedConfig(1)
	if err != nil {
		return err
	}
	l, _, err := wal.Open(disk, c)
	if err != nil {
		return err
	}
	appendTo := l.AppendToFlush
	if policy == policyReplicated {
		appendTo = l.Append
	}
	for op := range wire.Op(killedBatches) {
		if _, err := appendTo(prepare(1, op+1, killedBytes)); err != nil {
			return err
		}
		if policy == policyPersisted {
			if err := l.Sync(); err != nil {
				return err
			}
		}
		fmt.Println("acknowledged", op+1)
	}
	_, err = os.Stdin.Read(make([]byte, 1))
	return err
}

// killedConfig has room for all of it in one file, and the machine's own kernel.
func killedConfig(boot uint64) (wal.Config, error) {
	c := config(boot)
	c.FileBytes = 64 << 10
	id, err := storage.KernelBoot()
	c.Kernel = wire.Uint128{
		Lo: binary.LittleEndian.Uint64(id[:]), Hi: binary.LittleEndian.Uint64(id[8:]),
	}
	return c, err
}

// killAfterAcknowledgement lets a child process store the batches and kills it.
func killAfterAcknowledgement(t *testing.T, directory, policy string) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), killedDirectory+"="+directory, killedPolicy+"="+policy)
	child.Stderr = os.Stderr
	keepsOpen, err := child.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = keepsOpen.Close() }()
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(output)
	acknowledged := 0
	for acknowledged < killedBatches && lines.Scan() {
		acknowledged++
		assert.Equal(t, fmt.Sprint("acknowledged ", acknowledged), lines.Text())
	}
	require.NoError(t, child.Process.Kill())
	require.ErrorContains(t, child.Wait(), "killed")
	require.Equal(t, killedBatches, acknowledged)
}

// Seed 003 (iggy#4632) on real files, with a real process's death.
func TestAKilledProcessLosesNothingThatItAcknowledged(t *testing.T) {
	t.Parallel()
	last := int64(killedBoot + (killedBatches-1)*killedBatch)
	for _, test := range []struct {
		name         string
		recovery     wal.Recovery // A negative control.
		mark         uint64       // What every batch is to know to be flushed; 0: as it is.
		damageAt     int64        // In the file, up to the batches' end; none if zero.
		otherKernel  bool
		want         int
		wantReasons  []wal.Reason
		wantDoubt    bool // Under the policy replicated.
		wantPersists bool // In doubt under the policy persisted too.
	}{
		{name: "on the same kernel the log is whole and trusted", want: killedBatches},
		{
			name: "on another kernel it is whole, and in doubt if nobody waited for the disk",
			want: killedBatches, otherKernel: true, wantDoubt: true,
		},
		{
			name:     "a last batch of which one half is torn shows by its other index what it was",
			damageAt: last + killedBatch/2, want: killedBatches,
			wantReasons: []wal.Reason{wal.TornTail},
		},
		{
			name: "a last batch that nobody can read is a torn tail", damageAt: last,
			want: killedBatches - 1, wantReasons: []wal.Reason{wal.TornTail},
			wantDoubt: true, wantPersists: true,
		},
		{name: "a stale mark of what was flushed costs nothing", mark: 1, want: killedBatches},
		{name: "a lost mark of what was flushed costs nothing", mark: lostMark, want: killedBatches},
		{
			name: "... and all, were it believed", mark: lostMark, recovery: wal.RecoverToFrontier,
			wantReasons: []wal.Reason{wal.BeyondFrontier}, wantDoubt: true, // Of no known kernel.
		},
	} {
		for _, policy := range []string{policyPersisted, policyReplicated, policyBetween} {
			t.Run(policy+": "+test.name, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				killAfterAcknowledgement(t, root, policy)
				if test.mark > 0 {
					setMarks(t, filepath.Join(root, firstFile), test.mark)
				}
				if test.damageAt > 0 {
					damage(t, filepath.Join(root, firstFile), test.damageAt, last+killedBatch)
				}
				disk, err := storage.OpenDirectory(root)
				require.NoError(t, err)
				defer func() { require.NoError(t, disk.Close()) }()
				c, err := killedConfig(2)
				require.NoError(t, err)
				require.False(t, c.Kernel.IsZero(), "this system tells no boot id")
				c.Recovery = test.recovery
				if test.otherKernel {
					c.Kernel.Lo++
				}
				l, report, err := wal.Open(disk, c)
				require.NoError(t, err)
				defer func() { require.NoError(t, l.Close()) }()
				want := make([]wal.Record, test.want)
				for i := range want {
					want[i] = prepare(1, wire.Op(i+1), killedBytes)
				}
				requireHolds(t, l, report, want...)
				var reasons []wal.Reason
				for _, d := range report.Discarded {
					reasons = append(reasons, d.Reason)
				}
				assert.Equal(t, test.wantReasons, reasons)
				inDoubt := test.wantPersists
				if policy != policyPersisted {
					inDoubt = test.wantDoubt
				}
				assert.Equal(t, inDoubt, report.InDoubt(1, policy == policyPersisted))
			})
		}
	}
}

// lostMark stands for none: "before the first".
const lostMark = ^uint64(0)

// setMarks makes every batch say that it knows no more to be flushed than this, as if its
// writer had never learnt of a flush. Chain and checksums are made anew.
func setMarks(t *testing.T, path string, mark uint64) {
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var chain []byte
	for at := 0; string(content[at:at+4]) == "VSJ2"; at += killedBatch { // Zeros follow.
		batch := content[at:][:killedBatch]
		records := int(binary.LittleEndian.Uint32(batch[4:]))
		front := batch[:128+64*records]
		known := mark
		if mark == lostMark {
			known = 0
		}
		binary.LittleEndian.PutUint64(front[16:], min(known, binary.LittleEndian.Uint64(front[16:])))
		if chain != nil {
			copy(front[32:48], chain)
		}
		sum := wire.ChecksumOf(front[:112])
		binary.LittleEndian.PutUint64(front[112:], sum.Lo)
		binary.LittleEndian.PutUint64(front[120:], sum.Hi)
		chain = append([]byte(nil), front[112:128]...)
		copy(batch[len(batch)-len(front):], front[128:])
		copy(batch[len(batch)-128:], front[:128])
	}
	require.NotNil(t, chain)
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

// damage makes bytes of a file unreadable.
func damage(t *testing.T, path string, from, to int64) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	garbage := make([]byte, to-from)
	for i := range garbage {
		garbage[i] = 0xa5
	}
	_, err = f.WriteAt(garbage, from)
	require.NoError(t, err)
}
