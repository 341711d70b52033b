package clienttable_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

type (
	table   = clienttable.Table
	config  = clienttable.Config
	message = clienttable.Message
	answer  = clienttable.Answer
	ended   = clienttable.Ended
)

// small is a configuration in which a few messages fill everything.
var small = config{Shape: clienttable.Numbered, Capacity: 2, Ring: 2, ReplyBytes: 16}

func upstream(c config) config {
	c.Shape = clienttable.Upstream
	return c
}

func client(n uint64) wire.ClientID { return wire.ClientID{Lo: n} }

// sum is the checksum of the bytes that a test calls n.
func sum(n uint64) wire.Checksum { return wire.Checksum{Lo: n} }

// The users: own is that of every client, stranger another.
const own, stranger clienttable.UserID = 7, 8

func register(c uint64, number wire.RequestNumber) message {
	return message{Kind: clienttable.Register, Client: client(c), User: own, Number: number}
}

func registerAs(user clienttable.UserID, c uint64, number wire.RequestNumber) message {
	m := register(c, number)
	m.User = user
	return m
}

// request is one whose bytes are those of its number.
func request(c uint64, session wire.SessionNumber, number wire.RequestNumber) message {
	return message{
		Kind: clienttable.Request, Client: client(c), Session: session, Number: number,
		Checksum: sum(uint64(number)),
	}
}

func otherBytes(m message) message {
	m.Checksum = sum(99)
	return m
}

func logout(c uint64, session wire.SessionNumber) message {
	return message{Kind: clienttable.Logout, Client: client(c), Session: session}
}

func resize(capacity int) message {
	return message{Kind: clienttable.Resize, Capacity: capacity}
}

// bodyOf is what the tests' machine says at an op.
func bodyOf(op wire.Op) []byte { return fmt.Appendf(nil, "result of %d", op) }

// execute executes a message as the next op, with the machine's part.
func execute(t *table, m message) clienttable.Result {
	op := t.Op() + 1
	done := t.Execute(op, m)
	if done.Outcome == clienttable.Execute {
		done.Answer = t.Complete(op, bodyOf(op))
	}
	return done
}

func tableAfter(t require.TestingT, c config, log ...message) *table {
	made := clienttable.New(c)
	for _, m := range log {
		execute(made, m)
		require.NoError(t, made.CheckInvariants())
	}
	return made
}

func given(session, born wire.SessionNumber, watermark wire.RequestNumber) answer {
	return answer{
		Kind: clienttable.SessionGiven, Session: session, Born: born, Watermark: watermark,
	}
}

func reply(session wire.SessionNumber, number wire.RequestNumber, op wire.Op) answer {
	return answer{
		Kind: clienttable.Replied, Session: session, Number: number,
		Checksum: sum(uint64(number)), Op: op, Body: bodyOf(op),
	}
}

func gone(session wire.SessionNumber, number wire.RequestNumber) answer {
	return answer{Kind: clienttable.Gone, Session: session, Number: number}
}

func refused(session wire.SessionNumber, number wire.RequestNumber) answer {
	return answer{
		Kind: clienttable.Refused, Session: session, Number: number, Checksum: sum(99),
	}
}

func over(session wire.SessionNumber) answer {
	return answer{Kind: clienttable.Over, Session: session}
}

var (
	silent = answer{Kind: clienttable.Silent}
	taken  = answer{Kind: clienttable.Taken}
)

func endedBy(end clienttable.End, c uint64, session wire.SessionNumber) []ended {
	return []ended{{Client: client(c), Session: session, End: end}}
}

// decision is a row of R18: after a log, a message has an outcome, an answer and ends.
type decision struct {
	config  config // small if zero
	log     []message
	message message
	outcome clienttable.Outcome
	answer  answer
	ended   []ended
}

func (d decision) check(t *testing.T) {
	t.Helper()
	if d.config == (config{}) {
		d.config = small
	}
	made := tableAfter(t, d.config, d.log...)
	before := made.AppendSnapshot(nil)
	// The core may be copied at any time: a copy decides alike.
	for _, made := range []*table{made.Clone(), made} {
		done := execute(made, d.message)
		assert.Equal(t, d.outcome, done.Outcome)
		assert.Equal(t, d.answer, done.Answer)
		assert.Equal(t, d.ended, done.Ended)
		require.NoError(t, made.CheckInvariants())
		if d.outcome == clienttable.Ignored {
			after := made.AppendSnapshot(nil)
			const op, rest = 24, 32
			assert.Equal(t, before[:op], after[:op])
			assert.Equal(t, before[rest:len(before)-16], after[rest:len(after)-16])
		}
		if !d.message.Client.IsZero() {
			assert.Equal(t, d.answer, made.Answer(d.message), "who asks again hears another answer")
		}
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]decision{
		"creates a row": {
			message: register(1, 1),
			outcome: clienttable.Bound, answer: given(1, 1, 0),
		},
		"of the same number repeats the answer": {
			log: []message{register(1, 1)}, message: register(1, 1),
			outcome: clienttable.Ignored, answer: given(1, 1, 0),
		},
		"of the same number repeats the answer, whatever executed since": {
			log: []message{register(1, 1), request(1, 1, 1)}, message: register(1, 1),
			outcome: clienttable.Ignored, answer: given(1, 1, 0),
		},
		"of a lower number is ignored": {
			log: []message{register(1, 2)}, message: register(1, 1),
			outcome: clienttable.Ignored, answer: silent,
		},
		"of a higher number rebinds, and keeps born and watermark": {
			log: []message{register(1, 1), request(1, 1, 1)}, message: register(1, 2),
			outcome: clienttable.Rebound, answer: given(3, 1, 1),
			ended: endedBy(clienttable.ByRebind, 1, 1),
		},
		"may leave out numbers": {
			log: []message{register(1, 1)}, message: register(1, 9),
			outcome: clienttable.Rebound, answer: given(2, 1, 0),
			ended: endedBy(clienttable.ByRebind, 1, 1),
		},
		"of another user is told nothing": {
			log: []message{register(1, 1)}, message: registerAs(stranger, 1, 1),
			outcome: clienttable.Ignored, answer: taken,
		},
		"of another user does not rebind": {
			log: []message{register(1, 1)}, message: registerAs(stranger, 1, 5),
			outcome: clienttable.Ignored, answer: taken,
		},
		"of the owner is refused where a stranger came first": {
			log: []message{registerAs(stranger, 1, 1)}, message: register(1, 1),
			outcome: clienttable.Ignored, answer: taken,
		},
		"into a full table evicts the oldest newest op": {
			log:     []message{register(1, 1), register(2, 1), request(1, 1, 1)},
			message: register(3, 1), outcome: clienttable.Bound, answer: given(4, 4, 0),
			ended: endedBy(clienttable.ByEviction, 2, 2),
		},
		"counts as an op that touches the row": {
			log:     []message{register(1, 1), register(2, 1), register(1, 2)},
			message: register(3, 1), outcome: clienttable.Bound, answer: given(4, 4, 0),
			ended: endedBy(clienttable.ByEviction, 2, 2),
		},
		"that is repeated touches nothing": {
			log:     []message{register(1, 1), register(2, 1), register(1, 1)},
			message: register(3, 1), outcome: clienttable.Bound, answer: given(4, 4, 0),
			ended: endedBy(clienttable.ByEviction, 1, 1),
		},
		"after an eviction creates another row: born is above the last session": {
			log: []message{
				register(1, 1), request(1, 1, 1), register(2, 1), register(3, 1),
			},
			message: register(1, 2), outcome: clienttable.Bound, answer: given(5, 5, 0),
			ended: endedBy(clienttable.ByEviction, 2, 3),
		},
		"upstream's rebinds each time": {
			config: upstream(small), log: []message{register(1, 0)}, message: register(1, 0),
			outcome: clienttable.Rebound, answer: given(2, 1, 0),
			ended: endedBy(clienttable.ByRebind, 1, 1),
		},
		"upstream's of another user does not": {
			config: upstream(small), log: []message{register(1, 0)},
			message: registerAs(stranger, 1, 0),
			outcome: clienttable.Ignored, answer: taken,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	one := []message{register(1, 1), request(1, 1, 1)}
	three := []message{register(1, 1), request(1, 1, 1), request(1, 1, 2), request(1, 1, 3)}
	rebound := []message{register(1, 1), request(1, 1, 1), register(1, 2)}
	for name, tc := range map[string]decision{
		"of the next number executes": {
			log: one, message: request(1, 1, 2),
			outcome: clienttable.Execute, answer: reply(1, 2, 3),
		},
		"that executed is replayed": {
			log: one, message: request(1, 1, 1),
			outcome: clienttable.Ignored, answer: reply(1, 1, 2),
		},
		"below the watermark is replayed from the ring": {
			log: three, message: request(1, 1, 2),
			outcome: clienttable.Ignored, answer: reply(1, 2, 3),
		},
		"whose reply fell out of the ring is gone": {
			log: three, message: request(1, 1, 1),
			outcome: clienttable.Ignored, answer: gone(1, 1),
		},
		"of other bytes is refused where the reply is kept": {
			log: one, message: otherBytes(request(1, 1, 1)),
			outcome: clienttable.Ignored, answer: refused(1, 1),
		},
		"of other bytes is gone where it is not: nobody can tell": {
			log: three, message: otherBytes(request(1, 1, 1)),
			outcome: clienttable.Ignored, answer: gone(1, 1),
		},
		"without a checksum is of other bytes": {
			log: one, message: message{
				Kind: clienttable.Request, Client: client(1), Session: 1, Number: 1,
			},
			outcome: clienttable.Ignored,
			answer:  answer{Kind: clienttable.Refused, Session: 1, Number: 1},
		},
		"beyond the next number is ignored": {
			log: one, message: request(1, 1, 3),
			outcome: clienttable.Ignored, answer: silent,
		},
		"of number zero is gone": {
			log: one, message: request(1, 1, 0),
			outcome: clienttable.Ignored, answer: gone(1, 0),
		},
		"of the largest number is ignored": {
			log: one, message: request(1, 1, 1<<64-1),
			outcome: clienttable.Ignored, answer: silent,
		},
		"of the session before does not execute": {
			log: rebound, message: request(1, 1, 2),
			outcome: clienttable.Ignored, answer: over(1),
		},
		"that executed in the session before is over there": {
			log: rebound, message: request(1, 1, 1),
			outcome: clienttable.Ignored, answer: over(1),
		},
		"that executed in the session before is replayed in the new one": {
			log: rebound, message: request(1, 3, 1),
			outcome: clienttable.Ignored, answer: reply(1, 1, 2),
		},
		"goes on with the numbers in the new session": {
			log: rebound, message: request(1, 3, 2),
			outcome: clienttable.Execute, answer: reply(3, 2, 4),
		},
		"without a row is over": {
			message: request(1, 1, 1), outcome: clienttable.Ignored, answer: over(1),
		},
		"of a session that nobody was given is left unanswered": {
			log: one, message: request(1, 9, 2),
			outcome: clienttable.Ignored, answer: silent,
		},
		"of an evicted client does not execute, though preflight had let it through": {
			log:     []message{register(1, 1), register(2, 1), register(3, 1)},
			message: request(1, 1, 1), outcome: clienttable.Ignored, answer: over(1),
		},
		"of another client's session does not execute": {
			log:     []message{register(1, 1), register(2, 1)},
			message: request(1, 2, 1), outcome: clienttable.Ignored, answer: over(2),
		},
		"upstream's may leave a gap": {
			config: upstream(small), log: one, message: request(1, 1, 7),
			outcome: clienttable.Execute, answer: reply(1, 7, 3),
		},
		"upstream's that its successor overtook is gone": {
			config:  upstream(small),
			log:     []message{register(1, 0), request(1, 1, 2)},
			message: request(1, 1, 1), outcome: clienttable.Ignored, answer: gone(1, 1),
		},
		"upstream's without a checksum gets whatever reply is there": {
			config: upstream(small), log: one, message: message{
				Kind: clienttable.Request, Client: client(1), Session: 1, Number: 1,
			},
			outcome: clienttable.Ignored, answer: reply(1, 1, 2),
		},
		"upstream's of other bytes is refused": {
			config: upstream(small), log: one, message: otherBytes(request(1, 1, 1)),
			outcome: clienttable.Ignored, answer: refused(1, 1),
		},
		"upstream's of an older session is over": {
			config:  upstream(small),
			log:     []message{register(1, 0), register(1, 0)},
			message: request(1, 1, 1), outcome: clienttable.Ignored, answer: over(1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}

func TestLogoutResizeAndOther(t *testing.T) {
	t.Parallel()
	full := []message{register(1, 1), register(2, 1), request(1, 1, 1)}
	for name, tc := range map[string]decision{
		"a Logout of the row's session removes the row": {
			log: full, message: logout(1, 1),
			outcome: clienttable.LoggedOut, answer: over(1),
			ended: endedBy(clienttable.ByLogout, 1, 1),
		},
		"a late Logout of an older session changes nothing": {
			log: []message{register(1, 1), register(1, 2)}, message: logout(1, 1),
			outcome: clienttable.Ignored, answer: over(1),
		},
		"a Logout that comes again changes nothing": {
			log: []message{register(1, 1), logout(1, 1)}, message: logout(1, 1),
			outcome: clienttable.Ignored, answer: over(1),
		},
		"a Logout of a session that nobody was given is left unanswered": {
			log: full, message: logout(1, 9),
			outcome: clienttable.Ignored, answer: silent,
		},
		"the slot of a Logout is free again": {
			log:     []message{register(1, 1), register(2, 1), logout(1, 1)},
			message: register(3, 1), outcome: clienttable.Bound, answer: given(4, 4, 0),
		},
		"a Resize keeps the newest rows": {
			log: full, message: resize(1), outcome: clienttable.Resized, answer: silent,
			ended: endedBy(clienttable.ByEviction, 2, 2),
		},
		"a Resize says who ended in the order of slots": {
			config: config{Shape: clienttable.Numbered, Capacity: 3, Ring: 1},
			log: []message{
				register(1, 1), register(2, 1), register(3, 1), request(2, 2, 1), request(1, 1, 1),
			},
			message: resize(1), outcome: clienttable.Resized, answer: silent,
			ended: []ended{
				{Client: client(2), Session: 2, End: clienttable.ByEviction},
				{Client: client(3), Session: 3, End: clienttable.ByEviction},
			},
		},
		"a Resize makes room": {
			log: append(full, resize(3)), message: register(3, 1),
			outcome: clienttable.Bound, answer: given(5, 5, 0),
		},
		"a Resize to nothing is ignored": {
			log: full, message: resize(0), outcome: clienttable.Ignored, answer: silent,
		},
		"a Resize beyond what a table may have is ignored": {
			log: full, message: resize(clienttable.SlotsMax + 1), outcome: clienttable.Ignored,
			answer: silent,
		},
		"an op of the cluster passes": {
			log: full, message: message{Kind: clienttable.Other},
			outcome: clienttable.Passed, answer: silent,
		},
		"a request without a client is the cluster's": {
			log: full, message: message{Kind: clienttable.Request, Session: 1, Number: 1},
			outcome: clienttable.Passed, answer: silent,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}
