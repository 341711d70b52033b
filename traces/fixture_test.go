package traces_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

// headerLine and eventLine are the examples of doc.go, without newlines. Tests for
// bad input change one place of them.
const (
	headerLine = `{"format":"viewstamp.trace","version":1,"source":"model","replicas":3,` +
		`"quorum":{"replication":2,"view_change":2,"nack":2},"seed":7,"spec":"5e","commit":"",` +
		`"groups":[{"id":"0","plane":"metadata","durability":"persisted"}]}`
	eventLine = `{"step":1,"group":"0","replica":1,"action":"BecomePrimary",` +
		`"args":{"quorum":[1,2]},"stutter":false,"after":{"status":"normal","view":1,` +
		`"log_view":1,"view_durable":1,"log_view_durable":1,"op_head":21,` +
		`"head_checksum":"c9","contiguous":21,"hollow":[],"in_doubt":false,` +
		`"commit_min":20,"commit_max":20,"pipeline":[21,21],"incarnation":"a7",` +
		`"stop":"CaughtUp"}}`
)

// exampleHeader and exampleEvent are what the two lines mean.
func exampleHeader() traces.Header {
	return traces.Header{
		Format: traces.Format, Version: traces.Version, Source: traces.SourceModel,
		Replicas: 3, Quorum: traces.Quorum{Replication: 2, ViewChange: 2, Nack: 2},
		Seed: 7, Spec: "5e",
		Groups: []traces.Group{{ID: "0", Plane: "metadata", Durability: "persisted"}},
	}
}

func exampleEvent() traces.Event {
	return traces.Event{
		Step: 1, Group: "0", Replica: 1, Action: traces.ActionBecomePrimary,
		Args: traces.Args{Quorum: []int{1, 2}},
		After: traces.ReplicaState{
			Status: traces.StatusNormal, View: 1, LogView: 1, ViewDurable: 1, LogViewDurable: 1,
			OpHead: 21, HeadChecksum: "c9", Contiguous: 21, CommitMin: 20, CommitMax: 20,
			Pipeline: []uint64{21, 21}, Incarnation: "a7", Stop: traces.StopCaughtUp,
		},
	}
}

// edit replaces the one occurrence of old.
func edit(t *testing.T, line, old, replacement string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(line, old), "%q must occur once", old)
	return strings.Replace(line, old, replacement, 1)
}

// readAll reads a whole trace and returns what stands before the first error.
func readAll(r io.Reader, name string) (traces.Header, []traces.Event, error) {
	reader, err := traces.NewReader(r, name)
	if err != nil {
		return traces.Header{}, nil, err
	}
	var events []traces.Event
	for {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return reader.Header(), events, nil
		}
		if err != nil {
			return reader.Header(), events, err
		}
		events = append(events, event)
	}
}

// written returns the bytes of a trace.
func written(t require.TestingT, header traces.Header, events []traces.Event) []byte {
	var out bytes.Buffer
	writer, err := traces.NewWriter(&out, header)
	require.NoError(t, err)
	for _, event := range events {
		require.NoError(t, writer.Write(event))
	}
	require.NoError(t, writer.Close())
	return out.Bytes()
}
