package node

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// errBehind says that this replica may not know yet what others know.
var errBehind = errors.New("this replica has not caught up")

// catalogue is the metadata's machine as the rest of the process uses it. The machine is its
// shard's goroutine's alone: others ask through do.
type catalogue struct {
	group   *group
	machine *metadata.Machine
	// op is the last that was executed here: what was read at another one may be stale. more is
	// closed and replaced with each.
	op   atomic.Uint64
	mu   sync.Mutex
	more chan struct{}
	// changed has a value when partitions may have come or gone.
	changed chan struct{}
	// hashing bounds how many passwords are hashed at once.
	hashing chan struct{}
	// passwords are those that were right lately.
	passwords *credentials.Memory
}

// How many passwords are remembered, and for how long.
const (
	passwordsMax  = 1024
	passwordsKept = 5 * time.Minute
)

func newCatalogue() *catalogue {
	passwords, err := credentials.NewMemory(rand.Reader, passwordsMax, passwordsKept)
	if err != nil {
		panic(err) // Documented never to happen.
	}
	return &catalogue{
		passwords: passwords,

		machine: metadata.New(metadata.DefaultLimits()), changed: make(chan struct{}, 1),
		more:    make(chan struct{}),
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// do runs f on the goroutine of the metadata's shard.
func (c *catalogue) do(ctx context.Context, f func()) error { return c.group.shard.do(ctx, f) }

// executed notes that an op of the metadata was executed here.
func (c *catalogue) executed(op wire.Op) {
	c.mu.Lock()
	c.op.Store(uint64(op))
	close(c.more)
	c.more = make(chan struct{})
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// reach waits until this replica has executed an op: a client is not shown a state from before
// its own login, or before what it was told has happened.
func (c *catalogue) reach(ctx context.Context, op wire.Op) error {
	for {
		if c.op.Load() >= uint64(op) {
			return nil
		}
		c.mu.Lock()
		more := c.more
		c.mu.Unlock()
		if c.op.Load() >= uint64(op) {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// current says that this replica has executed everything that it knows to be committed, in
// status normal. It may still be behind what it does not know of.
func (c *catalogue) current() bool {
	s := c.group.host.Standing()
	return s.Status == vsr.StatusNormal && s.CommitMin == s.CommitMax && s.CommitMax > 0
}

// admit makes a body for the log of a client's request: without passwords and tokens.
func (c *catalogue) admit(ctx context.Context, m *wire.Request) ([]byte, string, error) {
	var admission metadata.Admission
	if err := c.do(ctx, func() { admission = c.machine.Admit(m.Operation, m.Body) }); err != nil {
		return nil, "", err
	}
	if admission.Slow() {
		select {
		case c.hashing <- struct{}{}:
			defer func() { <-c.hashing }()
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
	return admission.Body(rand.Reader)
}

func tokenReply(body []byte, token string) []byte { return metadata.TokenReply(body, token) }

// query asks the machine as a user.
func (c *catalogue) query(ctx context.Context, user uint32, code protocol.Code, body []byte) (
	answer []byte, status protocol.Status, err error,
) {
	err = c.do(ctx, func() { answer, status = c.machine.QueryAs(user, uint32(code), body) })
	return answer, status, err
}
