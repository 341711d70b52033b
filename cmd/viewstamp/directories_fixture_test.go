package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const firstWAL = "wal/0000000000000001.wal"

// served is what is in a data directory whose process has run and ended.
var served = sync.OnceValues(func() (content fstest.MapFS, err error) {
	directory, err := os.MkdirTemp("", "viewstamp-served-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	data := filepath.Join(directory, "data")
	if err := node.Format(data, node.Identity{Cluster: "c", Replicas: 1}); err != nil {
		return nil, err
	}
	if err := boot(directory, data); err != nil {
		return nil, err
	}
	content = fstest.MapFS{}
	return content, fs.WalkDir(os.DirFS(data), ".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(at) == ".spare" { // None is needed.
			return err
		}
		b, err := os.ReadFile(filepath.Join(data, at))
		content[at] = &fstest.MapFile{Data: b, Mode: 0o600}
		return err
	})
})

// copyServed makes such a directory.
func copyServed(t *testing.T) string {
	t.Helper()
	content, err := served()
	require.NoError(t, err)
	directory := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.CopyFS(directory, content))
	return directory
}

// boot has a process serve a directory for a moment.
func boot(at, data string) error {
	file, err := serveFile(at, data)
	if err != nil {
		return err
	}
	config, err := node.LoadConfig(file, nil, nil)
	if err != nil {
		return err
	}
	n, err := node.Start(config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	return n.Run(ctx)
}

// serveFile writes a configuration of replica 0 of 1 of cluster c.
func serveFile(at, data string) (string, error) {
	free, err := dev.FreeAddresses(2)
	if err != nil {
		return "", err
	}
	file := filepath.Join(at, "node.toml")
	return file, os.WriteFile(file, fmt.Appendf(nil, "data_dir = %q\n[cluster]\nname = \"c\"\n"+
		"replica = 0\n[[replicas]]\nmesh = %q\nclient = %q\n[storage]\nwal_file = \"1MiB\"\n"+
		"wal_max = \"8MiB\"\n", data, free[0], free[1]), 0o644)
}

// lines are the command lines that take a directory.
func lines(t *testing.T, directory string) map[string][]string {
	t.Helper()
	file, err := serveFile(t.TempDir(), directory)
	require.NoError(t, err)
	format := []string{"format", "--cluster", "c", "--replica", "0", "--replicas", "3"}
	return map[string][]string{
		"serve":            {"serve", "--config", file},
		"inspect":          {"inspect", directory},
		"format":           append(format, directory),
		"format --replace": append(format, "--replace", directory),
		"dev":              {"dev", "--dir", directory},
	}
}

// requireRefusal runs a line that has to end by itself, with one line that names the directory.
func requireRefusal(
	t *testing.T, do func(*testing.T, ...string) (int, string, string), line []string,
	directory, want string,
) {
	t.Helper()
	before := disktest.Picture(directory)
	status, stdout, stderr := do(t, line...)
	assert.Equal(t, statusFailed, status, stderr)
	assert.Empty(t, stdout)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.Contains(t, stderr, directory)
	assert.Contains(t, stderr, want)
	assert.Equal(t, before, disktest.Picture(directory), "nothing is changed")
}

// doInTime is do for what must not go on for ever: a bad directory that is served would.
func doInTime(t *testing.T, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, err strings.Builder
	status = run(ctx, arguments, &out, &err)
	return status, out.String(), err.String()
}

// with changes a copy of a directory that has been served.
func with(change func(t *testing.T, directory string)) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		directory := copyServed(t)
		change(t, directory)
		return directory
	}
}

// alone makes a path in an empty directory.
func alone(name string, change func(path string) error) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, change(path))
		return path
	}
}

// instead removes a file and has something else take its place.
func instead(name string, change func(path string) error) func(*testing.T) string {
	return with(func(t *testing.T, directory string) {
		t.Helper()
		path := filepath.Join(directory, name)
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, change(path))
	})
}

func text(path string) error      { return os.WriteFile(path, []byte("x"), 0o600) }
func directory(path string) error { return os.Mkdir(path, 0o700) }
func pipe(path string) error      { return syscall.Mkfifo(path, 0o600) }
func loop(path string) error      { return os.Symlink(filepath.Base(path), path) }
func dangling(path string) error  { return os.Symlink("nowhere", path) }

func socket(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// superblocks changes both copies of the superblock.
func superblocks(change func(content []byte) []byte) func(*testing.T) string {
	return with(func(t *testing.T, directory string) {
		t.Helper()
		for _, name := range []string{superblock.FileA, superblock.FileB} {
			path := filepath.Join(directory, name)
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, change(content), 0o600))
		}
	})
}

// ofVersion has the log's first batch be of another version of the format.
func ofVersion(version byte) func(*testing.T) string {
	return with(func(t *testing.T, directory string) {
		t.Helper()
		path := filepath.Join(directory, firstWAL)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		b[3] = version
		sum := wire.ChecksumOf(b[:112])
		binary.LittleEndian.PutUint64(b[112:], sum.Lo)
		binary.LittleEndian.PutUint64(b[120:], sum.Hi)
		require.NoError(t, os.WriteFile(path, b, 0o600))
	})
}

func formatted(id node.Identity) func(*testing.T) string {
	return alone("data", func(path string) error { return node.Format(path, id) })
}
