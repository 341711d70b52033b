package inspect_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// nobody is a user who owns nothing.
const nobody = 65534

// inspectAsNobody inspects with the rights of nobody where this process is the superuser's, who
// may read everything. They are those of one thread, which ends with it.
func inspectAsNobody(directory string) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // For good: the runtime then ends the thread.
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(nobody); err != nil {
				done <- err
				return
			}
		}
		_, err := inspect.Directory(directory, wire.ClusterID{})
		done <- err
	}()
	return <-done
}

func TestWhatMayNotBeReadGetsOneLineAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, denied := range map[string]struct{ path, want string }{
		"the directory itself":       {".", "permission denied"},
		"the log":                    {"wal", "wal: permission denied"},
		"a copy of the superblock":   {"superblock.a", "superblock.a: permission denied"},
		"a file of the log":          {"wal/*.wal", ".wal: permission denied"},
		"the snapshots of one group": {"groups/0000000000000001/snapshots", "permission denied"},
		"a segment":                  {"groups/*2/segments/*.log", ".log: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filled(t)
			before := disktest.Picture(directory)
			restore := permit(t, directory)
			found, err := filepath.Glob(filepath.Join(directory, denied.path))
			require.NoError(t, err)
			require.NotEmpty(t, found)
			require.NoError(t, os.Chmod(found[0], 0))
			requireOneLine(t, inspectAsNobody(directory), denied.want)
			restore()
			assert.Equal(t, before, disktest.Picture(directory))
		})
	}
}

// The control: with leave to read, nobody reads all of it.
func TestWhatMayBeReadAndNotWrittenIsInspected(t *testing.T) {
	t.Parallel()
	directory := filled(t)
	permit(t, directory)
	require.NoError(t, inspectAsNobody(directory))
}

// permit lets everybody read a directory, and what leads to it from the test's own. It returns
// what takes that back.
func permit(t *testing.T, directory string) (restore func()) {
	t.Helper()
	modes := map[string]os.FileMode{}
	allow := func(at string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		modes[at] = info.Mode()
		return os.Chmod(at, info.Mode()|0o444|(info.Mode()>>6&1)*0o111)
	}
	above, err := os.Stat(filepath.Dir(directory))
	require.NoError(t, allow(filepath.Dir(directory), above, err))
	require.NoError(t, filepath.Walk(directory, allow))
	return func() {
		for at, mode := range modes {
			require.NoError(t, os.Chmod(at, mode))
		}
	}
}
