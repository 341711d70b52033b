package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// sized is a chain of prepares with bodies of these many bytes.
func sized(bytes ...int) []*wire.Prepare {
	var out []*wire.Prepare
	parent := wire.Checksum{}
	for i, n := range bytes {
		p := &wire.Prepare{Body: make([]byte, n), Header: wire.PrepareHeader{
			Op: wire.Op(i + 1), Parent: parent, Operation: 240, Client: wire.ClientID{Lo: 1},
		}}
		p.Seal()
		parent = p.Header.Checksum
		out = append(out, p)
	}
	return out
}

// limitedBackup is r1 of view 0 with these limits of repair.
func limitedBackup(t *testing.T, ops, bytes int) *Replica {
	t.Helper()
	r, err := New(Config{
		Replica: 1, ReplicaCount: 3, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
		Limits: Limits{RepairOps: ops, RepairBytes: bytes},
	}, Recovered{Formatted: true})
	require.NoError(t, err)
	return r
}

// A peer may ask for what it likes; what is read for it is bounded, in ops and in bytes (R9).
func TestWhatIsServedIsBounded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ops, bytes int
		bodies     []int
		skip       int // the first are not asked for
		want       []wire.Op
	}{
		"all that is asked for":              {8, 100, []int{10, 10, 10}, 0, []wire.Op{1, 2, 3}},
		"as many ops as may be":              {2, 100, []int{10, 10, 10}, 0, []wire.Op{1, 2}},
		"as many bytes as may be":            {8, 20, []int{10, 10, 10}, 0, []wire.Op{1, 2}},
		"not a byte more":                    {8, 20, []int{10, 11, 1}, 0, []wire.Op{1}},
		"the first, whatever its size":       {8, 20, []int{500, 1}, 0, []wire.Op{1}},
		"... wherever the question begins":   {8, 20, []int{1, 500, 1}, 1, []wire.Op{2}},
		"what is not wanted takes no room":   {1, 20, []int{10, 10, 10}, 2, []wire.Op{3}},
		"bodies of no bytes count as ops":    {2, 20, []int{0, 0, 0}, 0, []wire.Op{1, 2}},
		"the defaults, where nothing is set": {0, 0, make([]int, 40), 0, firstOps(RepairWindow)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := limitedBackup(t, tc.ops, tc.bytes)
			ask := &wire.RequestPrepares{Replica: 2, FromOp: 1, ToOp: wire.Op(len(tc.bodies))}
			for i, p := range sized(tc.bodies...) {
				r.Step(Receive{Message: p})
				r.Step(PrepareStored{ID: p.Header.ID()})
				if ask.Wanted = append(ask.Wanted, p.Header.Checksum); i < tc.skip {
					ask.Wanted[i] = wire.NoPrepare
				}
			}
			out := r.Step(Receive{Message: ask})
			require.Len(t, out.Reads, 1)
			var ops []wire.Op
			for _, id := range out.Reads[0].IDs {
				ops = append(ops, id.Op)
			}
			require.Equal(t, tc.want, ops)
		})
	}
}

func firstOps(n wire.Op) []wire.Op {
	var ops []wire.Op
	for op := wire.Op(1); op <= n; op++ {
		ops = append(ops, op)
	}
	return ops
}

// The log does not tell the size of a body that a view change has superseded.
func TestASupersededBodyIsServedAlone(t *testing.T) {
	t.Parallel()
	r := limitedBackup(t, 8, 1000)
	old, next := sized(10)[0], sized(11)[0]
	r.journal.add(old.Header.ID())
	r.journal.add(next.Header.ID())
	r.log.headers = []wire.PrepareHeader{next.Header}
	ask := &wire.RequestPrepares{Replica: 2, FromOp: 1, ToOp: 1}
	ask.Wanted = []wire.Checksum{old.Header.Checksum}
	require.Len(t, r.Step(Receive{Message: ask}).Reads, 1)
	require.Equal(t, 1000, r.bytesToServe(old.Header.ID()))
	require.Equal(t, 11, r.bytesToServe(next.Header.ID()))
}

// hollowBackup is r1, whose log has the headers of a chain and no body.
func hollowBackup(t *testing.T, ops, bytes int, chain []*wire.Prepare) *Replica {
	t.Helper()
	r := limitedBackup(t, ops, bytes)
	for _, p := range chain {
		r.log.headers = append(r.log.headers, p.Header)
	}
	return r
}

func asked(t *testing.T, out Output) *wire.RequestPrepares {
	t.Helper()
	for _, m := range out.Messages {
		if ask, ok := m.Message.(*wire.RequestPrepares); ok {
			return ask
		}
	}
	return nil
}

func TestWhatIsAskedForIsBounded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ops, bytes int
		bodies     []int
		want       wire.Op // the last
	}{
		"up to the head":                 {8, 100, []int{10, 10, 10}, 3},
		"as many ops as may be":          {2, 100, []int{10, 10, 10}, 2},
		"as many bytes as may be":        {8, 25, []int{10, 10, 10}, 2},
		"the first, whatever its size":   {8, 25, []int{500, 10}, 1},
		"a whole window of empty bodies": {0, 0, make([]int, 50), RepairWindow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := hollowBackup(t, tc.ops, tc.bytes, sized(tc.bodies...))
			ask := asked(t, r.Step(Expire{Timer: TimerRepair}))
			require.NotNil(t, ask)
			require.Equal(t, wire.Op(1), ask.FromOp)
			require.Equal(t, tc.want, ask.ToOp)
			require.Len(t, ask.Wanted, int(tc.want))
		})
	}
}

// A replica that is far behind asks for window after window, at the speed of its disk and not of
// its timer, of the same peer, as long as that answers.
func TestTheNextWindowIsAskedForWhenThisOneIsStored(t *testing.T) {
	t.Parallel()
	chain := sized(make([]int, 10)...)
	r := hollowBackup(t, 4, 0, chain)
	r.timers.rearm(r)
	r.timers.heartbeat.stop()
	var froms []wire.Op
	for ticks := 0; len(r.State().Hollow) > 0; ticks++ {
		require.Less(t, ticks, DefaultTimers().RepairTicks*2, "it waits for its timer")
		out := r.Step(Tick{})
		ask := asked(t, out)
		if ask == nil {
			continue
		}
		require.Equal(t, wire.ReplicaID(0), out.Messages[0].To)
		froms = append(froms, ask.FromOp)
		for op := ask.FromOp; op <= ask.ToOp; op++ {
			r.Step(Receive{Message: &wire.RepairPrepare{Prepare: *chain[op-1]}})
			r.Step(PrepareStored{ID: chain[op-1].Header.ID()})
		}
	}
	require.Equal(t, []wire.Op{1, 5, 9}, froms)
}

// If the last of a window is lost, or the peer serves less, the timer asks again, another peer
// each time until something comes.
func TestAWindowThatDoesNotComeIsAskedForAgain(t *testing.T) {
	t.Parallel()
	chain := sized(make([]int, 6)...)
	r := hollowBackup(t, 4, 0, chain)
	r.timers.rearm(r)
	r.timers.heartbeat.stop()
	var to []wire.ReplicaID
	var froms []wire.Op
	for ticks := 0; len(to) < 4; ticks++ {
		require.Less(t, ticks, 5000)
		out := r.Step(Tick{})
		if ask := asked(t, out); ask != nil {
			to, froms = append(to, out.Messages[0].To), append(froms, ask.FromOp)
			if len(to) == 3 { // the first half of the window comes
				for _, p := range chain[:2] {
					r.Step(Receive{Message: &wire.RepairPrepare{Prepare: *p}})
					r.Step(PrepareStored{ID: p.Header.ID()})
				}
				require.LessOrEqual(t, r.timers.repair.left, DefaultTimers().RepairTicks)
			}
		}
	}
	require.Equal(t, []wire.ReplicaID{0, 2, 0, 0}, to, "in turn, then whom there was progress with")
	require.Equal(t, []wire.Op{1, 1, 1, 3}, froms)
}
