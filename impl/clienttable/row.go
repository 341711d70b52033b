package clienttable

import (
	"cmp"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Reply is a reply that a row keeps, with what identifies the request that it answers.
type Reply struct {
	// Session is the one in which the request executed. A rebind keeps the reply, so it may
	// lie below the row's.
	Session wire.SessionNumber
	Number  wire.RequestNumber
	// Checksum is the request's.
	Checksum wire.Checksum
	// Op is where it executed.
	Op wire.Op
	// Omitted says that the body was larger than Config.ReplyBytes and was not kept.
	Omitted bool
	// Body is what the machine said. Nobody changes it.
	Body []byte
}

// Row is what the table knows of a client. Source: Sessions.tla, "The client table".
type Row struct {
	Client wire.ClientID
	// Owner is the user to whom the row belongs for as long as it is there.
	Owner UserID
	// Registration is the number of the Register that bound the session.
	Registration wire.RequestNumber
	// Session is the op of that Register.
	Session wire.SessionNumber
	// Born is the op of the Register that created the row. Later ones keep it, the watermark
	// and the replies: a client that had a session at or above Born is in the table with all
	// that it ever executed.
	Born wire.SessionNumber
	// Watermark is the highest number that executed, BoundWatermark the same at the last
	// Register: the answer to a Register that comes again must not change.
	Watermark, BoundWatermark wire.RequestNumber
	// Newest is the op that last touched the row. The oldest newest op is evicted first.
	Newest wire.Op
	// Place is that of the request in its batch: of two rows with one newest op the one with the
	// lower place is older. It is 0 where the op was of one request.
	Place uint16
	// Replies are the newest of them, at most Config.Ring, oldest first.
	Replies []Reply
}

// compareAge compares the order of eviction of two rows: below 0 if a is older.
func (w *Row) compareAge(b *Row) int {
	return cmp.Or(cmp.Compare(w.Newest, b.Newest), cmp.Compare(w.Place, b.Place))
}

// row is a row in its slot, and in the order of newest ops.
type row struct {
	Row
	slot         int
	older, newer *row
}

// push keeps a reply and drops the oldest if the ring has no room.
func (w *row) push(reply Reply, ring int) {
	if len(w.Replies) == ring {
		copy(w.Replies, w.Replies[1:])
		w.Replies[ring-1] = reply
		return
	}
	if len(w.Replies) == cap(w.Replies) { // No more than the ring: append would take it.
		grown := make([]Reply, len(w.Replies), min(max(1, 2*len(w.Replies)), ring))
		copy(grown, w.Replies)
		w.Replies = grown
	}
	w.Replies = append(w.Replies, reply)
}

// cached returns the reply with that number, nil if the ring has none.
func (w *row) cached(number wire.RequestNumber) *Reply {
	for i := len(w.Replies) - 1; i >= 0; i-- {
		if w.Replies[i].Number == number {
			return &w.Replies[i]
		}
	}
	return nil
}

// clone copies the row, but not the bodies of its replies, which nobody changes.
func (w *row) clone() *row {
	c := &row{Row: w.Row, slot: w.slot}
	c.Replies = append([]Reply(nil), w.Replies...)
	return c
}

// kept is the reply as a row keeps it: its own copy of the body, or none of one too large.
func (r Reply) kept(bytesMax int) Reply {
	if len(r.Body) > bytesMax {
		r.Omitted, r.Body = true, nil
		return r
	}
	r.Body = append([]byte(nil), r.Body...)
	return r
}
