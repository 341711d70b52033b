package replica

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A prepare's record in the log is its frame: header and body. That of a state record
// (little-endian):
//
//	offset  bytes
//	     0      8  base          op below the first header; 0 if there is none
//	     8     16  checksum      of the base's prepare
//	    24      4  headers
//	    28      4  doubtful
//	    32         headers, 256 bytes each, rising ops
//	               doubtful, 24 bytes each: op and checksum
const (
	stateHeadBytes = 32
	identityBytes  = 24
)

// prepareRecord is the record of a prepare.
func prepareRecord(p vsr.StorePrepare) wal.Record {
	h := &p.Prepare.Header
	return wal.Record{
		Head: wal.Head{
			Kind: wal.KindPrepare, Group: h.Group, Op: h.Op, Checksum: h.Checksum,
			LogView: p.LogView, Fill: p.Fill,
		},
		Body: wire.Encode(p.Prepare),
	}
}

// decodePrepare reads the record of a prepare.
func decodePrepare(body []byte) (*wire.Prepare, error) {
	m, err := wire.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	p, ok := m.(*wire.Prepare)
	if !ok {
		return nil, fmt.Errorf("decode record: a %s, expected a prepare", m.Command())
	}
	return p, nil
}

// stateRecord is the record of a log view and its log (R2).
func stateRecord(group wire.GroupID, s *vsr.StateRecord) wal.Record {
	b := make([]byte, stateHeadBytes, stateHeadBytes+len(s.Headers)*wire.HeaderBytes+
		len(s.Doubtful)*identityBytes)
	appendID(b[:0], s.Base) // in place
	binary.LittleEndian.PutUint32(b[24:], uint32(len(s.Headers)))
	binary.LittleEndian.PutUint32(b[28:], uint32(len(s.Doubtful)))
	head := s.Base.Op
	for i := range s.Headers {
		b = wire.AppendPrepareHeader(b, &s.Headers[i])
		head = s.Headers[i].Op
	}
	for _, id := range s.Doubtful {
		b = appendID(b, id)
	}
	return wal.Record{
		Head: wal.Head{
			Kind: wal.KindState, Group: group, Op: head, LogView: s.LogView, InDoubt: s.Untrusted,
		},
		Body: b,
	}
}

func appendID(b []byte, id wire.PrepareID) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(id.Op))
	b = binary.LittleEndian.AppendUint64(b, id.Checksum.Lo)
	return binary.LittleEndian.AppendUint64(b, id.Checksum.Hi)
}

func getID(b []byte) wire.PrepareID {
	u64 := binary.LittleEndian.Uint64
	return wire.PrepareID{
		Op: wire.Op(u64(b)), Checksum: wire.Checksum{Lo: u64(b[8:]), Hi: u64(b[16:])},
	}
}

// decodeState reads the body of a state record.
//
// Errors: bytes that stateRecord never writes. Such a record verifies, so another program has
// written it.
func decodeState(logView wire.View, b []byte) (vsr.StateRecord, error) {
	s := vsr.StateRecord{LogView: logView}
	if len(b) < stateHeadBytes {
		return s, fmt.Errorf("decode state record: %d bytes, expected at least %d",
			len(b), stateHeadBytes)
	}
	headers := int64(binary.LittleEndian.Uint32(b[24:]))
	doubtful := int64(binary.LittleEndian.Uint32(b[28:]))
	want := stateHeadBytes + headers*wire.HeaderBytes + doubtful*identityBytes
	if int64(len(b)) != want {
		return s, fmt.Errorf("decode state record: %d bytes, expected %d for %d headers and %d "+
			"doubtful ops", len(b), want, headers, doubtful)
	}
	s.Base = getID(b)
	b = b[stateHeadBytes:]
	for range headers {
		h, err := wire.DecodePrepareHeader(b[:wire.HeaderBytes])
		if err != nil {
			return s, fmt.Errorf("decode state record: %w", err)
		}
		s.Headers = append(s.Headers, h)
		b = b[wire.HeaderBytes:]
	}
	for range doubtful {
		s.Doubtful = append(s.Doubtful, getID(b))
		b = b[identityBytes:]
	}
	return s, nil
}
