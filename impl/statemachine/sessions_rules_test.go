package statemachine_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A number stands for the bytes that executed under it, and for no others.
func TestOtherBytesUnderANumberAreRefused(t *testing.T) {
	t.Parallel()
	s := newSessions()
	s.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	p := prepareOf(2, 1, 1, statemachine.RegisterWrite, statemachine.RegisterBody(1, 2))
	p.Header.RequestChecksum = wire.Checksum{Lo: 5}
	s.Execute(p)
	ask := &wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: 1,
		Operation: statemachine.RegisterWrite, RequestChecksum: wire.Checksum{Lo: 5},
	}
	assert.Equal(t, clienttable.Replied, s.Answer(ask).Kind)
	ask.RequestChecksum.Lo = 6
	assert.Equal(t, clienttable.Refused, s.Answer(ask).Kind)
}

func TestTheChecksumCoversMachineAndTable(t *testing.T) {
	t.Parallel()
	empty, bound, written := newSessions(), newSessions(), newSessions()
	bound.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	written.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	require.NotEqual(t, empty.Checksum(), bound.Checksum(), "the table differs, no register does")
	before := written.Checksum()
	written.Machine().Execute(prepareOf(2, 0, 0, statemachine.RegisterWrite,
		statemachine.RegisterBody(1, 2)))
	require.NotEqual(t, before, written.Checksum(), "the machine differs, the table does not")
}

// Neither part of a snapshot is taken if the other is none.
func TestOfASnapshotThatIsRefusedNothingStays(t *testing.T) {
	t.Parallel()
	s, other := newSessions(), newSessions()
	s.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	other.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	other.Execute(prepareOf(2, 1, 1, statemachine.RegisterWrite, statemachine.RegisterBody(1, 2)))
	state, clients := other.Parts()
	before := s.Checksum()
	require.Error(t, s.RestoreParts(state[:len(state)-1], clients))
	require.Equal(t, before, s.Checksum())
	require.Error(t, s.RestoreParts(state, clients[:len(clients)-1]))
	require.Equal(t, before, s.Checksum())
	whole := binary.LittleEndian.AppendUint64(nil, uint64(len(state)))
	require.NoError(t, s.Restore(append(append(whole, state...), clients...)))
	require.Equal(t, other.Checksum(), s.Checksum())
}
