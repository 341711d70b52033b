package partition

import (
	"encoding/binary"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Operations of a partition that no client asks for: the cluster's own. Those of clients are
// in package protocol, and so is [protocol.OperationSend], for one.
const (
	// OperationTruncate drops the segments that end at or below an offset. Body: offset u64.
	// The number is upstream's.
	OperationTruncate wire.Operation = 68
	// OperationAdvanceOffset raises a consumer's offset, after a poll that commits by itself.
	// The body is that of [protocol.StoreOffset]; a lower offset changes nothing.
	OperationAdvanceOffset wire.Operation = 224
	// OperationRetain drops the oldest segments by age, at the time of the prepare, and by
	// size. Body: age u64, bytes u64, hold u8; zero bounds keep everything; with hold 1
	// nothing goes that a consumer with a stored offset has not read.
	OperationRetain wire.Operation = 225
	// OperationPurge drops everything, once in a generation. Body: generation u64. Offsets go
	// on.
	OperationPurge wire.Operation = 226
)

// framed is the body of a result: done, or one rejection.
func framed(status protocol.Status) []byte {
	if status == protocol.StatusOK {
		return protocol.MustAppend(nil, &protocol.Result{})
	}
	return protocol.MustAppend(nil, &protocol.Result{
		Rejections: []protocol.Rejection{{Status: status}},
	})
}

// TruncateBody returns the body of [OperationTruncate].
func TruncateBody(offset uint64) []byte { return words(offset) }

// PurgeBody returns the body of [OperationPurge]. How often the metadata group has decided to
// purge the partition makes a generation.
func PurgeBody(generation uint64) []byte { return words(generation) }

// RetainBody returns the body of [OperationRetain].
func RetainBody(age, bytes uint64, hold bool) []byte {
	b := append(words(age, bytes), 0)
	if hold {
		b[16] = 1
	}
	return b
}

func words(all ...uint64) []byte {
	b := make([]byte, 0, 8*len(all)+1)
	for _, word := range all {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}
