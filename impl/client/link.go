package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// link gives a session its connections: it turns the session's outputs into writes, reads,
// pauses and new connections, and its own clock into GiveUp. Requests take turns.
type link struct {
	options *Options
	session *Session
	turn    chan struct{} // Holds a token while a request is open.
	// fixed links stay at one node, and give up what it does not accept.
	fixed bool
	// seek finds the address to move to, "" if it is not known. It may use ask.
	seek func(ctx context.Context, l *link) string

	// What follows belongs to whoever has the turn.
	conn    net.Conn
	reader  *bufio.Reader
	address string
	// known are the addresses to try, next the one that comes next.
	known []string
	next  int
	// failures counts connections in a row that led to nothing, refusedAt is when the node
	// began to refuse, moves counts how often the open request went to another node.
	failures  int
	refusedAt time.Time
	moves     int
	trouble   error
	// ended is an outcome that came up while a question was asked aside.
	ended *Outcome
}

func newLink(o *Options, known []string, fixed bool) (*link, error) {
	session, err := o.session()
	if err != nil {
		return nil, err
	}
	return &link{
		options: o, session: session, turn: make(chan struct{}, 1), known: known, fixed: fixed,
	}, nil
}

// movesMax is how often a request follows a hint to another node before it only waits.
const movesMax = 3

// do asks one thing and returns its outcome, by the context's deadline at the latest.
func (l *link) do(ctx context.Context, r Request) Outcome {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return Outcome{Verdict: Failed, Code: r.Code, Cause: context.Cause(ctx)}
	}
	if ctx.Err() != nil { // Nothing is sent then, so nothing can have been done.
		return Outcome{Verdict: Failed, Code: r.Code, Cause: context.Cause(ctx)}
	}
	l.moves, l.refusedAt = 0, time.Time{}
	outcome := l.drive(ctx, l.session.Submit(r))
	if outcome.Verdict != Succeeded && outcome.Cause == nil {
		outcome.Cause = l.cause(ctx, outcome)
	}
	return outcome
}

// cause is why there is no better outcome: the end of the context, what went wrong with the
// connection, or both; nil if the node gave a reason.
func (l *link) cause(ctx context.Context, outcome Outcome) error {
	said := outcome.Status != 0 || outcome.Eviction != 0
	switch {
	case ctx.Err() != nil && l.trouble != nil && !said:
		return fmt.Errorf("%w: %w", context.Cause(ctx), l.trouble)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case said:
		return nil
	}
	return l.trouble
}

// drive carries outputs out until the open request has its outcome.
func (l *link) drive(ctx context.Context, out Output) Outcome {
	for {
		if out.LoggedIn != nil {
			l.failures, l.trouble = 0, nil
		}
		if out.Drop {
			l.close()
		}
		if out.Done != nil {
			return *out.Done
		}
		switch {
		case ctx.Err() != nil:
			out = l.session.GiveUp()
		case out.Drop:
			l.wait(ctx, l.backoff())
			out = l.session.Disconnected()
		case l.conn == nil:
			out = l.connect(ctx)
		case out.Send != nil:
			out = l.write(ctx, out.Send)
		case out.Pause != 0:
			out = l.refused(ctx, out.Pause)
		default:
			out = l.read(ctx)
		}
	}
}

// connect opens a connection to the next node. Where that fails, it waits.
func (l *link) connect(ctx context.Context) Output {
	address := l.known[l.next%len(l.known)]
	l.next++
	conn, err := l.options.Dial(ctx, address)
	if err != nil {
		l.trouble = fmt.Errorf("connect to %s: %w", address, err)
		l.failures++
		if l.fixed && l.failures >= len(l.known) {
			return l.session.GiveUp()
		}
		l.wait(ctx, l.backoff())
		return Output{}
	}
	l.conn, l.reader, l.address = conn, bufio.NewReaderSize(conn, 64<<10), address
	l.refusedAt = time.Time{}
	return l.session.Connected()
}

// backoff is the pause after failures: none before every node was tried once.
func (l *link) backoff() time.Duration {
	rounds := l.failures / len(l.known)
	if rounds == 0 {
		return 0
	}
	return min(l.options.Pause<<min(rounds-1, 10), l.options.PauseMax)
}

// wait waits for up to a half more or less than d, or until the context ends.
func (l *link) wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (l *link) close() {
	if l.conn != nil {
		_ = l.conn.Close() // What was to be said was said, or is lost either way.
	}
	l.conn, l.reader = nil, nil
}

// lost is a connection that broke, or whose node is silent.
func (l *link) lost(ctx context.Context, err error) Output {
	l.trouble = fmt.Errorf("node %s: %w", l.address, err)
	l.failures++
	l.close()
	if ctx.Err() != nil {
		return l.session.GiveUp()
	}
	out := l.session.Disconnected()
	if out.Done == nil && l.fixed {
		return l.session.GiveUp()
	}
	return out
}

// limit sets the connection's deadline, and lets the end of the context break the wait. The
// function that it returns ends that.
func (l *link) limit(ctx context.Context) func() bool {
	until := time.Now().Add(l.options.Silence)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		until = deadline
	}
	conn := l.conn
	_ = conn.SetDeadline(until) // Where it fails, reading and writing do.
	return context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

func (l *link) write(ctx context.Context, frame []byte) Output {
	defer l.limit(ctx)()
	if _, err := l.conn.Write(frame); err != nil {
		return l.lost(ctx, err)
	}
	return Output{}
}

func (l *link) read(ctx context.Context) Output {
	defer l.limit(ctx)()
	frame, err := readFrame(l.reader)
	if err != nil {
		return l.lost(ctx, err)
	}
	return l.session.Receive(frame)
}

// readFrame reads a header, then as much as it announces, in steps: an announcement takes no
// memory.
func readFrame(r io.Reader) ([]byte, error) {
	const step = 1 << 20
	frame := make([]byte, wire.HeaderBytes)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	size, err := wire.FrameSize(frame)
	if err != nil {
		return nil, err
	}
	for len(frame) < size {
		at := len(frame)
		frame = append(frame, make([]byte, min(size-at, step))...)
		if _, err := io.ReadFull(r, frame[at:]); err != nil {
			return nil, fmt.Errorf("frame of %d bytes: %w", size, err)
		}
	}
	return frame, nil
}

// refused is what to do while the node does not accept the request, or does not know: follow
// a hint to another node, else wait and ask again; after a while try another anyway.
func (l *link) refused(ctx context.Context, why protocol.Status) Output {
	if l.fixed {
		return l.session.GiveUp()
	}
	if l.refusedAt.IsZero() {
		l.refusedAt = time.Now()
	}
	stay := why == protocol.StatusNotCommitted && l.options.Unnumbered
	if !stay && l.session.Ready() && l.moves < movesMax {
		to := l.seek(ctx, l)
		if l.ended != nil {
			out := Output{Done: l.ended}
			l.ended = nil
			return out
		}
		if l.conn == nil { // It was lost meanwhile.
			return l.session.Disconnected()
		}
		if to != "" && to != l.address {
			l.moves++
			return l.move(to)
		}
	}
	if !stay && time.Since(l.refusedAt) > l.options.Patience {
		l.close()
		return l.session.Disconnected()
	}
	l.wait(ctx, l.options.Pause)
	return l.session.Retry()
}

// move closes the connection, and makes the address the next one.
func (l *link) move(to string) Output {
	l.close()
	l.learn(to)
	for i, address := range l.known {
		if address == to {
			l.next = i
		}
	}
	return l.session.Disconnected()
}

// learn adds addresses to those known.
func (l *link) learn(addresses ...string) {
	for _, address := range addresses {
		known := false
		for _, other := range l.known {
			known = known || other == address
		}
		if !known {
			l.known = append(l.known, address)
		}
	}
}

// ask asks a question while the open request waits. It returns false if there is no answer;
// the connection may be gone then.
func (l *link) ask(ctx context.Context, r Request) ([]byte, bool) {
	out := l.session.Ask(r)
	defer func() { l.ended = out.Done }()
	for out.Answer == nil {
		switch {
		case out.Drop || l.conn == nil:
			l.close()
			return nil, false
		case out.Send != nil:
			out = l.aside(ctx, func() error { _, err := l.conn.Write(out.Send); return err })
		default:
			var frame []byte
			out = l.aside(ctx, func() (err error) { frame, err = readFrame(l.reader); return err })
			if frame != nil {
				out = l.session.Receive(frame)
			}
		}
	}
	if out.Drop {
		l.close()
	}
	return out.Answer.Payload, out.Answer.Verdict == Succeeded
}

// aside does one piece of input or output of [link.ask].
func (l *link) aside(ctx context.Context, work func() error) Output {
	defer l.limit(ctx)()
	if err := work(); err != nil {
		l.trouble = fmt.Errorf("node %s: %w", l.address, err)
		l.close()
		return l.session.Disconnected()
	}
	return Output{}
}
