package client

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// world is a cluster and its network as a session may meet them: one log with the client
// table, behind nodes that lose connections, answer late, forward twice, forget rows, and
// leave messages in a log that may still be committed much later.
type world struct {
	choose  func(n int) int
	session *Session
	table   *clienttable.Table
	op      wire.Op
	// connected: there is a connection; up and down are its frames on the way, in order.
	connected bool
	up, down  [][]byte
	// stray are requests of connections that are gone, pending those in some log that are not
	// committed. Both may be executed at any time, or never.
	stray, pending []*wire.Request
	// executed counts executions by what the request is called.
	executed  map[string]int
	asked     map[string]*asked
	open      *asked
	names     int
	paused    bool
	strangers uint64
}

// asked is a request that was submitted, and what became of it.
type asked struct {
	name    string
	request Request
	outcome *Outcome
}

func newWorld(choose func(int) int, unnumbered bool, broken defect) *world {
	shape := clienttable.Numbered
	if unnumbered {
		shape = clienttable.Upstream
	}
	s := NewSession(SessionConfig{
		Client: wire.ClientID{Lo: 1}, Login: []byte("login"), Unnumbered: unnumbered,
	})
	s.broken = broken
	return &world{
		choose: choose, session: s,
		table: clienttable.New(clienttable.Config{
			Shape: shape, Capacity: 1, Ring: 2, ReplyBytes: 64,
		}),
		executed: map[string]int{}, asked: map[string]*asked{},
	}
}

// run takes steps, then lets everything that is left be committed, and judges.
func (w *world) run(steps int) error {
	for range steps {
		if err := w.step(); err != nil {
			return err
		}
		if err := w.judge(); err != nil {
			return err
		}
	}
	for _, r := range append(w.stray, w.pending...) {
		w.commit(r)
	}
	return w.judge()
}

func (w *world) step() error {
	switch w.choose(13) {
	case 0, 12:
		if !w.connected {
			w.connected, w.up, w.down = true, nil, nil
			return w.take(w.session.Connected())
		}
	case 1, 2:
		if !w.session.Busy() {
			return w.take(w.session.Submit(w.next()))
		}
	case 3, 4, 5:
		return w.serve()
	case 6, 7:
		if len(w.down) > 0 {
			frame := w.down[0]
			w.down = w.down[1:]
			return w.take(w.session.Receive(frame))
		}
	case 8:
		if w.connected && w.choose(3) == 0 {
			return w.disconnect()
		}
	case 9:
		if w.paused {
			w.paused = false
			if w.choose(4) == 0 {
				return w.take(w.session.Ask(Request{Code: protocol.CodeClusterMetadata}))
			}
			return w.take(w.session.Retry())
		}
	case 10:
		if w.session.Busy() && w.choose(8) == 0 {
			return w.take(w.session.GiveUp())
		}
	case 11:
		w.background()
	}
	return nil
}

// next is a request that nobody has made yet. Its body is its name.
func (w *world) next() Request {
	w.names++
	r := Request{Code: protocol.CodeCreateStream}
	name := fmt.Sprint("metadata ", w.names)
	switch w.choose(6) {
	case 0:
		name = fmt.Sprint("rejected ", w.names)
	case 1:
		r.Code, name = protocol.CodeSend, fmt.Sprint("send ", w.names)
	case 2:
		r.Code, r.Repeat, name = protocol.CodeSend, true, fmt.Sprint("repeat ", w.names)
	case 3:
		r.Code, name = protocol.CodePing, fmt.Sprint("question ", w.names)
	}
	r.Body = []byte(name)
	w.open = &asked{name: name, request: r}
	w.asked[name] = w.open
	return r
}

// take carries an output out.
func (w *world) take(out Output) error {
	if out.LoginFailed != nil {
		return fmt.Errorf("login failed: %w", out.LoginFailed)
	}
	if out.Done != nil {
		if w.open == nil {
			return fmt.Errorf("an outcome of nothing: %+v", out.Done)
		}
		w.open.outcome = out.Done
		w.open = nil
	}
	if w.session.Busy() != (w.open != nil) {
		return fmt.Errorf("busy %t, but the request is open: %t", w.session.Busy(), w.open != nil)
	}
	if out.Drop {
		return w.disconnect()
	}
	if out.Send != nil {
		if !w.connected {
			return fmt.Errorf("a frame without a connection")
		}
		w.up = append(w.up, out.Send)
	}
	w.paused = w.paused || out.Pause != 0 || out.Answer != nil
	return nil
}

// disconnect leaves what was on the way to the node to chance.
func (w *world) disconnect() error {
	for _, frame := range w.up {
		if r := decodeRequest(frame); r.Operation != wire.OperationNonReplicated {
			w.stray = append(w.stray, r)
		}
	}
	w.connected, w.up, w.down, w.paused = false, nil, nil, false
	return w.take(w.session.Disconnected())
}

func decodeRequest(frame []byte) *wire.Request {
	m, err := wire.Decode(frame)
	if err != nil {
		panic(err)
	}
	return m.(*wire.Request)
}

// background lets the cluster do what nobody waits for.
func (w *world) background() {
	switch w.choose(5) {
	case 0, 1:
		if n := len(w.pending); n > 0 {
			i := w.choose(n)
			r := w.pending[i]
			w.pending = append(w.pending[:i], w.pending[i+1:]...)
			w.commit(r)
		}
	case 2:
		if n := len(w.stray); n > 0 {
			i := w.choose(n)
			r := w.stray[i]
			w.stray = append(w.stray[:i], w.stray[i+1:]...)
			w.commit(r)
			if r.Operation != protocol.OperationSend && w.choose(3) == 0 { // Forwarded twice.
				w.pending = append(w.pending, r)
			}
		}
	case 3: // Another client takes the row.
		if w.choose(4) == 0 {
			w.strangers++
			w.op++
			w.table.Execute(w.op, clienttable.Message{
				Kind: clienttable.Register, Client: wire.ClientID{Lo: 100 + w.strangers}, Number: 1,
			})
		}
	case 4:
		w.pending = nil // A view change drops what was not committed.
	}
}

// serve lets the node take a frame, and answer it or not.
func (w *world) serve() error {
	if len(w.up) == 0 {
		return nil
	}
	r := decodeRequest(w.up[0])
	w.up = w.up[1:]
	if r.Operation == wire.OperationNonReplicated {
		w.reply(r, 0, 0, nil)
		return nil
	}
	switch w.choose(10) {
	case 0:
		w.reply(r, protocol.StatusNotAccepted, 0, nil)
	case 1:
		w.pending = append(w.pending, r)
		w.reply(r, protocol.StatusNotCommitted, 0, nil)
	case 2:
		w.commit(r)
		return w.disconnect()
	case 3:
		w.pending = append(w.pending, r)
		return w.disconnect()
	case 4: // A denial before the log.
		if r.Operation != wire.OperationRegister {
			w.reply(r, protocol.StatusUnauthorized, 0, nil)
			break
		}
		fallthrough
	default:
		return w.answer(r)
	}
	return nil
}

func (w *world) reply(r *wire.Request, status protocol.Status, op wire.Op, body []byte) {
	m := &wire.Reply{
		Client: r.Client, Number: r.Number, Operation: r.Operation, Status: uint32(status),
		RequestChecksum: r.RequestChecksum, Op: op, Body: body,
	}
	w.down = append(w.down, wire.AppendClientReply(nil, m))
	if status == 0 && w.choose(4) == 0 { // Twice.
		w.down = append(w.down, w.down[len(w.down)-1])
	}
}

// answer commits a request, or finds its answer without.
func (w *world) answer(r *wire.Request) error {
	a := clienttable.Answer{Kind: clienttable.Prepare}
	if r.Operation != protocol.OperationSend {
		a = w.table.Answer(message(r))
	}
	if a.Kind == clienttable.Prepare {
		a = w.commit(r)
	}
	switch a.Kind {
	case clienttable.SessionGiven:
		login := &protocol.LoginReply{Session: a.Session}
		if !w.session.config.Unnumbered {
			login.Standing = &protocol.Standing{Born: a.Born, Watermark: a.Watermark}
		}
		body, err := protocol.Success(nil, login)
		if err != nil {
			return err
		}
		w.reply(r, 0, w.op, body)
	case clienttable.Replied:
		w.reply(r, 0, a.Op, a.Body)
	case clienttable.Gone:
		w.reply(r, protocol.StatusAlreadyApplied, 0, nil)
	case clienttable.Refused:
		return fmt.Errorf("number %d was given to two requests", r.Number)
	case clienttable.Over:
		w.down = append(w.down, wire.AppendEviction(nil, &wire.Eviction{
			Client: r.Client, Reason: wire.EvictedSessionTooLow,
		}))
	case clienttable.Silent, clienttable.Prepare, clienttable.Taken, clienttable.InFlight,
		clienttable.NotAccepted:
		return w.disconnect()
	}
	return nil
}

func message(r *wire.Request) clienttable.Message {
	m := clienttable.Message{
		Kind: clienttable.Request, Client: r.Client, Session: r.Session, Number: r.Number,
		Checksum: r.RequestChecksum,
	}
	if r.Operation == wire.OperationRegister {
		m.Kind = clienttable.Register
	}
	return m
}

// commit executes a message of the log.
func (w *world) commit(r *wire.Request) clienttable.Answer {
	w.op++
	name := string(r.Body)
	if r.Operation == protocol.OperationSend { // No table in front of a partition.
		w.op--
		w.executed[name]++
		return clienttable.Answer{Kind: clienttable.Replied, Body: r.Body}
	}
	result := w.table.Execute(w.op, message(r))
	if result.Outcome != clienttable.Execute {
		return result.Answer
	}
	w.executed[name]++
	body, err := protocol.Success(nil, &protocol.TokenRef{Name: name})
	if err != nil {
		panic(err)
	}
	if name[0] == 'r' {
		body = protocol.Reject(nil, protocol.StatusStreamExists)
	}
	return w.table.Complete(w.op, body)
}

// judge compares each outcome with what was executed.
func (w *world) judge() error {
	for name, a := range w.asked {
		n := w.executed[name]
		once := a.request.Code == protocol.CodeCreateStream || !a.request.Repeat
		if once && n > 1 {
			return fmt.Errorf("%s: executed %d times", name, n)
		}
		if a.outcome == nil || a.request.Code == protocol.CodePing {
			continue
		}
		rejects := a.request.Code == protocol.CodeCreateStream && name[0] == 'r'
		switch {
		case a.outcome.Verdict == Succeeded && (n == 0 || rejects):
			return fmt.Errorf("%s: succeeded, executed %d times", name, n)
		case a.outcome.Verdict == Failed && a.outcome.Rejected && (n != 1 || !rejects):
			return fmt.Errorf("%s: rejected, executed %d times", name, n)
		case a.outcome.Verdict == Failed && !a.outcome.Rejected && n != 0:
			return fmt.Errorf("%s: failed, executed %d times", name, n)
		}
		if err := a.checkPayload(); err != nil {
			return err
		}
	}
	return nil
}

// checkPayload: a success has its own reply, not another's.
func (a *asked) checkPayload() error {
	if a.outcome.Verdict != Succeeded {
		return nil
	}
	got := string(a.outcome.Payload)
	if a.request.Code == protocol.CodeCreateStream {
		var own protocol.TokenRef
		if err := protocol.Decode(a.outcome.Payload, &own); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		got = own.Name
	}
	if got != a.name {
		return fmt.Errorf("%s: succeeded with the reply to %q", a.name, got)
	}
	return nil
}
