package refine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// cluster is a state of the search: the replicas, the messages that can still be delivered, as
// often as the network likes, and what the model says. It is immutable.
type cluster struct {
	members            []*member
	network            []*message // by hash
	belief             *belief
	requests, crashes  int
	checkpoints, wipes int
	// history is what has happened, if the model has none of it.
	history  *history
	transfer *transferModel // what the search is held against, or nil
	broken   string
}

// next is a successor in the making.
type next struct {
	*cluster
	system  *system
	changed bool
}

// initial returns the state of a freshly formatted cluster.
func (s *system) initial() *cluster {
	c := &cluster{transfer: s.transfer}
	for r := range s.bounds.Replicas {
		n := &member{id: r}
		s.boot(n, &outcome{})
		c.members = append(c.members, s.intern(n))
	}
	if c.belief = s.firstBelief(); s.bounds.beyondVSR() {
		c.history = &history{}
	}
	n := next{cluster: c, system: s}
	n.settle()
	return c
}

// after returns the state after an outcome at one replica, or nil if that changes nothing.
func (s *system) after(c *cluster, out *outcome) *cluster {
	n := next{
		cluster: &cluster{
			members: slices.Clone(c.members), network: c.network, belief: c.belief,
			requests: c.requests, crashes: c.crashes,
			checkpoints: c.checkpoints, wipes: c.wipes, history: c.history, transfer: c.transfer,
		},
		system: s,
	}
	if n.take(out); !n.changed {
		return nil
	}
	n.settle()
	if slices.Equal(n.members, c.members) && slices.Equal(n.network, c.network) &&
		n.belief == c.belief && n.history == c.history {
		return nil
	}
	return n.cluster
}

// take applies an outcome.
func (n *next) take(out *outcome) {
	if r := out.next.id; n.members[r] != out.next {
		n.members[r] = out.next
		n.changed = true
	}
	if out.mismatch != "" {
		n.broken = out.mismatch
		n.changed = true
	}
	if belief := n.system.explain(n.belief, out); belief != n.belief {
		n.belief = belief
		n.changed = true
	}
	n.history = n.history.after(n.cluster, out)
	for _, m := range out.sent {
		n.send(m)
	}
}

// send puts a message into the network.
func (n *next) send(m *message) {
	full := n.system.bounds.Full
	if !full && m.asks() {
		if n.aboutCheckpoints(m) {
			n.answer(m)
		}
		return
	}
	if !full && m.offers() && n.idle(m) {
		if at := n.members[m.to]; at.broken == "" {
			n.take(n.system.do(at, stimulus{kind: kindDeliver, message: m})) // it only asks
		}
		return
	}
	if !full && n.dead(m) {
		return
	}
	at, found := slices.BinarySearchFunc(n.network, m, compareMessages)
	if found {
		return
	}
	n.network = slices.Insert(slices.Clone(n.network), at, m)
	n.changed = true
}

func compareMessages(a, b *message) int {
	return cmp.Or(cmp.Compare(a.hash.Hi, b.hash.Hi), cmp.Compare(a.hash.Lo, b.hash.Lo))
}

// settle sends again what timers send again, until nothing new comes of it, and drops what no
// replica can act on any more (doc.go says why that is sound).
func (n *next) settle() {
	if n.system.bounds.Full {
		return
	}
	for again := true; again; {
		before, belief := n.network, n.belief
		n.join()
		for r := range n.members {
			n.resend(r)
		}
		again = len(before) != len(n.network) || belief != n.belief
	}
	live := slices.DeleteFunc(slices.Clone(n.network), func(m *message) bool {
		return n.dead(m)
	})
	n.network = live
}

// resend lets the timers of one replica run out that only send.
func (n *next) resend(r int) {
	for _, in := range n.system.repeats {
		m := n.members[r]
		if m.broken != "" {
			return
		}
		out := n.system.do(m, in)
		if out.next != m {
			continue // more than sending: a choice of its own
		}
		n.take(out)
		for _, question := range out.sent {
			if question.asks() {
				n.answer(question)
			}
		}
	}
}

// answer delivers a question at once and puts the answer into the network.
func (n *next) answer(question *message) {
	m := n.members[question.to]
	if m.broken != "" {
		return
	}
	out := n.system.do(m, stimulus{kind: kindDeliver, message: question})
	if out.next == m {
		n.take(out)
	}
}

// join counts a StartViewChange at a replica that is in that change: who else wants the view
// only allows more.
func (n *next) join() {
	for _, m := range n.network {
		at := n.members[m.to]
		if _, ok := m.content.(*wire.StartViewChange); !ok || at.broken != "" ||
			at.state.Status != vsr.StatusViewChange || at.state.View != m.content.InView() {
			continue
		}
		if out := n.system.do(at, stimulus{kind: kindDeliver, message: m}); len(out.events) == 0 {
			n.take(out)
		}
	}
}

// appendKey appends the identity of a state.
func (c *cluster) appendKey(dst []byte) []byte {
	for _, m := range c.members {
		dst = binary.BigEndian.AppendUint64(dst, m.hash.Hi)
		dst = binary.BigEndian.AppendUint64(dst, m.hash.Lo)
	}
	for _, m := range c.network {
		dst = binary.BigEndian.AppendUint64(dst, m.hash.Hi)
		dst = binary.BigEndian.AppendUint64(dst, m.hash.Lo)
	}
	if c.belief != nil {
		dst = binary.BigEndian.AppendUint64(dst, c.belief.hash.Hi)
		dst = binary.BigEndian.AppendUint64(dst, c.belief.hash.Lo)
	}
	dst = append(dst, byte(c.requests), byte(c.crashes), byte(c.checkpoints), byte(c.wipes))
	dst = c.history.appendKey(dst)
	return append(dst, c.broken...)
}
