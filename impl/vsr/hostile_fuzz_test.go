package vsr

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// script gives a test its choices: the bytes of a fuzzer, zeros when they are used up.
type script []byte

func (s *script) below(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

func (s *script) flag() bool { return s.below(2) == 1 }

// hostile is a replica whose peers send what they like: each frame is well formed, and nothing
// that it says need be true.
type hostile struct {
	t      testing.TB
	r      *Replica
	script script
	// seen are headers that the peers can speak of: true ones, and ones of their own.
	seen []wire.PrepareHeader
	// due are the completions that the host owes.
	due []Input
	// reads counts the reads asked for.
	reads uint64
	// installed counts checkpoints.
	installed int
}

const hostileReplicas = 3

func (h *hostile) header() wire.PrepareHeader { return h.seen[h.script.below(len(h.seen))] }

// prepare makes a prepare that fits somewhere, or nowhere.
func (h *hostile) prepare() *wire.Prepare {
	p := &wire.Prepare{Header: wire.PrepareHeader{
		View: wire.View(h.script.below(4)), Replica: wire.ReplicaID(h.script.below(3)),
		Op: wire.Op(1 + h.script.below(5)), Operation: 240, Client: wire.ClientID{Lo: 1},
		Request: wire.RequestNumber(1 + h.script.below(2)),
	}}
	if p.Header.Op > 1 {
		p.Header.Parent = h.header().Checksum
	}
	p.Seal()
	h.seen = append(h.seen, p.Header)
	return p
}

// log is a log of consecutive headers, chained or not, from whatever op, with a commit point.
func (h *hostile) log() (l log, commit wire.Op) {
	var out []wire.PrepareHeader
	op := wire.Op(1)
	if h.script.below(4) == 0 {
		op = wire.Op(1 + h.script.below(5))
	}
	for range h.script.below(5) {
		var found *wire.PrepareHeader
		for i := range h.seen {
			if x := &h.seen[i]; x.Op == op && (found == nil || h.script.flag()) {
				found = x
			}
		}
		if found == nil {
			break
		}
		out = append(out, *found)
		op++
	}
	l.headers = out
	if len(out) > 0 && out[0].Op > 1 {
		l.base = wire.PrepareID{Op: out[0].Op - 1, Checksum: out[0].Parent}
	} else if x := h.header(); len(out) == 0 && h.script.flag() {
		l.base = x.ID()
	}
	return l, l.base.Op + wire.Op(h.script.below(len(out)+1))
}

func (h *hostile) bits(n int) (present, nack, faulty wire.Bits) {
	present, nack, faulty = wire.NewBits(n), wire.NewBits(n), wire.NewBits(n)
	for i := range n {
		switch h.script.below(4) {
		case 1:
			present[i] = true
		case 2:
			nack[i] = true
		case 3:
			faulty[i] = true
		}
	}
	return present, nack, faulty
}

// message is one frame that a peer or a client might send.
func (h *hostile) message() wire.Message {
	view := wire.View(h.script.below(4))
	from := wire.ReplicaID(h.script.below(hostileReplicas))
	op := wire.Op(1 + h.script.below(5))
	incarnation := wire.Incarnation{}
	if h.script.flag() {
		incarnation = h.r.config.Incarnation
	}
	switch h.script.below(20) {
	case 0:
		return &wire.Request{
			Client: wire.ClientID{Lo: 1}, Session: 1, Number: 1, Operation: 240,
		}
	case 1:
		return h.prepare()
	case 2:
		x := h.header()
		return &wire.PrepareOK{
			View: view, Replica: from, Op: x.Op, PrepareChecksum: x.Checksum, Parent: x.Parent,
			Commit: wire.Op(h.script.below(5)),
		}
	case 3:
		return &wire.Commit{View: view, Replica: from, Commit: op}
	case 4:
		return &wire.StartViewChange{View: view, Replica: from}
	case 5:
		l, commit := h.log()
		m := &wire.DoViewChange{
			View: view, Replica: from, Base: l.base, Headers: l.headers, Commit: commit,
			Untrusted: h.script.flag(), LogView: wire.View(h.script.below(int(view) + 1)),
		}
		m.Present, m.Nack, m.Faulty = h.bits(len(l.headers))
		return m
	case 6:
		l, commit := h.log()
		return &wire.StartView{
			View: view, Replica: wire.ReplicaID(int(view) % hostileReplicas), Base: l.base,
			Headers: l.headers, Commit: commit, Incarnation: incarnation,
		}
	case 7:
		return &wire.RequestStartView{View: view, Replica: from, Incarnation: incarnation}
	case 10:
		return &wire.ConfirmView{
			View: view, Replica: from, Incarnation: wire.Incarnation{Lo: 3}, Round: 1,
		}
	case 11:
		return &wire.ConfirmViewOK{
			View: view, Replica: from, Incarnation: h.r.config.Incarnation,
			Round: uint64(1 + h.script.below(3)),
		}
	case 12:
		return &wire.RequestCheckpoint{
			View: view, Replica: from, Checkpoint: h.checkpoint(), Offset: uint64(h.script.below(3)),
		}
	case 13, 14, 15, 16, 17, 18, 19: // a transfer takes several of them
		return h.chunk(view, from)
	case 8:
		m := &wire.RequestPrepares{View: view, Replica: from, FromOp: op, ToOp: op}
		m.Wanted = []wire.Checksum{h.header().Checksum}
		if h.script.flag() {
			m.Wanted[0] = wire.AnyPrepare
		}
		return m
	}
	return &wire.RepairPrepare{View: view, Replica: from, Prepare: *h.prepare()}
}

// checkpoint is one that somebody may have: of an op that was seen, or the one being fetched.
func (h *hostile) checkpoint() wire.PrepareID {
	if target := h.r.transfer.target; !target.IsZero() && h.script.below(4) > 0 {
		return target
	}
	l := &h.r.log
	if op := l.base.Op + wire.Op(h.script.below(len(l.headers)+1)); op > 0 && h.script.flag() {
		return l.identity(op)
	}
	x := h.header()
	return x.ID()
}

// chunk is an offer, or a byte of a checkpoint of one or two.
func (h *hostile) chunk(view wire.View, from wire.ReplicaID) wire.Message {
	m := &wire.CheckpointChunk{View: view, Replica: from, Checkpoint: h.checkpoint()}
	if h.script.flag() {
		m.Total = uint64(1 + h.script.below(8)/7)
		m.Offset, m.Data = uint64(h.script.below(int(m.Total))), []byte{1}
		m.Snapshot = wire.Checksum{Lo: uint64(1 + h.script.below(8)/7)}
	}
	return m
}

// receive sends a frame through the decoder, as the network would: what it refuses does not
// reach the core.
func (h *hostile) receive(m wire.Message) {
	decoded, err := wire.Decode(wire.Encode(m))
	if err != nil {
		return
	}
	h.step(Receive{Message: decoded})
}

func (h *hostile) step(in Input) {
	out := h.r.Step(in)
	for _, s := range out.StorePrepares {
		h.seen = append(h.seen, s.Prepare.Header)
		h.due = append(h.due, PrepareStored{ID: s.Prepare.Header.ID()})
	}
	if out.StoreState != nil {
		h.due = append(h.due, StateStored{LogView: out.StoreState.LogView})
	}
	if out.StoreSuperblock != nil {
		h.due = append(h.due, SuperblockStored{Superblock: *out.StoreSuperblock})
	}
	for _, id := range out.Executes {
		h.due = append(h.due, Executed{ID: id})
	}
	h.stepTransfer(out)
}

// stepTransfer does what a host does for a transfer: it believes no bytes, and may find that
// they are what they should be.
func (h *hostile) stepTransfer(out Output) {
	for _, asked := range out.ReadChunks {
		answer := ChunkRead{ReadChunk: asked, Total: 1}
		if h.script.flag() {
			answer.Data = []byte{1}
		}
		h.due = append(h.due, answer)
	}
	if c := out.StoreChunk; c != nil {
		h.due = append(h.due, ChunkStored{Checkpoint: c.Checkpoint, Offset: c.Offset + 1})
	}
	if c := out.InstallCheckpoint; c != nil && h.script.flag() {
		h.due = append(h.due, CheckpointRefused{ID: c.Checkpoint})
	} else if c != nil {
		h.installed++
		h.due = append(h.due, CheckpointInstalled{ID: c.Checkpoint})
	}
}

// play runs a script: frames, ticks, the end of writes, a body lost.
func play(t testing.TB, choices []byte) (installed int) {
	h := &hostile{t: t, script: choices}
	boot := Recovered{Formatted: true}
	for _, p := range chainOf(3) {
		h.seen = append(h.seen, p.Header)
	}
	switch h.script.below(3) {
	case 1:
		boot = Recovered{Headers: h.seen[:2:2], Stored: []wire.PrepareID{h.seen[0].ID()}}
	case 2:
		boot = Recovered{Wiped: true}
	}
	var err error
	h.r, err = New(Config{
		Replica: wire.ReplicaID(h.script.below(hostileReplicas)), ReplicaCount: hostileReplicas,
		Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 9}, RecordEvents: true,
	}, boot)
	require.NoError(t, err)
	for len(h.script) > 0 {
		switch h.script.below(9) {
		case 0, 1, 2, 3:
			h.receive(h.message())
		case 4, 5:
			if n := len(h.due); n > 0 {
				i := h.script.below(n)
				in := h.due[i]
				h.due = append(h.due[:i:i], h.due[i+1:]...)
				h.step(in)
			}
		case 6:
			for range 1 << h.script.below(10) {
				h.step(Tick{})
			}
		case 7:
			if applied := h.r.applied; h.script.flag() && applied.Op > 0 {
				h.step(Checkpointed{ID: applied}) // the host is no peer: it does not lie
				continue
			}
			lost := h.header()
			h.step(PrepareLost{ID: lost.ID()})
		case 8:
			h.reads++
			h.step(ReadRequest{ID: h.reads, Level: ReadLinearizable})
		}
	}
	return h.installed
}

// No frame panics a core, whatever its peers claim (R20).
func FuzzPeersMaySayWhatTheyLike(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1)) //nolint:forbidigo // the seed
	for range 4 {
		choices := make([]byte, 64)
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		play(t, choices[:min(len(choices), 1<<12)])
	})
}

func TestPeersMaySayWhatTheyLike(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7)) //nolint:forbidigo // the seed
	installed := 0
	for range 4000 {
		choices := make([]byte, 400)
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		installed += play(t, choices)
	}
	require.Positive(t, installed, "no checkpoint was installed")
}
