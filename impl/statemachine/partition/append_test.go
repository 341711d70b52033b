package partition_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
)

// The bytes of a prepare are what replicas acknowledge: a partition stamps its own copy.
func TestASendLeavesThePrepareAsItIs(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"a small batch": "a", "a large one": strings.Repeat("a", 100_000),
	} {
		m := partition.New(config(nil))
		p := prepare(1, 100, protocol.OperationSend, sendBody(t, payload))
		before := bytes.Clone(p.Body)
		m.Execute(p)
		require.Equal(t, before, p.Body, name)
	}
}

// The clock of a new primary may be behind that of the last.
func TestTheTimeOfABatchDoesNotFall(t *testing.T) {
	t.Parallel()
	m := partition.New(config(nil))
	m.Execute(prepare(1, 200, protocol.OperationSend, sendBody(t, "a")))
	m.Execute(prepare(2, 100, protocol.OperationSend, sendBody(t, "b")))
	assert.Equal(t, []string{"a", "b"}, poll(t, m, protocol.FromTimestamp, 200, 9).payloads)
}
