package tlcbatch

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// Limits of what TLC follows.
const (
	// ReplicasMax is the largest group of spec/Replica.tla.
	ReplicasMax = 5
	// OpsMax is the longest log. TLC keeps each state whole and compares its logs entry by
	// entry, so that the time for an event grows with the ops before it.
	OpsMax = 1000
	// EventsMax is the longest trace, and about how many events one run of TLC gets.
	EventsMax = 20_000
)

// batch is what one run of TLC follows: traces of one shape.
type batch struct {
	shape  shape
	pieces []piece
	events int
	// Bounds of the module that no behaviour of the batch exceeds.
	views, requests, restarts uint64
}

// shape is what all traces of a batch have in common.
type shape struct {
	replicas int
	drivers  string
}

// piece is what one group of a trace did.
type piece struct {
	trace  int // its index among the traces that are checked
	events []traces.Event
}

// batches divides traces into runs of TLC.
func batches(all []*traces.Trace) ([]*batch, error) {
	var done []*batch
	open := map[shape]*batch{}
	for i, t := range all {
		if err := Fits(t); err != nil {
			return nil, err
		}
		s := shapeOf(t)
		if b := open[s]; b == nil || b.events+len(t.Events) > EventsMax {
			open[s] = &batch{shape: s}
			done = append(done, open[s])
		}
		open[s].add(i, t)
	}
	return done, nil
}

func shapeOf(t *traces.Trace) shape {
	s := shape{replicas: t.Header.Replicas, drivers: t.Header.CommitDrivers}
	if s.drivers == "" {
		s.drivers = traces.CommitDriversWalk
	}
	return s
}

// quorums are those of spec/MergeVote.tla, by the number of replicas.
var quorums = [ReplicasMax + 1]traces.Quorum{
	1: {Replication: 1, ViewChange: 1, Nack: 1},
	2: {Replication: 2, ViewChange: 2, Nack: 1},
	3: {Replication: 2, ViewChange: 2, Nack: 2},
	4: {Replication: 2, ViewChange: 3, Nack: 3},
	5: {Replication: 3, ViewChange: 3, Nack: 3},
}

// Fits says what keeps a trace from being followed at all: a [*traces.FormatError] for a number
// of replicas or quorums that the module has not, checkpoints, fields left open, no event, too many
// ([EventsMax]) or too long a log ([OpsMax]).
func Fits(t *traces.Trace) error {
	bad := func(line int, got, want string) error {
		return &traces.FormatError{Path: t.Path, Line: line, Got: got, Want: want}
	}
	n := t.Header.Replicas
	switch s := shapeOf(t); {
	case n < 1 || n > ReplicasMax:
		return bad(1, fmt.Sprintf("%d replicas", n),
			fmt.Sprintf("1 to %d: the module has no other number", ReplicasMax))
	case t.Header.Quorum != (traces.Quorum{}) && t.Header.Quorum != quorums[n]:
		return bad(1, fmt.Sprintf("quorums %+v", t.Header.Quorum),
			fmt.Sprintf("%+v: the module has no others", quorums[n]))
	case s.drivers != traces.CommitDriversWalk && s.drivers != traces.CommitDriversWalkAndPipeline:
		return bad(1, "commit drivers "+s.drivers, "a shape of commit drivers that the module has")
	case t.Header.Checkpoints:
		return bad(1, "a trace with checkpoints", "one without: the module has none; have Go check it")
	case len(t.Header.Open) > 0:
		return bad(1, fmt.Sprintf("a trace that never says %v", t.Header.Open),
			"all fields of the state, since TLC compares them all")
	case len(t.Events) == 0:
		return bad(1, "no event", "at least one: there is nothing to check")
	case len(t.Events) > EventsMax:
		return bad(1, fmt.Sprintf("%d events", len(t.Events)),
			fmt.Sprintf("at most %d for TLC: cut the trace, or have Go check it", EventsMax))
	}
	requests := 0
	for _, e := range t.Events {
		if e.Action != traces.ActionClientRequest || e.Stutter {
			continue
		}
		if requests++; requests > OpsMax {
			return bad(e.Line(), "more requests", fmt.Sprintf(
				"at most %d for TLC: cut the trace, or have Go check it", OpsMax))
		}
	}
	return nil
}

// add splits a trace by group: each begins in the module's initial state.
func (b *batch) add(i int, t *traces.Trace) {
	first := len(b.pieces)
	b.events += len(t.Events)
	for _, e := range t.Events {
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
		views, requests, restarts := p.bounds()
		b.views, b.restarts = max(b.views, views), max(b.restarts, restarts)
		b.requests = max(b.requests, requests)
	}
}

// unseenMax bounds the prepares that one crash may hide: far more than a primary has in flight.
const unseenMax = 1024

// bounds is how many views can begin, requests be made and restarts happen in what explains
// the events. Of each restart one view change may have come unseen before it, and requests,
// if the log is longer afterwards. No view begins that no event shows.
func (p *piece) bounds() (views, requests, restarts uint64) {
	heads := map[int]uint64{}
	shown := uint64(0)
	for _, e := range p.events {
		shown = max(shown, uint64(e.After.View))
		if e.Stutter {
			continue
		}
		switch head := e.After.OpHead; e.Action {
		case traces.ActionClientRequest:
			requests++
		case traces.ActionStartViewChange:
			views++
		case traces.ActionRestart:
			restarts++
			views++
			if head > heads[e.Replica] && head-heads[e.Replica] <= unseenMax {
				requests += head - heads[e.Replica]
			}
		}
		heads[e.Replica] = e.After.OpHead
	}
	return min(views, shown), requests, restarts
}
