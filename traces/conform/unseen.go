package conform

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// unseen returns where a replica may have been on disk when it crashed: its writes had landed,
// its events had not happened yet. A change of view or log starts only when nothing else is
// being written, so there were either prepares and bodies, or one such change.
func (c *checker) unseen(x explanation, e traces.Event) []explanation {
	out := append(c.unseenChanges(x, e), c.installedUnseen(x, e)...)
	out = append(out, c.raisedUnseen(x, e)...)
	return append(out, c.unseenWrites(x, e)...)
}

// changes are the actions that change view or log.
var changes = []vsr.ActionKind{
	vsr.ActionStartViewChange, vsr.ActionReceiveStartViewChange, vsr.ActionBecomePrimary,
	vsr.ActionReceiveStartView, vsr.ActionRecover,
}

func (c *checker) unseenChanges(x explanation, e traces.Event) []explanation {
	var out []explanation
	for _, kind := range changes {
		vsr.Step(c.config, x.state, kind, e.Replica, func(_ vsr.Action, s vsr.State) {
			if uint32(s.View(e.Replica)) == e.After.View {
				// A log that was adopted may have bodies that were fetched for a merged one.
				next := x.at(s).recall(s.Log(e.Replica), e)
				if c.compact {
					next.adopted[e.Replica] = max(next.adopted[e.Replica], c.raise(holeOf(e.After)))
				}
				out = append(out, next)
			}
		})
	}
	return out
}

// unseenMax bounds the prepares that one crash may hide: far more than a primary has in flight,
// and few enough for a trace that claims any head to be refused at once.
const unseenMax = 1024

// unseenWrites returns where unseen writes may have led, or nothing if they explain nothing. The
// log was extended up to the head found after the restart, in the only order that there is. A
// body of the log was stored if and only if it is not hollow afterwards. Whether a body was
// stored that only a merged log has does not show yet: it is left open (perhaps).
func (c *checker) unseenWrites(x explanation, e traces.Event) []explanation {
	head := uint64(x.state.Log(e.Replica).Head())
	if e.After.OpHead < head || e.After.OpHead-head > unseenMax {
		return nil // no write shortens a log, and none of so many can be unseen
	}
	appended := false
	for next := c.unseenAppend(x, e); next != nil; next = c.unseenAppend(*next, e) {
		x, appended = *next, true
	}
	bodies := x.storedUnseen(e)
	if !appended && len(bodies) == 0 {
		return nil
	}
	x.state = x.state.WithBodies(e.Replica, bodies)
	if log := x.state.Log(e.Replica); c.compact && uint64(log.Head()) > head {
		var lost vsr.Log
		for _, entry := range log[head:] {
			if slices.Contains(e.After.Hollow, uint64(entry.Op)) {
				lost = append(lost, entry)
			}
		}
		x.state = x.state.WithoutBodies(e.Replica, lost)
	}
	return []explanation{x}
}

// unseenAppend extends the log by the one op that may come next, or returns nil.
func (c *checker) unseenAppend(x explanation, e traces.Event) *explanation {
	var next *explanation
	if uint64(x.state.Log(e.Replica).Head()) < e.After.OpHead {
		take := func(_ vsr.Action, s vsr.State) { next = x.at(s) }
		vsr.Step(c.config, x.state, vsr.ActionClientRequest, e.Replica, take)
		vsr.Step(c.config, x.state, vsr.ActionReceivePrepare, e.Replica, take)
	}
	return next
}

// storedUnseen returns the entries of the log whose body the model lacks and the event shows.
func (x explanation) storedUnseen(e traces.Event) []vsr.Entry {
	var bodies []vsr.Entry
	held := x.state.Bodies(e.Replica)
	for _, entry := range x.state.Log(e.Replica) {
		if !held.Has(entry) && !slices.Contains(e.After.Hollow, uint64(entry.Op)) {
			bodies = append(bodies, entry)
		}
	}
	return bodies
}

// forgotten notes, at a restart, the bodies that a new primary was fetching for its merged log:
// some may have been stored. The same holds for what is in a hole of its log.
func (c *checker) forgotten(x explanation, r int) explanation {
	log := x.state.Log(r)
	log = log[:min(c.lower(x.adopted[r]), log.Head())]
	if m := x.state.Merged(r); m != nil {
		log = m.Log
	}
	perhaps := slices.Clone(x.perhaps[r])
	for _, entry := range log {
		if !x.state.Bodies(r).Has(entry) && !slices.Contains(perhaps, entry) {
			perhaps = append(perhaps, entry)
		}
	}
	x.perhaps[r] = perhaps
	return x
}

// recall returns the explanation in which those bodies are stored that were left open and that
// the event shows: the ones that its log has and that are not hollow in it. What the log has and
// lacks is settled, too.
func (x explanation) recall(log vsr.Log, e traces.Event) explanation {
	r := e.Replica
	var stored, open []vsr.Entry
	for _, entry := range x.perhaps[r] {
		switch at, ok := log.At(entry.Op); {
		case !ok || at != entry:
			open = append(open, entry)
		case !slices.Contains(e.After.Hollow, uint64(entry.Op)):
			stored = append(stored, entry)
		case entry.Op <= x.hole[r]:
			open = append(open, entry)
		}
	}
	x.perhaps[r] = open
	x.state = x.state.WithBodies(r, stored)
	return x
}
