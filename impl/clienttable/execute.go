package clienttable

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Outcome says what executing an op did.
type Outcome uint8

const (
	// Ignored: nothing changed, and the machine does not see the request. The answer says
	// what its client hears.
	Ignored Outcome = iota + 1
	// Execute: the machine executes the request, and [Table.Complete] takes its result.
	Execute
	// Bound: a Register created a row.
	Bound
	// Rebound: a Register bound another session to the row.
	Rebound
	// LoggedOut: the row is gone.
	LoggedOut
	// Resized: the table has the capacity that was asked for.
	Resized
	// Passed: the op concerns no client. The machine executes it.
	Passed
)

// String is the outcome in snake_case.
func (o Outcome) String() string {
	switch o {
	case Ignored:
		return "ignored"
	case Execute:
		return "execute"
	case Bound:
		return "bound"
	case Rebound:
		return "rebound"
	case LoggedOut:
		return "logged_out"
	case Resized:
		return "resized"
	case Passed:
		return "passed"
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// End says why a session ended.
type End uint8

const (
	// ByRebind: its client registered again.
	ByRebind End = iota + 1
	// ByEviction: its slot went to another client, or away in a Resize.
	ByEviction
	// ByLogout: its client gave it back.
	ByLogout
)

// String is the reason as the spec writes it.
func (e End) String() string {
	switch e {
	case ByRebind:
		return "rebound"
	case ByEviction:
		return "evicted"
	case ByLogout:
		return "logout"
	}
	return fmt.Sprintf("end(%d)", uint8(e))
}

// Ended is a session that an op has ended.
type Ended struct {
	Client  wire.ClientID
	Session wire.SessionNumber
	End     End
}

// Result is what became of an op.
type Result struct {
	Outcome Outcome
	// Answer is what the client hears now. It is zero for Execute, whose answer comes from
	// Complete, and of kind Silent where no client waits.
	Answer Answer
	// Ended are the sessions that the op ended, in the order of their former slots.
	Ended []Ended
}

// Execute decides what a committed op does, and does it, save for what the machine has to do.
// It is the authority: whatever a primary checked before it prepared the op, a request reaches
// the machine if and only if this says [Execute].
//
// After an outcome Execute the op is under way: run the machine, then call [Table.Complete].
// Until then the table is still that of the op before, for answers and for snapshots.
//
// Ops come in order, each once, and none while another is under way (R5). Anything else is the
// caller's bug and panics.
//
// Source: R18; Sessions!ExecuteOn.
func (t *Table) Execute(op wire.Op, m Message) Result {
	if op != t.op+1 || t.executing.Kind != 0 {
		t.violated("ops are executed in order, each once", "op %d comes", op)
	}
	return t.execute(moment{op: op}, m)
}

// ExecuteAlso is [Table.Execute] for the next request of the op that was executed last: those
// of a batch, behind the first. What is decided is what would be if each had an op of its own;
// the pair of op and place in it stands for the op of the spec. A Register has its own: sessions
// are ops.
//
// No op before, a Register, an op that was a Register's, and more than [BatchMax] requests are the
// caller's bug and panic.
func (t *Table) ExecuteAlso(op wire.Op, m Message) Result {
	if op != t.op || op == 0 || t.executing.Kind != 0 || t.inOp == BatchMax-1 ||
		m.kind() == Register {
		t.violated("a batch has an op that was begun", "another %d of op %d comes", m.Kind, op)
	}
	return t.execute(moment{op, t.inOp + 1}, m)
}

func (t *Table) execute(at moment, m Message) Result {
	op := at.op
	t.next = at
	var done Result
	switch m.kind() {
	case Register:
		done = t.register(op, &m)
	case Request:
		if t.executes(&m) {
			t.executing = m
			return Result{Outcome: Execute}
		}
		done.Outcome = Ignored
	case Logout:
		done = t.logout(&m)
	case Resize:
		done = t.resize(&m)
	case Other:
		done.Outcome = Passed
	default:
		t.violated("a message has a kind", "op %d is of kind %d", op, uint8(m.Kind))
	}
	t.op, t.inOp = at.op, at.place
	if m.kind() == Register {
		t.inOp = BatchMax - 1 // nothing shares its op
	}
	done.Answer = Answer{Kind: Silent}
	if kind := m.kind(); kind != Resize && kind != Other {
		done.Answer = t.Answer(m)
	}
	return done
}

// Complete takes the machine's result of the request that is under way, and returns the reply:
// with this body, even where it is too large to be kept. The table keeps a copy of the body.
//
// That no request is under way at op is the caller's bug and panics.
func (t *Table) Complete(op wire.Op, body []byte) Answer {
	m := t.executing
	if m.Kind == 0 || op != t.next.op {
		t.violated("a result belongs to the request under way", "result of op %d comes", op)
	}
	w := t.rows[m.Client]
	reply := Reply{
		Session: m.Session, Number: m.Number, Checksum: m.Checksum, Op: op, Body: body,
	}
	kept := reply.kept(t.config.ReplyBytes)
	w.push(kept, t.config.Ring)
	w.Watermark, w.Newest, w.Place = m.Number, op, t.next.place
	t.order.touch(w)
	t.op, t.inOp, t.executing = op, t.next.place, Message{}
	answer := replied(&kept)
	if kept.Omitted {
		answer.Body = body
	}
	return answer
}

// register is Sessions!ExecuteRegister: a higher number than the row's rebinds it, or creates
// it, the same or a lower one changes nothing, and neither does another user's.
func (t *Table) register(op wire.Op, m *Message) Result {
	session := wire.SessionNumber(op)
	if w := t.rows[m.Client]; w != nil {
		old := t.config.Shape == Numbered && m.Number <= w.Registration
		if old || w.Owner != m.User {
			return Result{Outcome: Ignored}
		}
		ended := w.ended(ByRebind)
		w.Registration, w.Session = m.Number, session
		w.BoundWatermark, w.Newest, w.Place = w.Watermark, op, 0
		t.order.touch(w)
		return Result{Outcome: Rebound, Ended: []Ended{ended}}
	}
	done := Result{Outcome: Bound}
	slot, free := t.firstFree()
	if !free {
		victim := t.order.oldest
		slot = victim.slot
		done.Ended = []Ended{victim.ended(ByEviction)}
		t.drop(victim)
	}
	t.place(&row{Row: Row{
		Client: m.Client, Owner: m.User, Registration: m.Number,
		Session: session, Born: session, Newest: op,
	}}, slot)
	return done
}

// executes is Sessions!ExecuteRequest: a request executes if and only if its session is the
// row's and its number is the next. Upstream's clients leave gaps.
func (t *Table) executes(m *Message) bool {
	w := t.rows[m.Client]
	if w == nil || w.Session != m.Session || m.Number <= w.Watermark {
		return false
	}
	return m.Number-w.Watermark == 1 || t.config.Shape == Upstream
}

// logout is Sessions!ExecuteLogout: the row goes if its session is named.
func (t *Table) logout(m *Message) Result {
	w := t.rows[m.Client]
	if w == nil || w.Session != m.Session {
		return Result{Outcome: Ignored}
	}
	t.drop(w)
	return Result{Outcome: LoggedOut, Ended: []Ended{w.ended(ByLogout)}}
}

// resize is Sessions!ExecuteResize: the newest rows stay; those beyond the new end move to the
// first empty slots. A capacity that no table has is ignored, by all replicas alike: that it
// came so far is no reason to stop.
func (t *Table) resize(m *Message) Result {
	if m.Capacity < 1 || m.Capacity > SlotsMax {
		return Result{Outcome: Ignored}
	}
	done := Result{Outcome: Resized}
	var out []*row
	for w := t.order.oldest; len(t.rows) > m.Capacity; w = t.order.oldest {
		t.drop(w)
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b *row) int { return a.slot - b.slot })
	for _, w := range out {
		done.Ended = append(done.Ended, w.ended(ByEviction))
	}
	t.capacity = m.Capacity
	for slot := m.Capacity; slot < len(t.slots); slot++ {
		if w := t.slots[slot]; w != nil {
			free, _ := t.firstFree() // There is one: at most as many rows as slots are left.
			t.slots[free], w.slot = w, free
		}
	}
	if m.Capacity < len(t.slots) {
		t.slots = slices.Clone(t.slots[:m.Capacity])
	}
	return done
}

// ended is the end of the row's session.
func (w *row) ended(end End) Ended {
	return Ended{Client: w.Client, Session: w.Session, End: end}
}
