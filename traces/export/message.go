package export

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// The kinds of messages, as the glossary names them.
const (
	KindRequest         = "Request"
	KindPrepare         = "Prepare"
	KindPrepareOK       = "PrepareOK"
	KindCommit          = "Commit"
	KindStartViewChange = "StartViewChange"
	KindDoViewChange    = "DoViewChange"
	KindStartView       = "StartView"
	KindRepairPrepare   = "RepairPrepare"
)

// Client is the sender of a request.
const Client = -1

// Message is what one step sent and another received, both of one group.
type Message struct {
	// From and To are replicas; From may be [Client].
	From, To int
	// Sent and Received are the numbers of the steps. Sent is 0 for a client's request.
	Sent, Received int
	// Kind is one of the kinds above, Text the kind with what it is about.
	Kind, Text string
}

// Messages finds the messages of a trace, in the order in which they were received.
func Messages(t *traces.Trace) []Message {
	var all []Message
	couriers := map[string]*courier{}
	for _, e := range t.Events {
		c := couriers[e.Group]
		if c == nil {
			c = &courier{
				replicas: t.Header.Replicas, sent: map[letter]int{}, last: map[int]int{},
				commitMax: map[int]uint64{},
			}
			couriers[e.Group] = c
		}
		all = append(all, c.received(e)...)
		c.send(e)
	}
	return all
}

// letter is what a message is known by. A field that its kind does not have is zero.
type letter struct {
	kind     string
	from     int
	checksum string
	view     uint32
	commit   uint64
	to       int // From 1 on: the replica that an answer goes to.
}

// courier knows which step of a group sent what.
type courier struct {
	replicas  int
	sent      map[letter]int
	last      map[int]int    // The latest step of each replica.
	commitMax map[int]uint64 // Of each replica.
}

// send notes what a step sent.
func (c *courier) send(e traces.Event) {
	r := e.Replica
	c.last[r] = e.Step
	if known := c.commitMax[r]; e.After.CommitMax > known {
		c.commitMax[r] = e.After.CommitMax
		// A step may commit several ops, each of which a Commit may name.
		for op := max(known, e.After.CommitMax-min(e.After.CommitMax, commitSpanMax)) + 1; op <=
			e.After.CommitMax; op++ {
			c.sent[letter{kind: KindCommit, from: r, commit: op}] = e.Step
		}
	}
	switch e.Action {
	case traces.ActionClientRequest:
		c.sent[letter{kind: KindPrepare, from: r, checksum: e.Args.Checksum}] = e.Step
	case traces.ActionReceivePrepare, traces.ActionRepairPrepare:
		c.sent[letter{
			kind: KindPrepareOK, from: r, checksum: e.Args.Checksum, view: e.After.View,
		}] = e.Step
	case traces.ActionReceiveStartView, traces.ActionRecover:
		// It acknowledges all of the adopted log whose bodies it holds.
		c.sent[letter{kind: KindPrepareOK, from: r, view: e.After.View}] = e.Step
	case traces.ActionStartViewChange, traces.ActionReceiveStartViewChange:
		c.sent[letter{kind: KindStartViewChange, from: r, view: e.After.View}] = e.Step
	case traces.ActionSendDoViewChange:
		c.sent[letter{kind: KindDoViewChange, from: r, view: e.After.View}] = e.Step
	case traces.ActionBecomePrimary:
		c.sent[letter{kind: KindStartView, from: r, view: e.After.View}] = e.Step
	case traces.ActionAnswerProbe:
		if e.Args.To != nil {
			c.sent[letter{
				kind: KindStartView, from: r, view: e.After.View, to: *e.Args.To + 1,
			}] = e.Step
		}
	}
}

// commitSpanMax bounds the commit points that one step is remembered for.
const commitSpanMax = 64

// received lists the messages that a step received.
func (c *courier) received(e traces.Event) []Message {
	a := e.Args
	switch e.Action {
	case traces.ActionClientRequest:
		return []Message{{
			From: Client, To: e.Replica, Received: e.Step, Kind: KindRequest,
			Text: fmt.Sprintf("%s %d", KindRequest, a.Request),
		}}
	case traces.ActionReceivePrepare:
		from := c.sender(e, e.After.View)
		return c.deliver(e, from, about(KindPrepare, "op", a.Op),
			letter{kind: KindPrepare, from: from, checksum: a.Checksum},
			letter{kind: KindStartView, from: from, view: e.After.View})
	case traces.ActionReceiveCommit:
		from := c.sender(e, e.After.View)
		return c.deliver(e, from, about(KindCommit, "commit", a.Commit),
			letter{kind: KindCommit, from: from, commit: a.Commit})
	case traces.ActionRepairPrepare:
		if a.From == nil {
			return nil
		}
		return c.deliver(e, *a.From, about(KindRepairPrepare, "op", a.Op))
	case traces.ActionReceiveStartView:
		from := c.sender(e, e.After.View)
		return c.deliver(e, from, about(KindStartView, "view", uint64(e.After.View)),
			letter{kind: KindStartView, from: from, view: e.After.View})
	case traces.ActionRecover:
		from := c.sender(e, e.After.View)
		return c.deliver(e, from, about(KindStartView, "view", uint64(e.After.View)),
			letter{kind: KindStartView, from: from, view: e.After.View, to: e.Replica + 1},
			letter{kind: KindStartView, from: from, view: e.After.View})
	case traces.ActionReceiveStartViewChange:
		return c.deliverStartViewChange(e)
	case traces.ActionMergeVotes:
		return c.deliverQuorum(e, about(KindDoViewChange, "view", uint64(e.After.View)),
			letter{kind: KindDoViewChange, view: e.After.View})
	case traces.ActionPrimaryCommit:
		return c.deliverQuorum(e, about(KindPrepareOK, "op", a.Op),
			letter{kind: KindPrepareOK, checksum: a.Checksum, view: e.After.View},
			letter{kind: KindPrepareOK, view: e.After.View})
	}
	return nil
}

// subject is a kind of message and what one is about.
type subject struct{ kind, text string }

func about(kind, name string, number uint64) subject {
	return subject{kind, fmt.Sprintf("%s %s=%d", kind, name, number)}
}

// sender is whom an event names, or the primary of the view.
func (c *courier) sender(e traces.Event, view uint32) int {
	if e.Args.From != nil {
		return *e.Args.From
	}
	return int(view) % max(c.replicas, 1)
}

// deliver is the message of the first letter that was sent. If none was but the event names
// its sender, it is one of that replica's latest step.
func (c *courier) deliver(e traces.Event, from int, s subject, letters ...letter) []Message {
	if from == e.Replica {
		return nil
	}
	sent := 0
	for _, l := range letters {
		if sent = c.sent[l]; sent > 0 {
			break
		}
	}
	if sent == 0 && e.Args.From != nil {
		sent = c.last[from]
	}
	if sent == 0 {
		return nil
	}
	return []Message{{
		From: from, To: e.Replica, Sent: sent, Received: e.Step, Kind: s.kind, Text: s.text,
	}}
}

// deliverStartViewChange takes the vote of whom the event names, or the first one cast.
func (c *courier) deliverStartViewChange(e traces.Event) []Message {
	s := about(KindStartViewChange, "view", uint64(e.After.View))
	vote := func(r int) letter {
		return letter{kind: KindStartViewChange, from: r, view: e.After.View}
	}
	if e.Args.From != nil {
		return c.deliver(e, *e.Args.From, s, vote(*e.Args.From))
	}
	var cast []int
	for r := range c.replicas {
		if r != e.Replica && c.sent[vote(r)] > 0 {
			cast = append(cast, r)
		}
	}
	if len(cast) == 0 {
		return nil
	}
	first := slices.MinFunc(cast, func(a, b int) int {
		return cmp.Compare(c.sent[vote(a)], c.sent[vote(b)])
	})
	return c.deliver(e, first, s, vote(first))
}

// deliverQuorum takes a message of each replica that a decision rests on.
func (c *courier) deliverQuorum(e traces.Event, s subject, letters ...letter) []Message {
	var all []Message
	for _, r := range e.Args.Quorum {
		for i := range letters {
			letters[i].from = r
		}
		all = append(all, c.deliver(e, r, s, letters...)...)
	}
	return all
}
