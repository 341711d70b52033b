package clienttable_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// naive is R18 said again, without thought for cost: a list of slots, searched from the start
// each time, that keeps every reply which a row ever gave.
type naive struct {
	config
	slots []naiveRow // the capacity
	op    wire.Op
	place uint16 // in the op, of the request that came last
}

type naiveRow struct {
	client        wire.ClientID // zero: an empty slot
	owner         clienttable.UserID
	registration  wire.RequestNumber
	session, born wire.SessionNumber
	bound         wire.RequestNumber // the watermark at the last Register
	newest        wire.Op
	place         uint16
	all           []answer // every reply, oldest first
}

func (w *naiveRow) watermark() wire.RequestNumber {
	if len(w.all) == 0 {
		return 0
	}
	return w.all[len(w.all)-1].Number
}

// age is the order of eviction: a batch has fewer requests than a byte can count.
func (w *naiveRow) age() uint64 { return uint64(w.newest)<<8 + uint64(w.place) }

func (n *naive) find(c wire.ClientID) *naiveRow {
	for i := range n.slots {
		if n.slots[i].client == c {
			return &n.slots[i]
		}
	}
	return nil
}

// execute returns whether the machine executed, and who ended. also says that the message shares
// the op of the one before.
func (n *naive) execute(m message, body []byte, also bool) (executed bool, gone []ended) {
	if also {
		n.place++
	} else {
		n.op, n.place = n.op+1, 0
	}
	if m.Kind == clienttable.Resize {
		return false, n.resize(m.Capacity)
	}
	w := n.find(m.Client)
	switch m.Kind {
	case clienttable.Register:
		return false, n.register(w, m)
	case clienttable.Request:
		if w == nil || w.session != m.Session || m.Number <= w.watermark() ||
			n.Shape == clienttable.Numbered && m.Number != w.watermark()+1 {
			return false, nil
		}
		w.newest, w.place = n.op, n.place
		w.all = append(w.all, answer{
			Kind: clienttable.Replied, Session: m.Session, Number: m.Number,
			Checksum: m.Checksum, Op: n.op, Body: body,
		})
		return true, nil
	case clienttable.Logout:
		if w != nil && w.session == m.Session {
			*w = naiveRow{}
			return false, []ended{{m.Client, m.Session, clienttable.ByLogout}}
		}
	case clienttable.Resize, clienttable.Other:
	}
	return false, nil
}

func (n *naive) register(w *naiveRow, m message) []ended {
	session := wire.SessionNumber(n.op)
	if w != nil {
		if w.owner != m.User || n.Shape == clienttable.Numbered && m.Number <= w.registration {
			return nil
		}
		gone := []ended{{m.Client, w.session, clienttable.ByRebind}}
		w.registration, w.session, w.bound = m.Number, session, w.watermark()
		w.newest, w.place = n.op, n.place
		return gone
	}
	row := naiveRow{
		client: m.Client, owner: m.User, registration: m.Number, session: session, born: session,
		newest: n.op,
	}
	if w = n.find(wire.ClientID{}); w != nil {
		*w = row
		return nil
	}
	oldest := &n.slots[0]
	for i := range n.slots {
		if n.slots[i].age() < oldest.age() {
			oldest = &n.slots[i]
		}
	}
	gone := []ended{{oldest.client, oldest.session, clienttable.ByEviction}}
	*oldest = row
	return gone
}

func (n *naive) resize(capacity int) (gone []ended) {
	if capacity < 1 || capacity > clienttable.SlotsMax {
		return nil
	}
	var newest []uint64
	for _, w := range n.slots {
		newest = append(newest, w.age())
	}
	slices.Sort(newest)
	slices.Reverse(newest)
	var stay, move []naiveRow
	for i, w := range n.slots {
		rank := slices.Index(newest, w.age())
		switch {
		case w.client.IsZero() && i < capacity:
			stay = append(stay, naiveRow{})
		case w.client.IsZero():
		case rank >= capacity:
			gone = append(gone, ended{w.client, w.session, clienttable.ByEviction})
			if i < capacity {
				stay = append(stay, naiveRow{})
			}
		case i < capacity:
			stay = append(stay, w)
		default:
			move = append(move, w)
		}
	}
	n.slots = append(stay, make([]naiveRow, capacity-len(stay))...)
	for _, w := range move {
		*n.find(wire.ClientID{}) = w
	}
	return gone
}

// answer is what the client hears after m was executed.
func (n *naive) answer(m message) answer {
	w := n.find(m.Client)
	switch {
	case m.Kind != clienttable.Register && (w == nil || w.session != m.Session):
		if m.Session > wire.SessionNumber(n.op) {
			return silent
		}
		return over(m.Session)
	case m.Kind == clienttable.Register && w.owner != m.User:
		return taken
	case m.Kind == clienttable.Register && w.registration == m.Number:
		return given(w.session, w.born, w.bound)
	case m.Kind == clienttable.Register || m.Number > w.watermark():
		return silent
	}
	for i, r := range slices.Backward(w.all) {
		if r.Number != m.Number || i < len(w.all)-n.Ring {
			continue
		}
		wild := n.Shape == clienttable.Upstream && (r.Checksum.IsZero() || m.Checksum.IsZero())
		switch {
		case r.Checksum != m.Checksum && !wild:
			return answer{
				Kind: clienttable.Refused, Session: m.Session, Number: m.Number,
				Checksum: m.Checksum,
			}
		case len(r.Body) > n.ReplyBytes:
			return gone(m.Session, m.Number)
		}
		return r
	}
	return gone(m.Session, m.Number)
}

// rows are the naive rows as the table has them.
func (n *naive) rows() map[int]clienttable.Row {
	rows := map[int]clienttable.Row{}
	for slot, w := range n.slots {
		if w.client.IsZero() {
			continue
		}
		row := clienttable.Row{
			Client: w.client, Owner: w.owner, Registration: w.registration, Session: w.session,
			Born: w.born, Watermark: w.watermark(), BoundWatermark: w.bound, Newest: w.newest,
			Place: w.place,
		}
		for _, r := range w.all[max(0, len(w.all)-n.Ring):] {
			kept := clienttable.Reply{
				Session: r.Session, Number: r.Number, Checksum: r.Checksum, Op: r.Op, Body: r.Body,
			}
			if len(r.Body) > n.ReplyBytes {
				kept.Body, kept.Omitted = nil, true
			}
			row.Replies = append(row.Replies, kept)
		}
		rows[slot] = row
	}
	return rows
}

func rowsOf(made *table) map[int]clienttable.Row {
	rows := map[int]clienttable.Row{}
	for slot, w := range made.Rows() {
		rows[slot] = w
	}
	return rows
}

// The table is compared with the naive one after each op. At each step it may also be copied,
// or go through its snapshot, and must be the same to the byte afterwards.
func TestTableIsTheNaiveOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := config{
			Shape:      rapid.SampledFrom([]clienttable.Shape{1, 2}).Draw(t, "shape"),
			Capacity:   rapid.IntRange(1, 3).Draw(t, "capacity"),
			Ring:       rapid.IntRange(1, 3).Draw(t, "ring"),
			ReplyBytes: 4,
		}
		made := clienttable.New(c)
		model := &naive{config: c, slots: make([]naiveRow, c.Capacity)}
		restored := true // or nothing can share the last op for another reason
		ops := func(t *rapid.T) {
			m := drawMessage(t, made)
			op, run := made.Op()+1, made.Execute
			also := !restored && m.Kind != clienttable.Register && model.place < 200 &&
				rapid.Bool().Draw(t, "also")
			if also {
				op, run = made.Op(), made.ExecuteAlso
			}
			restored = m.Kind == clienttable.Register
			body := slices.Repeat([]byte{byte(op)}, rapid.IntRange(1, 5).Draw(t, "size"))
			executed, gone := model.execute(m, body, also)
			done := run(op, m)
			require.Equal(t, executed, done.Outcome == clienttable.Execute)
			require.Equal(t, gone, done.Ended)
			if executed {
				done.Answer = made.Complete(op, body)
				require.Equal(t, model.find(m.Client).all[len(model.find(m.Client).all)-1], done.Answer)
			} else if !m.Client.IsZero() {
				require.Equal(t, model.answer(m), done.Answer)
			}
			require.NoError(t, made.CheckInvariants())
			require.Equal(t, len(model.slots), made.Capacity())
			require.Equal(t, model.rows(), rowsOf(made))
		}
		t.Repeat(map[string]func(*rapid.T){
			"execute": ops, "execute more": ops, "execute most": ops,
			"copy": func(*rapid.T) { made = made.Clone() },
			"restore": func(t *rapid.T) {
				snapshot := made.AppendSnapshot(nil)
				again, err := clienttable.Restore(c, snapshot)
				require.NoError(t, err)
				require.NoError(t, again.CheckInvariants())
				require.Equal(t, snapshot, again.AppendSnapshot(nil))
				made, restored = again, true
			},
			"": func(t *rapid.T) {
				again := made.AppendSnapshot([]byte("before"))
				require.True(t, bytes.Equal(made.Clone().AppendSnapshot(nil), again[6:]))
				require.LessOrEqual(t, int64(len(again)-6), config{
					Shape: c.Shape, Capacity: made.Capacity(), Ring: c.Ring, ReplyBytes: c.ReplyBytes,
				}.SnapshotBytes())
			},
		})
	})
}
