package refine

import (
	"fmt"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// system holds what the states of one search share: each state of a replica, each message and
// each belief once, with what is known to come of it. It decides nothing: what it remembers is
// a pure function of what was asked.
type system struct {
	bounds  Bounds
	mutex   sync.Mutex
	members map[xxh3.Uint128]*member
	frames  map[xxh3.Uint128]*message
	beliefs map[xxh3.Uint128]*belief
	covered map[string]bool
	// transfer is what a search with checkpoints is held against.
	transfer *transferModel
	repeats  []stimulus
	// headers are those of all prepares that a replica has stored.
	headers map[wire.PrepareID]wire.PrepareHeader
	// onEqual, if not nil, sees a member that is equal to a known one; for tests.
	onEqual func(known, fresh *member)
}

// message is a message on its way to a replica. Equal ones are one.
type message struct {
	to      int
	content wire.Message
	frame   []byte
	hash    xxh3.Uint128
}

// message gives a message its identity.
func (s *system) message(to int, content wire.Message) *message {
	frame := wire.AppendEncode([]byte{byte(to)}, content)
	hash := xxh3.Hash128(frame)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known, ok := s.frames[hash]; ok {
		return known
	}
	m := &message{to: to, content: content, frame: frame, hash: hash}
	s.frames[hash] = m
	return m
}

// asks reports whether a message only asks: its sender asks again as long as it needs to.
func (m *message) asks() bool {
	command := m.content.Command()
	return command == wire.CommandRequestPrepares || command == wire.CommandRequestStartView ||
		command == wire.CommandRequestCheckpoint || command == wire.CommandConfirmView
}

// offers reports whether a message says which checkpoint its sender has. It is sent again as
// often as it is asked for.
func (m *message) offers() bool {
	c, ok := m.content.(*wire.CheckpointChunk)
	return ok && c.IsOffer()
}

// text names a message in a story.
func (m *message) text() string {
	view := m.content.InView()
	switch c := m.content.(type) {
	case *wire.Prepare:
		return fmt.Sprintf("Prepare op %d view %d", c.Header.Op, view)
	case *wire.PrepareOK:
		return fmt.Sprintf("PrepareOK op %d view %d of r%d", c.Op, view, c.Replica)
	case *wire.Commit:
		return fmt.Sprintf("Commit %d view %d", c.Commit, view)
	case *wire.RepairPrepare:
		return fmt.Sprintf("RepairPrepare op %d view %d of r%d", c.Prepare.Header.Op,
			c.Prepare.Header.View, c.Replica)
	case *wire.StartView:
		answer := ""
		if !c.Incarnation.IsZero() {
			answer = " (answer to a probe)"
		}
		return fmt.Sprintf("StartView view %d head %d commit %d%s", view, len(c.Headers),
			c.Commit, answer)
	case *wire.CheckpointChunk:
		if c.IsOffer() {
			return fmt.Sprintf("offer of checkpoint %d of r%d", c.Checkpoint.Op, c.Replica)
		}
		return fmt.Sprintf("byte %d of checkpoint %d of r%d", c.Offset, c.Checkpoint.Op, c.Replica)
	case *wire.StartViewChange, *wire.DoViewChange, *wire.RequestPrepares,
		*wire.RequestStartView, *wire.Request, *wire.Reply, *wire.ConfirmView,
		*wire.ConfirmViewOK, *wire.RequestCheckpoint:
	}
	return fmt.Sprintf("%v view %d of r%d", m.content.Command(), view, m.content.From())
}

// period is any number of ticks: no timer is counted.
const period = 1

func (s *system) config(n *member) vsr.Config {
	return vsr.Config{
		Replica: wire.ReplicaID(n.id), ReplicaCount: s.bounds.Replicas,
		Timers: vsr.Timers{
			PrepareTicks: period, CommitTicks: period, HeartbeatTicks: period,
			ViewChangeTicks: period, ViewChangeStatusTicks: period, ProbeTicks: period,
			RepairTicks: period,
		},
		Incarnation:  wire.Incarnation{Hi: uint64(n.id) + 1, Lo: n.boots},
		Suffix:       s.bounds.Suffix,
		RecordEvents: true, Defects: s.bounds.Defects,
	}
}

func (s *system) request(number int) *wire.Request {
	return &wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: wire.RequestNumber(number),
		Operation: firstOperation, Body: []byte{byte(number)},
	}
}

// remember takes note of prepares that are being stored, whose identities stand for them.
func (s *system) remember(effects *vsr.Output) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for i := range effects.StorePrepares {
		h := effects.StorePrepares[i].Prepare.Header
		s.headers[h.ID()] = h
	}
}

// timestamp is that of a prepare.
func (s *system) timestamp(id wire.PrepareID) uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.headers[id].Timestamp
}

// cover notes which branches of the core an event shows.
func (s *system) cover(e vsr.Event) {
	name := string(e.Action)
	switch e.Action { //nolint:exhaustive // The others are told by their name.
	case vsr.EventRefuse:
		name += " " + e.Reason.String()
	case vsr.EventAdmit:
		name += " " + e.Class.String()
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.covered[name] = true
	s.covered["Stop "+e.After.Stop.String()] = true
}

// belief is what the model says, and what it says after each outcome.
type belief struct {
	states conform.Belief
	hash   xxh3.Uint128
	broken string

	mutex sync.Mutex
	after map[*outcome]*belief
}

// explain returns what the model says after an outcome.
func (s *system) explain(b *belief, out *outcome) *belief {
	if b == nil || b.broken != "" || len(out.events) == 0 {
		return b
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if next, known := b.after[out]; known {
		return next
	}
	next := &belief{states: b.states, after: map[*outcome]*belief{}}
	for _, e := range out.events {
		after, mismatch := next.states.Explain(e)
		if mismatch != nil {
			next.broken = "no step of the model: " + mismatch.String()
			break
		}
		next.states = after
	}
	next = s.internBelief(next)
	b.after[out] = next
	return next
}

func (s *system) internBelief(b *belief) *belief {
	b.hash = xxh3.Hash128(append(b.states.AppendKey(nil), b.broken...))
	s.mutex.Lock()
	known, ok := s.beliefs[b.hash]
	s.mutex.Unlock()
	if ok {
		return known
	}
	if b.broken == "" {
		b.broken = s.brokenInvariant(b.states)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known, ok := s.beliefs[b.hash]; ok {
		return known
	}
	s.beliefs[b.hash] = b
	return b
}
