package traces_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

// The text is pinned: other tools read it, and equal traces must be equal bytes.
func TestWriterWritesTheExample(t *testing.T) {
	t.Parallel()
	header := exampleHeader()
	header.Format, header.Version = "", 0 // The writer's own.
	event := exampleEvent()
	event.Step = 99 // The writer numbers.
	event2 := exampleEvent()
	event2.After.Pipeline = nil
	got := written(t, header, []traces.Event{event, event2})
	second := edit(t, edit(t, eventLine, `"step":1`, `"step":2`), "[21,21]", "[]")
	assert.Equal(t, headerLine+"\n"+eventLine+"\n"+second+"\n", string(got))
}

func TestWriterWritesEveryField(t *testing.T) {
	t.Parallel()
	header := exampleHeader()
	header.CommitDrivers, header.Mutant = traces.CommitDriversWalk, "send_first"
	header.Violates, header.RefusedAt, header.Groups = "OneStart", 1, nil
	to, from := 0, 2
	event := exampleEvent()
	event.Action, event.Stutter = "Sent <&>", true
	event.Args = traces.Args{
		Op: 5, Checksum: "c5", View: 2, Commit: 4, To: &to, Quorum: []int{0}, Request: 9,
		From: &from, Incarnation: "i1", Class: "fill", Reason: "late",
	}
	event.After.Hollow = []uint64{4, 5}
	event.After.InDoubt = true
	got := string(written(t, header, []traces.Event{event}))
	assert.Contains(t, got, `"seed":7,"spec":"5e","commit":"","commit_drivers":"walk",`+
		`"mutant":"send_first","violates":"OneStart","refused_at":1,"groups":[]}`)
	assert.Contains(t, got, `"action":"Sent <&>","args":{"op":5,"checksum":"c5","view":2,`+
		`"commit":4,"to":0,"quorum":[0],"request":9,"from":2,"incarnation":"i1",`+
		`"class":"fill","reason":"late"},"stutter":true,"after":`)
	assert.Contains(t, got, `"hollow":[4,5],"in_doubt":true`)
}

func TestWriterRefusesWhatTheReaderWould(t *testing.T) {
	t.Parallel()
	header := exampleHeader()
	header.Replicas = 0
	_, err := traces.NewWriter(io.Discard, header)
	requireFormatError(t, err, 1, "line 1: expected replicas of at least 1, got 0")

	header = exampleHeader()
	header.Groups[0].ID = "\xff"
	_, err = traces.NewWriter(io.Discard, header)
	requireFormatError(t, err, 1, `line 1: expected UTF-8 text, got "\xff"`)

	for name, tc := range map[string]struct {
		spoil func(*traces.Event)
		want  string
	}{
		"a stranger": {
			func(e *traces.Event) { e.Replica = 7 },
			"line 3: expected a replica from 0 to 2, got 7",
		},
		"an unknown action": {
			func(e *traces.Event) { e.Action = "Vote" },
			`line 3: expected an action of the schema, or "stutter":true, got action "Vote"`,
		},
		"no status": {
			func(e *traces.Event) { e.After.Status = "" },
			`line 3: expected the required field "after.status", got none`,
		},
		"text that JSON cannot hold": {
			func(e *traces.Event) { e.Args.Reason = "bad \xfe" },
			`line 3: expected UTF-8 text, got "bad \xfe"`,
		},
		"a line that is too long": {
			func(e *traces.Event) { e.Args.Reason = strings.Repeat("x", traces.LineMax) },
			"line 3: expected at most 16777216 bytes in a line, got 16777582",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			writer, err := traces.NewWriter(&out, exampleHeader())
			require.NoError(t, err)
			require.NoError(t, writer.Write(exampleEvent()))
			require.NoError(t, writer.Flush())
			size := out.Len()

			bad := exampleEvent()
			tc.spoil(&bad)
			err = writer.Write(bad)
			requireFormatError(t, err, 3, tc.want)
			assert.Equal(t, err, writer.Write(exampleEvent()), "an error is final")
			require.EqualError(t, writer.Close(), tc.want)
			assert.Equal(t, size, out.Len(), "nothing was written after the error")
			assert.Equal(t, 1, writer.Steps())
		})
	}
}

func TestWriterReportsTheSinksErrors(t *testing.T) {
	t.Parallel()
	errFull := errors.New("no space left")
	writer, err := traces.NewWriter(failingWriter{errFull}, exampleHeader())
	require.NoError(t, err, "the header is buffered")
	require.ErrorIs(t, writer.Flush(), errFull)
	require.ErrorIs(t, writer.Write(exampleEvent()), errFull)
	require.ErrorIs(t, writer.Close(), errFull)
	require.ErrorIs(t, writer.Write(exampleEvent()), traces.ErrClosed)
	require.ErrorIs(t, writer.Close(), traces.ErrClosed)
	require.NoError(t, writer.Abort())
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
