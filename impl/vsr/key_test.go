package vsr

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Each field is in the key or stands here with the reason why it decides nothing. A new field
// fails the test until it has a place.
func TestEachFieldIsInTheKeyOrDecidesNothing(t *testing.T) {
	t.Parallel()
	const inKey = "in the key"
	for of, fields := range map[reflect.Type]map[string]string{
		reflect.TypeFor[Replica](): {
			"config":  "constant, but the incarnation, which is in the key",
			"quorums": "a function of the configuration",
			"rng":     "jitter only sets timers, which an explorer expires itself",
			"out":     "reset at the beginning of each Step",
			"asked":   "only sets a timer, which an explorer expires itself",
			"turn":    "an explorer sets it with the timer that it expires",
			"refused": "a metric", "outcomes": "a metric", "transfers": "a metric",
			"status": inKey, "view": inKey, "logView": inKey, "log": inKey, "journal": inKey,
			"missing": inKey, "untrusted": inKey, "lost": inKey, "checkpoint": inKey, "rebase": inKey,
			"below": inKey, "applied": inKey, "handed": inKey, "transfer": inKey,
			"commitMin": inKey, "commitMax": inKey, "executing": inKey,
			"appliedAt": "what applied says", "handedAt": "what handed says", "executed": inKey,
			"appending": inKey, "filling": inKey, "pipeline": inKey, "transition": inKey,
			"svcFrom": inKey, "votes": inKey, "vote": inKey, "merged": inKey,
			"startView": inKey, "timers": inKey, "reads": inKey,
			"queue": inKey, "stash": inKey,
		},
		reflect.TypeFor[transition](): {
			"phase": inKey, "view": inKey, "hasLog": inKey, "log": inKey,
			"apply": "a function of the input that began it, which the caller adds",
		},
		reflect.TypeFor[appending](): {
			"prepare": inKey, "stored": inKey, "requests": "what the prepare says",
		},
		reflect.TypeFor[inFlight](): {
			"id": inKey, "prepare": inKey, "oks": inKey, "requests": "what the prepare says",
		},
		reflect.TypeFor[merged](): {
			"log": inKey, "commit": inKey, "open": inKey, "blocked": inKey, "voters": inKey,
		},
		reflect.TypeFor[log]():     {"base": inKey, "headers": inKey},
		reflect.TypeFor[journal](): {"base": "the checkpoint's op", "stored": inKey},
		reflect.TypeFor[transfer](): {
			"stage": inKey, "target": inKey, "sender": inKey, "snapshot": inKey, "total": inKey,
			"stored": inKey, "storing": inKey, "timestamp": "what the target says",
		},
		reflect.TypeFor[rebase](): {
			"next": inKey, "to": inKey, "repeat": inKey, "repeating": inKey,
		},
		reflect.TypeFor[reads](): {
			"round": inKey, "oks": inKey, "next": inKey, "asked": inKey, "confirmed": inKey,
		},
		reflect.TypeFor[waitingRead](): {"id": inKey, "index": inKey},
		reflect.TypeFor[missing]():     {"faulty": inKey, "doubtful": inKey},
		reflect.TypeFor[timer](): {
			"base": "constant", "running": inKey, "left": inKey, "attempts": inKey,
		},
		reflect.TypeFor[Executed](): {"ID": inKey, "Result": inKey, "Results": inKey},
		reflect.TypeFor[RequestResult](): {
			"Client": inKey, "Number": inKey, "Operation": inKey, "RequestChecksum": inKey,
			"Body": inKey,
		},
		reflect.TypeFor[queue](): {"requests": inKey, "bytes": "that of the requests"},
	} {
		require.Len(t, fields, of.NumField(), "%v", of)
		for i := range of.NumField() {
			require.Contains(t, fields, of.Field(i).Name, "%v", of)
		}
	}
	require.Len(t, new(timers).all(), reflect.TypeFor[timers]().NumField())
}

func exploredReplica(t *testing.T, id wire.ReplicaID) *Replica {
	t.Helper()
	r, err := New(Config{
		Replica: id, ReplicaCount: 3, Timers: DefaultTimers(),
		Incarnation: wire.Incarnation{Lo: 1}, RecordEvents: true,
	}, Recovered{Formatted: true})
	require.NoError(t, err)
	r.ForgetTime()
	return r
}

func TestANamedTimerRunsOutAtOnceAndNoOther(t *testing.T) {
	t.Parallel()
	r := exploredReplica(t, 0)
	before := r.AppendKey(nil)
	require.Empty(t, r.Step(Expire{Timer: TimerNone}).Messages)
	out := r.Step(Expire{Timer: TimerCommit})
	require.Len(t, out.Messages, 2)
	require.IsType(t, &wire.Commit{}, out.Messages[0].Message)
	r.ForgetTime()
	require.Equal(t, before, r.AppendKey(nil), "a heartbeat changes nothing at its sender")
}

func TestTheKeyTellsStatesApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	r := exploredReplica(t, 1)
	note := func() {
		r.ForgetTime()
		key := string(r.AppendKey(nil))
		require.False(t, seen[key])
		seen[key] = true
		require.Equal(t, key, string(r.Clone().AppendKey(nil)))
	}
	note()
	r.Step(LeaveView{})
	note()
	r.Step(SuperblockStored{Superblock: Superblock{View: 1}})
	note()
	r.Step(Receive{Message: &wire.StartViewChange{View: 1, Replica: 2}})
	note()
	r.Step(Expire{Timer: TimerNone})
	note()
}
