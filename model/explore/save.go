package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/zeebo/xxh3"
)

// ErrNotResumable means that a file holds no saved search of this model: it is no such
// file, of another version, damaged, or of another model.
var ErrNotResumable = errors.New("cannot be resumed")

const (
	saveMagic   = "explore\n"
	saveVersion = 1
)

// mark is how far a search was when a level began.
type mark struct {
	depth, queue int
	deepest      uint64
	found        []finding
	settled      []bool
}

func (s *search[S, A]) mark() mark {
	return mark{
		depth: s.depth, queue: s.queue, deepest: s.deepest,
		found: slices.Clone(s.found), settled: slices.Clone(s.settled),
	}
}

// saved is the content of a file, but for the visited set. The order of the fields is
// that in the file.
type saved struct {
	model, identity string
	properties      []string
	goals           []string
	depth, queue    int // The level that was being expanded: its depth, its states.
	distinct        int
	transitions     int
	peakStates      int
	deepest         uint64
	degrees         []int
	actions         map[string]int
	reached         []bool
	settled         []bool
	found           []finding
	waiting         []uint64 // States of that level that are not expanded.
	next            []uint64 // States of the level below it that are known already.
}

// waiting is the number of known states that are not expanded.
func (s *search[S, A]) waiting() int { return countStates(s.level) + countStates(s.rest) }

func countStates[S any](chunks []*chunk[S]) int {
	n := 0
	for _, c := range chunks {
		n += len(c.fps)
	}
	return n
}

// describe is what save writes. It is taken after a level was closed, whole or not.
func (s *search[S, A]) describe() saved {
	at := s.mark()
	d := saved{
		model: s.model.Name, identity: s.options.Identity,
		distinct: s.distinct, transitions: s.transitions, peakStates: s.peakStates,
		reached: s.reached, actions: maps.Clone(s.before), waiting: fingerprints(s.level),
	}
	if len(s.rest) > 0 { // What was found in a part of a level is found again.
		at = s.began
		d.waiting, d.next = fingerprints(s.rest), d.waiting
	}
	d.properties, d.goals = names(s.model)
	d.depth, d.queue, d.deepest, d.found, d.settled = at.depth, at.queue, at.deepest, at.found,
		at.settled
	if d.actions == nil {
		d.actions = map[string]int{}
	}
	for _, w := range s.workers {
		for _, c := range w.counts {
			d.actions[c.action.Name()] += c.successors
		}
		for n, states := range w.degrees {
			for len(d.degrees) <= n {
				d.degrees = append(d.degrees, 0)
			}
			d.degrees[n] += states
		}
	}
	return d
}

func fingerprints[S any](chunks []*chunk[S]) []uint64 {
	var all []uint64
	for _, c := range chunks {
		all = append(all, c.fps...)
	}
	return all
}

func names[S any, A Action](m Model[S, A]) (properties, goals []string) {
	for _, p := range m.Always {
		properties = append(properties, p.Name)
	}
	for _, g := range m.Sometimes {
		goals = append(goals, g.Name)
	}
	return properties, goals
}

// save writes the search to a file beside the wanted one, and renames it once it is
// whole and durable.
func (s *search[S, A]) save(name string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("save search to %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("save search to %s: %w", name, err), os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(s.writeTo(file), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

func (s *search[S, A]) writeTo(file io.Writer) error {
	w := saveWriter{to: bufio.NewWriterSize(file, 1<<16), hash: xxh3.New()}
	w.bytes([]byte(saveMagic))
	w.number(saveVersion)
	w.saved(s.describe())
	s.writeVisited(&w)
	sum := w.hash.Sum128().Bytes()
	w.bytes(sum[:])
	if w.err != nil {
		return w.err
	}
	return w.to.Flush()
}

func (s *search[S, A]) writeVisited(w *saveWriter) {
	w.number(uint64(s.distinct))
	for i := range s.visited.shards {
		for _, slot := range s.visited.shards[i].slots {
			if slot.fp != 0 {
				w.number(slot.fp)
				w.number(slot.parent)
				w.number(uint64(slot.depth)<<32 | uint64(slot.step))
			}
		}
	}
}

// saveWriter writes numbers of 8 bytes, in little-endian order, and what is made of them,
// and keeps the first error.
type saveWriter struct {
	to   *bufio.Writer
	hash *xxh3.Hasher
	err  error
}

func (w *saveWriter) bytes(b []byte) {
	if w.err != nil {
		return
	}
	_, w.err = w.to.Write(b)
	_, _ = w.hash.Write(b) // It never fails.
}

func (w *saveWriter) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	w.bytes(b[:])
}

func (w *saveWriter) text(text string) {
	w.number(uint64(len(text)))
	w.bytes([]byte(text))
}

func writeList[T any](w *saveWriter, list []T, write func(T)) {
	w.number(uint64(len(list)))
	for _, element := range list {
		write(element)
	}
}

func (w *saveWriter) truth(b bool) {
	w.number(map[bool]uint64{true: 1}[b])
}

func (w *saveWriter) saved(d saved) {
	w.text(d.model)
	w.text(d.identity)
	writeList(w, d.properties, w.text)
	writeList(w, d.goals, w.text)
	for _, n := range []int{d.depth, d.queue, d.distinct, d.transitions, d.peakStates} {
		w.number(uint64(n))
	}
	w.number(d.deepest)
	writeList(w, d.degrees, func(n int) { w.number(uint64(n)) })
	writeList(w, slices.Sorted(maps.Keys(d.actions)), func(name string) {
		w.text(name)
		w.number(uint64(d.actions[name]))
	})
	writeList(w, d.reached, w.truth)
	writeList(w, d.settled, w.truth)
	writeList(w, d.found, func(f finding) {
		w.number(uint64(f.property))
		w.number(f.fp)
		w.text(f.reason.Error())
	})
	writeList(w, d.waiting, w.number)
	writeList(w, d.next, w.number)
}
