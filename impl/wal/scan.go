package wal

import (
	"cmp"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// image is a live file as recovery finds it.
type image struct {
	file  storage.File
	name  string
	first Sequence
}

// place is where in the files the scan is.
type place struct {
	file   int // Position in scanner.images.
	offset int64
}

// cell is a batch of which at least one index verifies.
type cell struct {
	at      place
	h       header
	records []indexed
	// absent says which bodies do not verify; nil if all do.
	absent []bool
	// front, back: the indexes that verify.
	front, back bool
	body        []byte // All between the indexes.
}

// scanner walks over the files of a log. It changes nothing.
type scanner struct {
	images []image
	reader reader

	// What it has found so far.
	cells     []cell // Adopted; without records and bodies.
	adopt     func(cell)
	discarded []Discard
	damaged   bool
	next      Sequence
	covered   Sequence // The newest batch that a later one knows to be flushed.
	end       place
	cut       bool // Something lies behind the end that must go.

	// Of the defective recoveries.
	servesTorn bool
	limited    bool
	limit      Sequence
}

// run walks over the whole log.
//
// Source: R14; spec/JournalBoot.tla Scan.
func (s *scanner) run() error {
	s.reader = newReader(s.images)
	defer s.reader.stop()
	if len(s.images) == 0 {
		s.next = 1
		return nil
	}
	s.next = s.images[0].first
	var at place
	for {
		c, found, err := s.cell(at)
		if err != nil {
			return err
		}
		follows := len(s.cells) == 0 || c.h.chain == s.last().checksum
		switch {
		case found && c.h.sequence == s.next && follows && !s.beyond(c.h):
			at = s.take(c)
			continue
		case at.file+1 < len(s.images) && s.images[at.file+1].first == s.next:
			if err := s.rest(at, false); err != nil {
				return err
			}
			at = place{file: at.file + 1}
			continue
		}
		resumed, found, err := s.resume(at)
		if err != nil {
			return err
		}
		if !found {
			break
		}
		if err := s.gap(at, resumed.at); err != nil {
			return err
		}
		s.next = resumed.h.sequence
		at = s.take(resumed)
	}
	s.end = at
	for i := at.file; i < len(s.images); i++ {
		if err := s.rest(at, true); err != nil {
			return err
		}
		s.cut = s.cut || i > s.end.file
		at = place{file: i + 1}
	}
	for _, c := range s.cells {
		s.unreadable(c)
	}
	slices.SortFunc(s.discarded, func(a, b Discard) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	return nil
}

// last is the header of the newest batch adopted.
func (s *scanner) last() header {
	if len(s.cells) == 0 {
		return header{}
	}
	return s.cells[len(s.cells)-1].h
}

// take adopts a batch and returns the place behind it.
func (s *scanner) take(c cell) place {
	s.covered = max(s.covered, c.h.syncedThrough)
	s.adopt(c)
	c.records, c.body = nil, nil
	s.cells = append(s.cells, c)
	s.next++
	return place{c.at.file, c.at.offset + int64(c.h.size)}
}

// unreadable notes what of an adopted batch does not verify: rot, if it was ever flushed.
func (s *scanner) unreadable(c cell) {
	reason := Rot
	if c.h.sequence > s.covered {
		reason = TornTail
	}
	ends, size := int64(indexSize(int(c.h.records))), int64(c.h.size)
	if !c.front {
		s.discard(c.at, c.at.offset+ends, reason)
	}
	if c.absent != nil {
		s.discard(place{c.at.file, c.at.offset + ends}, c.at.offset+size-ends, reason)
	}
	if !c.back {
		s.discard(place{c.at.file, c.at.offset + size - ends}, c.at.offset+size, reason)
	}
}

func (s *scanner) discard(from place, to int64, reason Reason) {
	name := s.images[from.file].name
	if n := len(s.discarded); n > 0 {
		last := &s.discarded[n-1]
		if last.File == name && last.Offset+last.Bytes == from.offset && last.Reason == reason {
			last.Bytes = to - last.Offset
			return
		}
	}
	s.discarded = append(s.discarded, Discard{
		File: name, Offset: from.offset, Bytes: to - from.offset, Reason: reason,
	})
}

// cell looks for the batch that belongs to a place, by its front index or by its back one.
func (s *scanner) cell(at place) (cell, bool, error) {
	b, err := s.reader.load(at.file)
	if err != nil || at.offset >= int64(len(b)) {
		return cell{}, false, err
	}
	b = b[at.offset:]
	if c, ok := s.intact(b, at); ok {
		return c, true, nil
	}
	if h, records, ok := decodeFront(b); ok && s.belongs(h, at) {
		c := cell{at: at, h: h, records: records, front: true}
		c.back = sameEnds(b[:h.size], len(records))
		return s.verify(c, b[:h.size])
	}
	for end := 2 * SectorBytes; end <= len(b); end += SectorBytes {
		h, records, ok := decodeBack(b[:end])
		if ok && int(h.size) == end && s.belongs(h, at) {
			return s.verify(cell{at: at, h: h, records: records, back: true}, b[:end])
		}
	}
	return cell{}, false, nil
}

// intact reads the batch at the start of b if all of it verifies but maybe its copy of the index:
// as nearly every batch does, in one pass.
func (s *scanner) intact(b []byte, at place) (cell, bool) {
	h, ok := decodeHeader(b, len(b))
	if !ok || h.checksumWhole == 0 || !s.belongs(h, at) {
		return cell{}, false
	}
	b = b[:h.size]
	end := indexSize(int(h.records))
	records, bodies, ok := parseIndex(h, b[headerBytes:end])
	if !ok || halfOf(b[headerBytes:end+bodies]) != h.checksumWhole {
		return cell{}, false
	}
	if !allZero(b[end+bodies : len(b)-end]) {
		return cell{}, false
	}
	return cell{
		at: at, h: h, records: records, front: true, back: sameEnds(b, len(records)),
		body: b[end : len(b)-end],
	}, true
}

// sameEnds says whether the back index is what the front one is.
func sameEnds(b []byte, records int) bool {
	end := indexSize(records)
	return string(b[:headerBytes]) == string(b[len(b)-headerBytes:]) &&
		string(b[headerBytes:end]) == string(b[len(b)-end:len(b)-headerBytes])
}

// belongs says whether a batch lies where it was meant to lie.
func (s *scanner) belongs(h header, at place) bool {
	return h.file == s.images[at.file].first && h.offset == at.offset
}

// verify looks at the bodies. A batch whose state record does not verify is illegible.
func (s *scanner) verify(c cell, b []byte) (cell, bool, error) {
	ends, bodies := indexSize(len(c.records)), 0
	c.body = b[ends : len(b)-ends]
	for _, x := range c.records {
		bodies += int(x.size)
	}
	padded := allZero(c.body[bodies:])
	absent, at, whole := make([]bool, len(c.records)), 0, true
	for i, x := range c.records {
		absent[i] = wire.ChecksumOf(c.body[at:at+int(x.size)]) != x.checksumBody
		if absent[i] && x.Kind == KindState {
			return cell{}, false, nil
		}
		whole = whole && !absent[i]
		at += int(x.size)
	}
	if s.servesTorn {
		return c, true, nil
	}
	if !whole || !padded {
		c.absent = absent
	}
	return c, true, nil
}

// resume looks for the batch behind an unreadable place at which the log goes on: the first
// from which an unbroken chain reaches one that knows the batch before it to be flushed.
//
// Source: R14; spec/JournalBoot.tla Resumes.
func (s *scanner) resume(from place) (cell, bool, error) {
	var all []cell
	for i := from.file; i < len(s.images); i++ {
		found, err := s.behind(from)
		if err != nil {
			return cell{}, false, err
		}
		all = append(all, found...)
		from = place{file: i + 1}
	}
	slices.SortStableFunc(all, func(a, b cell) int {
		return cmp.Compare(a.h.sequence, b.h.sequence)
	})
	for _, c := range all {
		if reaches(all, c) {
			return s.cell(c.at) // Again, for its bodies.
		}
	}
	return cell{}, false, nil
}

// reaches says whether an unbroken chain from c on knows the batch before c to be flushed.
func reaches(all []cell, c cell) bool {
	for at := c; ; {
		if at.h.syncedThrough >= c.h.sequence-1 {
			return true
		}
		i := slices.IndexFunc(all, func(d cell) bool {
			return d.h.sequence == at.h.sequence+1 && d.h.chain == at.h.checksum
		})
		if i < 0 {
			return false
		}
		at = all[i]
	}
}

// behind returns the batches of later sequences that lie in a file from a place on.
func (s *scanner) behind(from place) ([]cell, error) {
	b, err := s.reader.load(from.file)
	if err != nil {
		return nil, err
	}
	var all []cell
	for offset := from.offset; offset < int64(len(b)); {
		c, found := s.legible(b, place{from.file, offset})
		if !found {
			offset += SectorBytes
			continue
		}
		if c.h.sequence > s.next && !s.beyond(c.h) {
			c.body = nil
			all = append(all, c)
		}
		offset = c.at.offset + int64(c.h.size)
	}
	return all, nil
}

// legible looks for a batch that begins in a sector, or ends in it with its front lost.
func (s *scanner) legible(b []byte, at place) (cell, bool) {
	end := at.offset + SectorBytes
	if end > int64(len(b)) {
		return cell{}, false
	}
	if h, records, ok := decodeFront(b[at.offset:]); ok && s.belongs(h, at) {
		c, ok, _ := s.verify(cell{at: at, h: h, records: records}, b[at.offset:][:h.size])
		return c, ok
	}
	h, records, ok := decodeBack(b[:end])
	if start := end - int64(h.size); ok && s.belongs(h, place{at.file, start}) {
		c, ok, _ := s.verify(cell{
			at: place{at.file, start}, h: h, records: records,
		}, b[start:end])
		return c, ok
	}
	return cell{}, false
}

// gap notes what lies between two places as rot.
func (s *scanner) gap(from, to place) error {
	s.damaged = true
	for ; from.file < to.file; from = (place{file: from.file + 1}) {
		b, err := s.reader.load(from.file)
		if err != nil {
			return err
		}
		if from.offset < int64(len(b)) {
			s.discard(from, int64(len(b)), Rot)
		}
	}
	if from.offset < to.offset {
		s.discard(from, to.offset, Rot)
	}
	return nil
}

// rest says what lies in a file from a place on, where the log ends or goes on in the next.
//
// Source: spec/JournalBoot.tla Misplaced.
func (s *scanner) rest(from place, end bool) error {
	b, err := s.reader.load(from.file)
	if err != nil {
		return err
	}
	first := end && from == s.end
	for offset := from.offset; offset < int64(len(b)); {
		sector := b[offset:min(offset+SectorBytes, int64(len(b)))]
		at, size := place{from.file, offset}, int64(len(sector))
		h, records, batch := decodeFront(b[offset:])
		var reason Reason
		switch {
		case batch:
			size, reason = int64(h.size), s.leftover(h, at)
		case allZero(sector):
			offset, first = offset+size, false
			continue
		case first: // And as long as it goes on without zeros.
			reason = TornTail
		default:
			reason = s.lowerEnd(b[:offset+size], from.file)
		}
		switch reason {
		case TornTail, Orphaned, Misdirected:
			s.damaged, s.cut = true, s.cut || end
		case ForeignIncarnation, BeyondFrontier:
			s.cut = s.cut || end
		case Rot, StaleRecycled:
		}
		first = first && !batch
		s.discard(at, offset+size, reason)
		s.discarded[len(s.discarded)-1].count(records)
		offset += size
	}
	return nil
}

// lowerEnd says what garbage is: a batch may lie below it of which the index at the end is left,
// as after a misdirected write that a torn one has covered.
func (s *scanner) lowerEnd(b []byte, file int) Reason {
	h, _, ok := decodeBack(b)
	if !ok {
		return StaleRecycled
	}
	return s.leftover(h, place{file, int64(len(b)) - int64(h.size)})
}

// leftover says what a batch is that verifies and is not adopted.
func (s *scanner) leftover(h header, at place) Reason {
	if !s.belongs(h, at) {
		if h.file >= s.images[0].first {
			return Misdirected
		}
		return StaleRecycled
	}
	if s.beyond(h) {
		return BeyondFrontier
	}
	switch {
	case h.sequence > s.next:
		return Orphaned
	case h.sequence == s.next && h.chain == s.last().checksum:
		return TornTail // It goes on with the log, and its state record does not verify.
	}
	return ForeignIncarnation
}

var zeroSectors [8 * SectorBytes]byte

func allZero(b []byte) bool {
	for ; len(b) > len(zeroSectors); b = b[len(zeroSectors):] {
		if string(b[:len(zeroSectors)]) != string(zeroSectors[:]) {
			return false
		}
	}
	return string(b) == string(zeroSectors[:len(b)])
}
