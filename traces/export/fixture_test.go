package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// walk is a trace of the model with view changes, crashes and repairs.
func walk(t *testing.T, seed uint64, steps int) *traces.Trace {
	t.Helper()
	config := vsr.Config{N: 3, MaxRequest: 8, MaxView: 6, MaxCrash: 4, Drivers: vsr.Walk}
	walks, err := generate.Walks(config, seed, 1, steps, generate.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, walks[0].Events)
	return walks[0]
}

// hostile is a trace of two groups whose texts try to be read as markup, with numbers that
// JavaScript cannot hold.
func hostile() *traces.Trace {
	zero := 0
	state := traces.ReplicaState{
		Status: traces.StatusNormal, OpHead: 1<<63 + 1, HeadChecksum: "</script><b>#;:\n",
		Hollow: []uint64{3, 1<<63 + 1}, Pipeline: []uint64{3, 1<<63 + 1},
	}
	backup := state
	backup.Pipeline, backup.InDoubt = nil, true
	t := &traces.Trace{Header: traces.Header{
		Format: traces.Format, Version: traces.Version, Source: "<other>", Replicas: 3,
		Groups: []traces.Group{{ID: "0"}},
	}}
	for i, e := range []traces.Event{
		{Replica: 0, Action: "ClientRequest", Args: traces.Args{Checksum: "c", Request: 1}},
		{
			Replica: 1, Action: "<img src=x>\n", Stutter: true,
			Args: traces.Args{Reason: "a;b:c <d>", From: &zero},
		},
		{Replica: 1, Action: "ReceivePrepare", Args: traces.Args{Checksum: "c", From: &zero}},
		{Group: "p 7", Replica: 1, Action: "ReceivePrepare", Args: traces.Args{Checksum: "c"}},
	} {
		e.Step, e.After = i+1, state
		if e.Replica == 1 {
			e.After = backup
		}
		if e.Group == "" {
			e.Group = "0"
		}
		t.Events = append(t.Events, e)
	}
	return t
}

// samples are traces of every kind that the writers must cope with.
func samples(t *testing.T) map[string]*traces.Trace {
	t.Helper()
	return map[string]*traces.Trace{
		"walk": walk(t, 1, 150), "another walk": walk(t, 2, 150), "hostile": hostile(),
		"empty": {Header: traces.Header{Source: traces.SourceModel, Replicas: 3}},
	}
}
