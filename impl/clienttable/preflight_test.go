package clienttable_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var prepare = answer{Kind: clienttable.Prepare}

func notAccepted(reason clienttable.Reason) answer {
	return answer{Kind: clienttable.NotAccepted, Reason: reason}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	inFlight := answer{Kind: clienttable.InFlight}
	bound := []message{register(1, 1)}
	type messages = []message
	for name, tc := range map[string]struct {
		config   config // small if zero
		log      messages
		underWay messages
		message  message
		want     answer
	}{
		"the first Register is prepared": {message: register(1, 1), want: prepare},
		"a Register under way is not prepared twice": {
			underWay: messages{register(1, 1)}, message: register(1, 1), want: inFlight,
		},
		"a higher Register is prepared behind one": {
			underWay: messages{register(1, 1)}, message: register(1, 2), want: prepare,
		},
		"a lower Register is late behind a higher one": {
			underWay: messages{register(1, 2)}, message: register(1, 1),
			want: notAccepted(clienttable.NumberInFlight),
		},
		"a Register waits for that of another user": {
			underWay: messages{registerAs(stranger, 1, 1)}, message: register(1, 1),
			want: notAccepted(clienttable.NumberInFlight),
		},
		"a Register of another client does not matter": {
			underWay: messages{register(2, 1)}, message: register(1, 1), want: prepare,
		},
		"a Register that executed is answered": {
			log: bound, message: register(1, 1), want: given(1, 1, 0),
		},
		"a Register of another user is refused at once": {
			log: bound, message: registerAs(stranger, 1, 2), want: taken,
		},
		"upstream's Register is prepared though there is a session": {
			config: upstream(small), log: bound, message: register(1, 0), want: prepare,
		},
		"upstream's Register is not prepared twice": {
			config: upstream(small), log: bound, underWay: messages{register(1, 0)},
			message: register(1, 0), want: inFlight,
		},
		"the next request is prepared": {log: bound, message: request(1, 1, 1), want: prepare},
		"a request under way is not prepared twice": {
			log: bound, underWay: messages{request(1, 1, 1)}, message: request(1, 1, 1),
			want: inFlight,
		},
		"other bytes under a number that is under way wait": {
			log: bound, underWay: messages{request(1, 1, 1)},
			message: otherBytes(request(1, 1, 1)),
			want:    notAccepted(clienttable.NumberInFlight),
		},
		"a request follows one that is under way": {
			log: bound, underWay: messages{request(1, 1, 1)}, message: request(1, 1, 2),
			want: prepare,
		},
		"a request with a gap before it waits": {
			log: bound, message: request(1, 1, 2), want: notAccepted(clienttable.GapBefore),
		},
		"more requests than the ring has room for wait": {
			log: bound, underWay: messages{request(1, 1, 1), request(1, 1, 2)},
			message: request(1, 1, 3), want: notAccepted(clienttable.BeyondWindow),
		},
		"a request waits for a Register under way": {
			log: bound, underWay: messages{register(1, 2)}, message: request(1, 1, 1),
			want: notAccepted(clienttable.SessionEnding),
		},
		"a request waits for a Logout under way": {
			log: bound, underWay: messages{logout(1, 1)}, message: request(1, 1, 1),
			want: notAccepted(clienttable.SessionEnding),
		},
		"a request that executed is replayed, whatever is under way": {
			log: messages{register(1, 1), request(1, 1, 1)}, underWay: messages{logout(1, 1)},
			message: request(1, 1, 1), want: reply(1, 1, 2),
		},
		"a request of an ended session is over": {
			log: messages{register(1, 1), register(1, 2)}, message: request(1, 1, 1),
			want: over(1),
		},
		"a request of a session that nobody was given is not answered": {
			log: bound, message: request(1, 5, 1), want: silent,
		},
		"upstream's request may leave a gap": {
			config: upstream(small), log: bound, message: request(1, 1, 5), want: prepare,
		},
		"upstream's request is late behind a higher one": {
			config: upstream(small), log: bound, underWay: messages{request(1, 1, 5)},
			message: request(1, 1, 4), want: notAccepted(clienttable.NumberInFlight),
		},
		"what is under way in an older session does not matter": {
			log:      messages{register(1, 1), register(1, 2)},
			underWay: messages{request(1, 1, 1), logout(1, 1)},
			message:  request(1, 2, 1), want: prepare,
		},
		"the highest number under way counts, not the last": {
			config: upstream(small), log: bound,
			underWay: messages{request(1, 1, 5), request(1, 1, 3)},
			message:  request(1, 1, 4), want: notAccepted(clienttable.NumberInFlight),
		},
		"a Logout is prepared": {log: bound, message: logout(1, 1), want: prepare},
		"a Logout under way is not prepared twice": {
			log: bound, underWay: messages{logout(1, 1)}, message: logout(1, 1), want: inFlight,
		},
		"a Resize is prepared":             {message: resize(1), want: prepare},
		"an op of the cluster is prepared": {message: message{Kind: clienttable.Other}, want: prepare},
		"a Logout of an ended session is over": {
			log: messages{register(1, 1), register(1, 2)}, message: logout(1, 1), want: over(1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.config == (config{}) {
				tc.config = small
			}
			made := tableAfter(t, tc.config, tc.log...)
			var p clienttable.Preflight
			for i, m := range tc.underWay {
				p.Prepared(made.Op()+1+wire.Op(i), m)
			}
			assert.Equal(t, tc.want, p.Judge(made, tc.message))
			p.Reset()
			assert.Zero(t, p.Len())
		})
	}
}

// R18, R21: a table that came with a checkpoint has executed what nobody will execute here.
func TestPreflightForgetsWhatACheckpointHasExecuted(t *testing.T) {
	t.Parallel()
	var p clienttable.Preflight
	made := tableAfter(t, small, register(1, 1), register(2, 1))
	p.Prepared(1, register(1, 1))
	p.Prepared(3, request(2, 2, 1))
	p.Waits(register(1, 2))
	p.Restored(2)
	assert.Equal(t, answer{Kind: clienttable.Prepare}, p.Judge(made, request(1, 1, 1)))
	assert.Equal(t, answer{Kind: clienttable.InFlight}, p.Judge(made, request(2, 2, 1)),
		"prepared above the checkpoint")
	assert.Equal(t, 1, p.Len())
}

func TestPreflightPanicsIfOpsComeOutOfOrder(t *testing.T) {
	t.Parallel()
	var p clienttable.Preflight
	p.Prepared(3, register(1, 1))
	assert.PanicsWithValue(t, "clienttable: op 2 is noted as prepared after op 3",
		func() { p.Prepared(2, register(1, 1)) })
}

// What Judge lets through does what it was sent for, if nothing else gets into the log and no
// session is evicted: preflight lets no work through that is in vain.
func TestWhatPreflightLetsThroughIsNotInVain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := config{
			Shape:    rapid.SampledFrom([]clienttable.Shape{1, 2}).Draw(t, "shape"),
			Capacity: 3, Ring: 3, ReplyBytes: 16,
		}
		made := clienttable.New(c)
		var p clienttable.Preflight
		var log []message
		t.Repeat(map[string]func(*rapid.T){
			"arrive": func(t *rapid.T) {
				m := drawMessage(t, made)
				if m.Kind == clienttable.Resize {
					t.Skip("a Resize may evict")
				}
				if p.Judge(made, m).Kind == clienttable.Prepare {
					log = append(log, m)
					p.Prepared(wire.Op(len(log)), m)
				}
			},
			"execute": func(t *rapid.T) {
				if int(made.Op()) == len(log) {
					t.Skip("nothing is under way")
				}
				m := log[made.Op()]
				done := execute(made, m)
				p.Executed(made.Op(), m)
				require.NotEqual(t, clienttable.Ignored, done.Outcome, "%+v", m)
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(log)-int(made.Op()), p.Len())
			},
		})
	})
}
