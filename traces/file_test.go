package traces_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func exampleTrace(events int) *traces.Trace {
	trace := &traces.Trace{Header: exampleHeader()}
	for step := 1; step <= events; step++ {
		event := exampleEvent()
		event.Step = step
		trace.Events = append(trace.Events, event)
	}
	return trace
}

func TestFilesHoldWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.WriteFile(path, []byte("older"), 0o600))
			want := exampleTrace(100)
			require.NoError(t, traces.WriteFile(path, want))
			got, err := traces.ReadFile(t.Context(), path)
			require.NoError(t, err)
			want.Path = path
			assert.Equal(t, want, got)
			assertOnly(t, path)

			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			plain := written(t, want.Header, want.Events)
			if name == "run.jsonl" {
				assert.Equal(t, plain, raw)
			} else {
				assert.Less(t, len(raw), len(plain)/10, "the file is compressed")
				again := filepath.Join(t.TempDir(), name)
				require.NoError(t, traces.WriteFile(again, want))
				repeated, err := os.ReadFile(again)
				require.NoError(t, err)
				assert.Equal(t, raw, repeated, "equal traces are equal bytes")
			}
		})
	}
}

func TestCompressedFilesShowDamage(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "source.zst")
	require.NoError(t, traces.WriteFile(source, exampleTrace(100)))
	good, err := os.ReadFile(source)
	require.NoError(t, err)
	plain := written(t, exampleHeader(), exampleTrace(3).Events)
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)

	for name, tc := range map[string]struct {
		raw  []byte
		line int
		want string
	}{
		"an empty file": {nil, 1, "expected a header line, got an empty trace"},
		"plain text under a compressed name": {
			plain, 1, "expected Zstandard data, got invalid input: magic number mismatch",
		},
		"a cut at the very start": {
			good[:3], 1, "expected Zstandard data, got half a frame: the trace is truncated",
		},
		"a cut of the checksum after the last line": {
			good[:len(good)-1], 1,
			"expected Zstandard data, got half a frame: the trace is truncated",
		},
		"a flipped bit": {
			flipped(good, len(good)-2), 1, "expected Zstandard data, got CRC check failed",
		},
		"compressed text that was cut before": {
			encoder.EncodeAll(plain[:len(plain)-1], nil), 4,
			"expected a line that ends in a newline, " +
				"got the end after 354 bytes: the trace is truncated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bad.zst")
			require.NoError(t, os.WriteFile(path, tc.raw, 0o600))
			trace, err := traces.ReadFile(t.Context(), path)
			require.Nil(t, trace)
			var bad *traces.FormatError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, traces.FormatError{
				Path: path, Line: tc.line, Want: bad.Want, Got: bad.Got,
				Truncated: strings.Contains(tc.want, "the trace is truncated"),
			}, *bad)
			assert.Equal(t, tc.want, "expected "+bad.Want+", got "+bad.Got)
		})
	}
}

func flipped(raw []byte, at int) []byte {
	raw = append([]byte(nil), raw...)
	raw[at] ^= 1
	return raw
}

func TestCreateLeavesNoHalfTrace(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		create := func(t *testing.T) (string, *traces.Writer) {
			path := filepath.Join(t.TempDir(), name)
			require.NoError(t, traces.WriteFile(path, exampleTrace(1)))
			writer, err := traces.Create(path, exampleHeader())
			require.NoError(t, err)
			require.NoError(t, writer.Write(exampleEvent()))
			require.NoError(t, writer.Write(exampleEvent()))
			return path, writer
		}
		events := func(t *testing.T, path string) int {
			assertOnly(t, path)
			trace, err := traces.ReadFile(t.Context(), path)
			require.NoError(t, err)
			return len(trace.Events)
		}
		t.Run(name+" is replaced by close", func(t *testing.T) {
			t.Parallel()
			path, writer := create(t)
			old, err := traces.ReadFile(t.Context(), path)
			require.NoError(t, err)
			require.Len(t, old.Events, 1, "until then the old file stands")
			require.NoError(t, writer.Close())
			require.NoError(t, writer.Abort(), "abort after close does nothing")
			assert.Equal(t, 2, events(t, path))
		})
		t.Run(name+" stays when the writer is aborted", func(t *testing.T) {
			t.Parallel()
			path, writer := create(t)
			require.NoError(t, writer.Abort())
			require.ErrorIs(t, writer.Close(), traces.ErrClosed)
			assert.Equal(t, 1, events(t, path))
		})
		t.Run(name+" stays when a write was refused", func(t *testing.T) {
			t.Parallel()
			path, writer := create(t)
			bad := exampleEvent()
			bad.Replica = 3
			want := path + ":4: expected a replica from 0 to 2, got 3"
			requireFormatError(t, writer.Write(bad), 4, want)
			require.EqualError(t, writer.Close(), want)
			assert.Equal(t, 1, events(t, path))
		})
		t.Run(name+" stays when WriteFile is refused", func(t *testing.T) {
			t.Parallel()
			path, writer := create(t)
			require.NoError(t, writer.Abort())
			bad := exampleTrace(3)
			bad.Events[2].Action = ""
			require.EqualError(t, traces.WriteFile(path, bad),
				path+`:4: expected the required field "action", got none`)
			bad.Header.Replicas = 0
			require.EqualError(t, traces.WriteFile(path, bad),
				path+":1: expected replicas of at least 1, got 0")
			assert.Equal(t, 1, events(t, path))
		})
	}
}

func TestFilesThatAreNotThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "no", "run.jsonl")
	_, err := traces.ReadFile(t.Context(), path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "open trace: open "+path)
	require.ErrorIs(t, traces.WriteFile(path, exampleTrace(1)), fs.ErrNotExist)
}

// Renaming over a device would replace it.
func TestCreateWritesThroughWhatIsNotAFile(t *testing.T) {
	t.Parallel()
	require.NoError(t, traces.WriteFile(os.DevNull, exampleTrace(3)))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.False(t, info.Mode().IsRegular())
}

func TestOpenReadsOneEventAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.jsonl.zst")
	require.NoError(t, traces.WriteFile(path, exampleTrace(2)))
	reader, err := traces.Open(path)
	require.NoError(t, err)
	assert.Equal(t, exampleHeader(), reader.Header())
	for step := 1; step <= 2; step++ {
		event, err := reader.Next()
		require.NoError(t, err)
		assert.Equal(t, step, event.Step)
	}
	_, err = reader.Next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, reader.Close())
}

// assertOnly checks that no temporary file stands beside path.
func assertOnly(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
