package metadata_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/linearizability"
)

// catalogue is the machine as clients reach it: requests are executed one after the other, reads
// are answered from the state.
type catalogue interface {
	Execute(p *wire.Prepare) []byte
	QueryAs(user, code uint32, body []byte) ([]byte, protocol.Status)
}

// forgetful is a planted defect: it creates a name that exists already, by making room first.
type forgetful struct{ *metadata.Machine }

func (f forgetful) Execute(p *wire.Prepare) []byte {
	if p.Header.Operation == opCreateStream {
		deleted := &wire.Prepare{
			Header: wire.PrepareHeader{Operation: opDeleteStream},
			Body:   body(named(p.Body[1:])),
		}
		f.Machine.Execute(deleted)
	}
	return f.Machine.Execute(p)
}

// stale is another: reads see the state before the last op.
type stale struct{ now, before *metadata.Machine }

func (s *stale) Execute(p *wire.Prepare) []byte {
	if err := s.before.Restore(s.now.AppendSnapshot(nil)); err != nil {
		panic(err)
	}
	return s.now.Execute(p)
}

func (s *stale) QueryAs(user, code uint32, body []byte) ([]byte, protocol.Status) {
	return s.before.QueryAs(user, code, body)
}

// reusing gives ids anew: a name that was deleted has its old id again. Nothing of the machine
// can be made to do so, so the answers are changed on their way.
type reusing struct{ *metadata.Machine }

func (r reusing) Execute(p *wire.Prepare) []byte {
	reply := r.Machine.Execute(p)
	if p.Header.Operation == opCreateStream && len(reply) > 12 {
		binary.LittleEndian.PutUint32(reply[4:], 1)
	}
	return reply
}

// concurrent runs clients against the catalogue: each request is called, takes effect at some
// later step and returns at another, so that requests overlap in many ways; some never return.
func concurrent(
	t require.TestingT, c catalogue, seed uint64, requests int,
) *linearizability.History {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:forbidigo // Seeded by the test.
	h := &linearizability.History{
		Model: linearizability.Metadata, Unit: linearizability.Steps,
	}
	const clients = 4
	var open [clients]*linearizability.Operation
	var done [clients]bool
	numbers := [clients]int{0, 1, 2, 3}
	next := clients
	for step := int64(1); len(h.Operations) < requests; step++ {
		i := random.IntN(clients)
		o := open[i]
		switch {
		case o == nil:
			o = drawOperation(random)
			o.Client, o.Call, o.ID = numbers[i], step, uint64(step)
			open[i], done[i] = o, false
		case !done[i]:
			perform(t, c, o, uint64(step))
			done[i] = true
			if random.IntN(10) == 0 { // The answer is lost; the client goes on as another.
				o.Open, o.Output = true, linearizability.Output{}
				h.Operations = append(h.Operations, *o)
				open[i], numbers[i] = nil, next
				next++
			}
		default:
			o.Return = step
			h.Operations = append(h.Operations, *o)
			open[i] = nil
		}
	}
	for _, o := range open { // The run ends before they return.
		if o != nil {
			o.Open, o.Output = true, linearizability.Output{}
			h.Operations = append(h.Operations, *o)
		}
	}
	h.Sort()
	return h
}

func drawOperation(random *rand.Rand) *linearizability.Operation {
	o := &linearizability.Operation{Kind: []linearizability.Kind{
		linearizability.Create, linearizability.Create, linearizability.Delete,
		linearizability.Lookup, linearizability.NameOf,
	}[random.IntN(5)]}
	if o.Kind == linearizability.NameOf {
		o.Input.Number = linearizability.Int(1 + random.Int64N(8))
	} else {
		o.Input.Value = linearizability.Text(fmt.Sprintf("s%d", random.IntN(3)))
	}
	return o
}

// perform does an operation of the model on streams.
func perform(t require.TestingT, c catalogue, o *linearizability.Operation, now uint64) {
	name := o.Input.Value.Text
	execute := func(op wire.Operation, body []byte) (uint32, *parts) {
		code, payload := result(t, c.Execute(&wire.Prepare{
			Header: wire.PrepareHeader{Operation: op, Timestamp: now}, Body: body,
		}))
		return code, &parts{t: t, left: payload}
	}
	get := func(who any) (streamSeen, bool) {
		payload, code := c.QueryAs(metadata.RootID, codeGetStream, body(who))
		require.Zero(t, code)
		if len(payload) == 0 {
			return streamSeen{}, false
		}
		p := &parts{t: t, left: payload}
		return p.stream(), true
	}
	switch o.Kind {
	case linearizability.Create:
		if code, p := execute(opCreateStream, body(name)); code == 0 {
			o.Output.Number = linearizability.Int(int64(p.stream().id))
		} else {
			require.Equal(t, uint32(1012), code)
		}
	case linearizability.Delete:
		code, _ := execute(opDeleteStream, body(named(name)))
		o.Output.OK = code == 0
	case linearizability.Lookup:
		if s, found := get(named(name)); found {
			o.Output.Number = linearizability.Int(int64(s.id))
		}
	case linearizability.NameOf:
		if s, found := get(id(o.Input.Number.Value)); found {
			o.Output.Value = linearizability.Text(s.name)
		}
	}
}

func check(t require.TestingT, h *linearizability.History) linearizability.Report {
	report, err := linearizability.Check(context.Background(), h,
		linearizability.CheckOptions{Workers: 1})
	require.NoError(t, err)
	return report
}

func TestConcurrentRunsAreLinearizable(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		h := concurrent(t, metadata.New(metadata.DefaultLimits()), seed, 120)
		report := check(t, h)
		require.Equal(t, linearizability.Linearizable, report.Verdict,
			"seed %d: %s", seed, report.Summary())
	}
}

// The check can fail: each planted defect is found.
func TestPlantedDefectsAreViolations(t *testing.T) {
	t.Parallel()
	fresh := func() *metadata.Machine { return metadata.New(metadata.DefaultLimits()) }
	for name, defective := range map[string]func() catalogue{
		"create forgets that names are unique": func() catalogue { return forgetful{fresh()} },
		"reads are one op behind":              func() catalogue { return &stale{fresh(), fresh()} },
		"ids are given again":                  func() catalogue { return reusing{fresh()} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			violations := 0
			for seed := range uint64(10) {
				if check(t, concurrent(t, defective(), seed, 80)).Verdict ==
					linearizability.Violation {
					violations++
				}
			}
			assert.Positive(t, violations)
		})
	}
}
