package statemachine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// answerBytes is an encoded answer without its body:
//
//	offset  bytes
//	     0      1  kind
//	     1      1  reason        of NotAccepted, else 0
//	     2      8  session
//	    10      8  born
//	    18      8  watermark
//	    26      8  number
//	    34     16  checksum
//	    50      8  op
//	    58         body
const answerBytes = 58

// AppendAnswer appends an answer, little-endian, and returns it: what [Sessions] makes of a
// prepare. Whoever tells the client reads it with [ParseAnswer].
func AppendAnswer(dst []byte, a clienttable.Answer) []byte {
	u64 := binary.LittleEndian.AppendUint64
	dst = slices.Grow(dst, answerBytes+len(a.Body))
	dst = append(dst, byte(a.Kind), byte(a.Reason))
	dst = u64(u64(dst, uint64(a.Session)), uint64(a.Born))
	dst = u64(u64(dst, uint64(a.Watermark)), uint64(a.Number))
	dst = u64(u64(u64(dst, a.Checksum.Lo), a.Checksum.Hi), uint64(a.Op))
	return append(dst, a.Body...)
}

// ParseAnswer reads what [AppendAnswer] writes. The body is a part of b, nil if it is empty.
//
// Errors: bytes that are too few, or of a kind or reason that there is not.
func ParseAnswer(b []byte) (clienttable.Answer, error) {
	if len(b) < answerBytes {
		return clienttable.Answer{}, fmt.Errorf("parse answer: %d bytes, expected at least %d",
			len(b), answerBytes)
	}
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	a := clienttable.Answer{
		Kind: clienttable.AnswerKind(b[0]), Reason: clienttable.Reason(b[1]),
		Session: wire.SessionNumber(u64(2)), Born: wire.SessionNumber(u64(10)),
		Watermark: wire.RequestNumber(u64(18)), Number: wire.RequestNumber(u64(26)),
		Checksum: wire.Checksum{Lo: u64(34), Hi: u64(42)}, Op: wire.Op(u64(50)),
	}
	if a.Kind < clienttable.Silent || a.Kind > clienttable.NotAccepted {
		return clienttable.Answer{}, fmt.Errorf("parse answer: kind %d, expected %d to %d",
			a.Kind, clienttable.Silent, clienttable.NotAccepted)
	}
	if a.Reason > clienttable.NumberInFlight {
		return clienttable.Answer{}, fmt.Errorf("parse answer: reason %d, expected at most %d",
			a.Reason, clienttable.NumberInFlight)
	}
	if len(b) > answerBytes {
		a.Body = b[answerBytes:]
	}
	return a, nil
}
