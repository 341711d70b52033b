package tlcbatch

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// replicasMax is the largest group of spec/Replica.tla.
const replicasMax = 5

// unseenMax bounds the prepares that one crash may hide: far more than a primary has in flight.
const unseenMax = 1024

// batch is what one run of TLC follows.
type batch struct {
	traces   []*traces.Trace
	pieces   []piece
	replicas int
	drivers  string
	// Bounds of the module that no trace of the batch exceeds: the highest view that any event
	// shows, and requests and restarts of one group.
	view               uint32
	requests, restarts uint64
}

// piece is what one group of a trace did.
type piece struct {
	trace  int // position in the batch
	events []traces.Event
}

func newBatch(all []*traces.Trace) (*batch, error) {
	b := &batch{traces: all}
	if len(all) == 0 || len(all) > BatchMax {
		return nil, fmt.Errorf("a batch of %d traces, expected 1 to %d", len(all), BatchMax)
	}
	for i, t := range all {
		if err := b.fits(t); err != nil {
			return nil, err
		}
		b.add(i, t)
	}
	return b, nil
}

// fits says what keeps a trace from being followed with those before it.
func (b *batch) fits(t *traces.Trace) error {
	bad := func(got, want string) error {
		return &traces.FormatError{Path: t.Path, Line: 1, Got: got, Want: want}
	}
	drivers := t.Header.CommitDrivers
	if drivers == "" {
		drivers = "walk"
	}
	if b.drivers == "" {
		b.drivers, b.replicas = drivers, t.Header.Replicas
	}
	switch {
	case t.Header.Replicas < 1 || t.Header.Replicas > replicasMax:
		return bad(fmt.Sprintf("%d replicas", t.Header.Replicas),
			fmt.Sprintf("1 to %d: the module has no other number", replicasMax))
	case len(t.Header.Open) > 0:
		return bad(fmt.Sprintf("a trace that never says %v", t.Header.Open), "all fields of the state")
	case len(t.Events) == 0:
		return bad("no event", "at least one: there is nothing to check")
	case drivers != "walk" && drivers != "walk_and_pipeline":
		return bad("commit drivers "+drivers, "walk or walk_and_pipeline")
	case drivers != b.drivers || t.Header.Replicas != b.replicas:
		return bad(fmt.Sprintf("%d replicas with %s", t.Header.Replicas, drivers),
			fmt.Sprintf("%d with %s as in the trace before", b.replicas, b.drivers))
	}
	return nil
}

// add splits a trace by group: each begins in the module's initial state.
func (b *batch) add(i int, t *traces.Trace) {
	first := len(b.pieces)
	for _, e := range t.Events {
		b.view = max(b.view, e.After.View, e.Args.View)
		at := slices.IndexFunc(b.pieces[first:], func(p piece) bool {
			return p.events[0].Group == e.Group
		})
		if at < 0 {
			at = len(b.pieces) - first
			b.pieces = append(b.pieces, piece{trace: i})
		}
		p := &b.pieces[first+at]
		p.events = append(p.events, e)
	}
	for _, p := range b.pieces[first:] {
		requests, restarts := p.bounds()
		b.requests, b.restarts = max(b.requests, requests), max(b.restarts, restarts)
	}
}

// bounds is how many requests and restarts can explain the events. A request may have come
// unseen before a restart, if the log is longer afterwards.
func (p *piece) bounds() (requests, restarts uint64) {
	heads := map[int]uint64{}
	for _, e := range p.events {
		switch head := e.After.OpHead; e.Action {
		case traces.ActionClientRequest:
			requests++
		case traces.ActionRestart:
			restarts++
			if head > heads[e.Replica] && head-heads[e.Replica] <= unseenMax {
				requests += head - heads[e.Replica]
			}
		}
		heads[e.Replica] = e.After.OpHead
	}
	return requests, restarts
}
