package wal

import (
	"errors"
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Recovery says which records [Open] adopts. All but the first are deliberate
// defects, mutants that tests must catch; their names are those of PartitionLog.tla.
type Recovery uint8

// The recoveries.
const (
	// RecoverVerified adopts what verifies as an unbroken chain (R14).
	RecoverVerified Recovery = iota + 1
	// RecoverToFrontier adopts only what lies below the published frontier:
	// truncate_to_frontier, seed 003 (iggy#4632).
	RecoverToFrontier
	// RecoverTorn adopts a record too whose body does not verify, and serves it:
	// adopt_torn.
	RecoverTorn
)

var recoveryNames = [...]string{
	RecoverVerified:   "verified",
	RecoverToFrontier: "truncate_to_frontier",
	RecoverTorn:       "adopt_torn",
}

// String returns the name of the mutant, or "verified".
func (r Recovery) String() string {
	if r == 0 || int(r) >= len(recoveryNames) {
		return fmt.Sprintf("recovery(%d)", uint8(r))
	}
	return recoveryNames[r]
}

// ParseRecovery is the inverse of String.
func ParseRecovery(name string) (Recovery, error) {
	for r, known := range recoveryNames {
		if known == name && r > 0 {
			return Recovery(r), nil
		}
	}
	return 0, fmt.Errorf("parse recovery %q: expected one of %q", name, recoveryNames[1:])
}

// scanner walks over the records of a file.
type scanner struct {
	file storage.File
	size int64
}

// finding is what the scanner found at an offset.
type finding uint8

const (
	foundRecord finding = iota + 1 // A record that verifies.
	foundTorn                      // A header that verifies over a body that does not.
	foundNoise                     // No header.
)

// at looks for a record at offset. The header is valid unless noise was found.
func (s scanner) at(offset int64) (Header, finding, error) {
	if s.size-offset < HeaderBytes {
		return Header{}, foundNoise, nil
	}
	var b [HeaderBytes]byte
	if _, err := s.file.ReadAt(b[:], offset); err != nil {
		return Header{}, 0, err
	}
	h, ok := decodeHeader(b[:])
	if !ok {
		return Header{}, foundNoise, nil
	}
	if int64(h.SizeBytes) > s.size-offset {
		return h, foundTorn, nil
	}
	body, err := readBody(s.file, offset, h)
	if err != nil {
		return Header{}, 0, err
	}
	if wire.ChecksumOf(body) != h.BodyChecksum {
		return h, foundTorn, nil
	}
	return h, foundRecord, nil
}

// readBody reads the body of the record at offset. Where the file ends early, zeros
// stand for the rest.
func readBody(file storage.File, offset int64, h Header) ([]byte, error) {
	body := make([]byte, h.BodyBytes())
	if _, err := file.ReadAt(body, offset+HeaderBytes); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return body, nil
}

// adopt walks over the records that continue the log and that the recovery takes.
// It returns their headers and the offset behind them.
func (s scanner) adopt(recovery Recovery, front Sequence) ([]Header, int64, error) {
	var headers []Header
	var prev Header
	offset := int64(0)
	for {
		if recovery == RecoverToFrontier && prev.Sequence >= front {
			return headers, offset, nil
		}
		h, found, err := s.at(offset)
		if err != nil {
			return nil, 0, err
		}
		adopts := found == foundRecord || found == foundTorn && recovery == RecoverTorn
		if !adopts || !h.follows(prev) {
			return headers, offset, nil
		}
		headers, prev, offset = append(headers, h), h, offset+int64(h.SizeBytes)
	}
}

// discards says why nothing from offset on was adopted, where the log ends with
// prev. The ranges follow one another to the end of the file.
func (s scanner) discards(offset int64, prev Header) ([]Discard, error) {
	var all []Discard
	// What a record that verifies is discarded for. As long as nothing else came in
	// between, it would have been adopted but for the frontier.
	reason := BeyondFrontier
	for offset < s.size {
		h, found, err := s.at(offset)
		if err != nil {
			return nil, err
		}
		d := Discard{Offset: offset, Bytes: min(int64(h.SizeBytes), s.size-offset)}
		switch found {
		case foundRecord:
			if !h.follows(prev) {
				reason = BrokenChain
			}
			d.Reason, d.Records, d.PayloadBytes = reason, 1, h.BodyBytes()
		case foundTorn:
			d.Reason = TornTail
			if reason == BeyondFrontier {
				reason = Orphaned
			}
		case foundNoise:
			d.Bytes = s.size - offset
			if d.Reason, err = s.noise(offset); err != nil {
				return nil, err
			}
		}
		all, prev = merge(all, d), h
		offset += d.Bytes
	}
	return all, nil
}

// merge appends a range, or extends the last one if the reason is the same. A torn
// record stays on its own.
func merge(all []Discard, d Discard) []Discard {
	if n := len(all); n > 0 && all[n-1].Reason == d.Reason && d.Reason != TornTail {
		last := &all[n-1]
		last.Bytes += d.Bytes
		last.Records += d.Records
		last.PayloadBytes += d.PayloadBytes
		return all
	}
	return append(all, d)
}

// noise says what the bytes from offset to the end of the file are, where no header
// was found.
func (s scanner) noise(offset int64) (Reason, error) {
	buffer := make([]byte, min(s.size-offset, 64<<10))
	for at := offset; at < s.size; {
		n, err := s.file.ReadAt(buffer[:min(int64(len(buffer)), s.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if at == offset && !startsRecord(buffer[:n]) {
			return Foreign, nil
		}
		for _, b := range buffer[:n] {
			if b != 0 {
				return TornTail, nil
			}
		}
		if n == 0 {
			break // The file is shorter than it was: the rest counts as zeros.
		}
		at += int64(n)
	}
	return Unwritten, nil
}

// startsRecord reports whether b may be the start of a record: magic, as much of it
// as there is, or zeros, where its first sector never came.
func startsRecord(b []byte) bool {
	n := min(len(b), len(recordMagic))
	start := string(b[:n])
	return start == recordMagic[:n] || start == "\x00\x00\x00\x00"[:n]
}
