package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/zeebo/xxh3"
)

// checksumBytes is the length of the XXH3-128 at the end of a file.
const checksumBytes = 16

// resume reads a saved search into s, which is new, and rebuilds the states that wait. It
// reports whether the search was interrupted within a level, which must then be closed.
func (s *search[S, A]) resume(name string) (within bool, err error) {
	d, err := s.load(name)
	if err != nil {
		return false, fmt.Errorf("resume search from %s: %w", name, err)
	}
	s.transitions = d.transitions
	s.depth, s.queue, s.deepest = d.depth, d.queue, d.deepest
	s.distinct, s.peakStates = d.distinct-len(d.next), d.peakStates
	s.reached, s.settled, s.found = d.reached, d.settled, d.found
	s.before = d.actions
	first := s.workers[0]
	first.distinct, first.transitions, first.degrees = d.distinct, d.transitions, d.degrees
	first.depth = uint32(d.depth) + 1
	for _, w := range s.workers {
		copy(w.reached, s.reached)
	}
	states, err := s.rebuild(append(slices.Clone(d.waiting), d.next...))
	if err != nil {
		return false, fmt.Errorf("resume search from %s: %w", name, err)
	}
	for i, fp := range d.waiting {
		if i%chunkStates == 0 {
			s.level = append(s.level, newChunk[S]())
		}
		s.level[len(s.level)-1].add(fp, states[i])
	}
	for i, fp := range d.next {
		first.fingerprint(states[len(d.waiting)+i])
		first.keep(fp, states[len(d.waiting)+i])
	}
	return len(d.next) > 0, nil
}

// load reads and verifies a file, and fills the visited set.
func (s *search[S, A]) load(name string) (d saved, err error) {
	file, err := os.Open(name)
	if err != nil {
		return saved{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size, err := verifyFile(file)
	if err != nil {
		return saved{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return saved{}, err
	}
	r := &saveReader{from: bufio.NewReaderSize(file, 1<<16), left: size - checksumBytes}
	r.bytes(len(saveMagic) + 8)
	d = r.saved()
	if err := s.accepts(d); r.err == nil && err != nil {
		return saved{}, err
	}
	for range r.count(24) {
		next := slot{fp: r.number(), parent: r.number()}
		way := r.number()
		next.depth, next.step = uint32(way>>32), uint32(way)
		s.visited.insert(next)
	}
	if r.err != nil {
		return saved{}, r.err
	}
	return d, nil
}

// verifyFile looks at magic, version and checksum, in this order, and returns the size.
func verifyFile(file *os.File) (size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	head := make([]byte, len(saveMagic)+8)
	if _, err := io.ReadFull(file, head); err != nil || string(head[:len(saveMagic)]) != saveMagic {
		return 0, fmt.Errorf("no saved search: it %w", ErrNotResumable)
	}
	if version := binary.LittleEndian.Uint64(head[len(saveMagic):]); version != saveVersion {
		return 0, fmt.Errorf("version %d, expected %d: it %w", version, saveVersion, ErrNotResumable)
	}
	hash := xxh3.New()
	_, _ = hash.Write(head)
	content := info.Size() - int64(len(head)) - checksumBytes
	if content < 0 {
		return 0, fmt.Errorf("cut short: it %w", ErrNotResumable)
	}
	if _, err := io.CopyN(hash, file, content); err != nil {
		return 0, err
	}
	var sum [checksumBytes]byte
	if _, err := io.ReadFull(file, sum[:]); err != nil {
		return 0, err
	}
	if sum != hash.Sum128().Bytes() {
		return 0, fmt.Errorf("damaged, its checksum is not that of its content: it %w",
			ErrNotResumable)
	}
	return info.Size(), nil
}

// accepts refuses the search of another model.
func (s *search[S, A]) accepts(d saved) error {
	properties, goals := names(s.model)
	for _, part := range []struct{ what, found, expected string }{
		{"model", d.model, s.model.Name},
		{"identity", d.identity, s.options.Identity},
		{"invariants", fmt.Sprint(d.properties), fmt.Sprint(properties)},
		{"goals", fmt.Sprint(d.goals), fmt.Sprint(goals)},
	} {
		if part.found != part.expected {
			return fmt.Errorf("a search of %s %q, expected %q: it %w", part.what, part.found,
				part.expected, ErrNotResumable)
		}
	}
	return nil
}

// saveReader reads what saveWriter wrote, and keeps the first error.
type saveReader struct {
	from *bufio.Reader
	left int64
	err  error
}

func (r *saveReader) bytes(n int) []byte {
	if r.err == nil && int64(n) > r.left {
		r.err = fmt.Errorf("its numbers do not fit its size: it %w", ErrNotResumable)
	}
	if r.err != nil {
		return make([]byte, min(n, 8))
	}
	r.left -= int64(n)
	b := make([]byte, n)
	_, r.err = io.ReadFull(r.from, b)
	return b
}

func (r *saveReader) number() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

func (r *saveReader) int() int { return int(r.number()) }

// count reads how many elements of at least so many bytes follow.
func (r *saveReader) count(bytesEach int64) int {
	n := r.number()
	if r.err == nil && n > uint64(r.left/bytesEach) {
		r.err = fmt.Errorf("its numbers do not fit its size: it %w", ErrNotResumable)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *saveReader) text() string {
	n := r.count(1)
	return string(r.bytes(n))
}

func readList[T any](r *saveReader, read func() T) []T {
	var list []T
	for range r.count(8) {
		list = append(list, read())
	}
	return list
}

func (r *saveReader) saved() saved {
	d := saved{
		model: r.text(), identity: r.text(), properties: readList(r, r.text),
		goals: readList(r, r.text), depth: r.int(), queue: r.int(), distinct: r.int(),
		transitions: r.int(), peakStates: r.int(), deepest: r.number(),
		degrees: readList(r, r.int), actions: map[string]int{},
	}
	for range r.count(16) {
		name := r.text()
		d.actions[name] = r.int()
	}
	truth := func() bool { return r.number() == 1 }
	d.reached, d.settled = readList(r, truth), readList(r, truth)
	d.found = readList(r, func() finding {
		return finding{property: r.int(), fp: r.number(), reason: errors.New(r.text())}
	})
	d.waiting, d.next = readList(r, r.number), readList(r, r.number)
	return d
}
