package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// The numbers of operations and codes stand in a table each; a slip in one shows here.
func TestEveryOperationHasOneCode(t *testing.T) {
	t.Parallel()
	byOperation := map[wire.Operation]Code{}
	for code := range codeRows {
		o := code.Operation()
		if o == wire.OperationNonReplicated || o == wire.OperationRegister {
			continue
		}
		assert.NotContains(t, byOperation, o, "%s", code)
		byOperation[o] = code
		assert.NotEqual(t, PlaneNone, PlaneOf(o), "%s", code)
	}
	for o := OperationCreateStream; o <= OperationLeaveGroup; o++ {
		assert.Contains(t, byOperation, o)
		assert.Equal(t, PlaneMetadata, PlaneOf(o))
		assert.True(t, Framed(o))
	}
	for o := OperationSend; o <= OperationDeleteOffset; o++ {
		assert.Contains(t, byOperation, o)
		assert.Equal(t, PlanePartition, PlaneOf(o))
		assert.Equal(t, o != OperationSend, Framed(o))
	}
	assert.Equal(t, PlaneNone, PlaneOf(wire.OperationNonReplicated))
	assert.Equal(t, PlaneNone, PlaneOf(150))
	assert.Equal(t, "send", OperationName(OperationSend))
	assert.Equal(t, "register", OperationName(wire.OperationRegister))
}

func TestCodesAndTheirLevels(t *testing.T) {
	t.Parallel()
	strict := CodePoll.Linearizable()
	assert.Equal(t, "poll", CodePoll.String())
	assert.Equal(t, "poll(linearizable)", strict.String())
	assert.Equal(t, "code(9999)", Code(9999).String())
	assert.True(t, strict.IsLinearizable())
	assert.False(t, CodePoll.IsLinearizable())
	assert.Equal(t, CodePoll, strict.Query())
	assert.Equal(t, wire.OperationNonReplicated, strict.Operation())
	assert.Zero(t, Code(9999).Operation())
	assert.Equal(t, uint32(0x8000_0064), uint32(strict))
}

func TestStatusesHaveAMeaning(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "no stream of this name", StatusStreamNameNotFound.String())
	assert.Equal(t, "status 777", Status(777).String())
	assert.True(t, StatusOK.Known())
	assert.False(t, Status(777).Known())
	assert.Equal(t, "7", ID(7).String())
	assert.Equal(t, `"shop"`, Named("shop").String())
	assert.Equal(t, "nothing", Identifier{}.String())
	assert.Equal(t, "message_expiry=100", NumberOption(OptionExpiry, 100).String())
	assert.Equal(t, "durability=persisted", TextOption(OptionDurability, "persisted").String())
	assert.Equal(t, "a=true", Option{Key: "a", Kind: ValueBool, Value: []byte{1}}.String())
	assert.Equal(t, "a=0102", Option{Key: "a", Kind: 99, Value: []byte{1, 2}}.String())
}
