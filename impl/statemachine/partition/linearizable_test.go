package partition_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/linearizability"
)

// defect is a lie that a run is told to tell, for the checkers to find.
type defect string

const (
	honest        defect = ""
	lostAppend    defect = "an append is confirmed and not executed"
	stalePoll     defect = "a linearizable poll is answered by a replica that lags"
	lostStore     defect = "an offset is confirmed and not stored"
	forgotDelete  defect = "a deletion is confirmed and not executed"
	lostTail      defect = "a replica that boots does not replay what lies above its checkpoint"
	staleGet      defect = "a stored offset is read from a replica that lags"
	repeatedPlant        = 4 // Every so manieth time.
)

// random is splitmix64.
type random uint64

func (r *random) n(below int) int {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(below))
}

// request is one that a client waits for: it takes effect at one moment and is answered later.
type request struct {
	linearizability.Operation
	model          linearizability.Model
	operation      wire.Operation
	body           []byte
	effect, answer int64
	// replica serves a poll that may be stale; never: it takes no effect. What was refused
	// has none either, and the histories have no word for it.
	replica        int
	never, refused bool
}

// run is one group under concurrent clients.
type run struct {
	t        *testing.T
	random   random
	defect   defect
	now      int64
	log      []*wire.Prepare
	replicas [3]*partition.Machine
	applied  [3]int
	primary  int
	// disk and checkpoint are those of replica 1.
	disk         *memdisk.Disk
	snapshot     []byte
	checkpointed int
	waiting      map[int]*request
	numbers      []int // The number that each client goes under.
	nextNumber   int
	known        int64 // An offset that some answer has shown; -1 before.
	lies         int
	histories    map[linearizability.Model]*linearizability.History
}

const clients = 5

func newRun(t *testing.T, seed int, d defect) *run {
	r := &run{
		t: t, random: random(seed), defect: d, disk: memdisk.New(uint64(seed)), known: -1,
		waiting: map[int]*request{}, nextNumber: clients,
		histories: map[linearizability.Model]*linearizability.History{},
	}
	for _, m := range []linearizability.Model{linearizability.Partition, linearizability.Offsets} {
		r.histories[m] = &linearizability.History{Model: m, Unit: linearizability.Steps}
	}
	for i := range clients {
		r.numbers = append(r.numbers, i)
	}
	r.replicas = [3]*partition.Machine{
		partition.New(config(nil)), partition.New(config(r.disk)), partition.New(config(nil)),
	}
	return r
}

// lie says whether to tell one now.
func (r *run) lie(d defect) bool {
	if r.defect != d {
		return false
	}
	r.lies++
	return r.lies%repeatedPlant == 0
}

// drive lets clients issue so many requests.
func (r *run) drive(requests int) {
	for issued := 0; issued < requests || len(r.waiting) > 0; r.now++ {
		client := r.random.n(clients)
		if r.waiting[client] == nil && issued < requests {
			r.waiting[client] = r.draw(client, issued)
			issued++
		}
		for c := range clients {
			if w := r.waiting[c]; w != nil {
				r.progress(c, w)
			}
		}
		r.disturb()
	}
}

// draw makes a request.
func (r *run) draw(client, id int) *request {
	w := &request{replica: -1, never: r.random.n(25) == 0}
	w.Client, w.ID, w.Call = r.numbers[client], uint64(id), r.now
	w.effect = r.now + int64(r.random.n(12))
	w.answer = w.effect + int64(r.random.n(12))
	w.Open = w.never || r.random.n(15) == 0
	name := []string{"a", "b"}[r.random.n(2)]
	w.model, w.Key = linearizability.Offsets, name
	switch kind := r.random.n(8); {
	case kind < 3 || r.known < 0:
		payload := fmt.Sprintf("message %d%*d", id, 1+r.random.n(300), 0)
		w.model, w.Key, w.Kind = linearizability.Partition, "partition", linearizability.Append
		w.Input.Value = linearizability.Text(payload)
		w.operation, w.body = protocol.OperationSend, sendBody(r.t, payload)
	case kind < 5:
		w.model, w.Key, w.Kind = linearizability.Partition, "partition", linearizability.Poll
		w.Input.Number = linearizability.Int(int64(r.random.n(int(r.known) + 2)))
		w.Input.Max = linearizability.Int(int64(1 + r.random.n(5)))
		if client == 0 { // It reads what one replica has, and nothing else.
			w.replica, w.Input.Level = 2, linearizability.LevelSerializable
		}
	case kind == 5:
		offset := r.random.n(int(r.known) + 1)
		w.Kind, w.Input.Number = linearizability.StoreOffset, linearizability.Int(int64(offset))
		w.operation, w.body = protocol.OperationStoreOffset, storeBody(name, uint64(offset))
	case kind == 6:
		w.Kind = linearizability.GetOffset
	default:
		w.Kind, w.operation, w.body = linearizability.DeleteOffset, protocol.OperationDeleteOffset,
			deleteBody(name)
	}
	return w
}

// progress lets a request take effect, and be answered.
func (r *run) progress(client int, w *request) {
	if r.now == w.effect && !w.never {
		r.take(w)
	}
	if r.now < w.answer {
		return
	}
	if w.Open {
		w.Output = linearizability.Output{}
		r.numbers[client] = r.nextNumber // It goes on as somebody else.
		r.nextNumber++
	} else {
		w.Return = r.now
	}
	if h := r.histories[w.model]; !w.refused {
		h.Operations = append(h.Operations, w.Operation)
	}
	delete(r.waiting, client)
}

// take lets a request take effect.
func (r *run) take(w *request) {
	lagging := r.replicas[(r.primary+1)%3]
	m := r.replicas[r.primary]
	switch w.Kind {
	case linearizability.Append:
		offset := confirmed(r.t, r.commit(w, lostAppend))
		r.known = max(r.known, offset)
		w.Output.Number = linearizability.Int(offset)
	case linearizability.StoreOffset:
		if status(r.t, r.commit(w, lostStore)) != protocol.StatusOK {
			require.NotEqual(r.t, honest, r.defect, "an offset that was there is refused")
			w.refused = true
		}
	case linearizability.DeleteOffset:
		w.Output.OK = status(r.t, r.commit(w, forgotDelete)) == protocol.StatusOK
	case linearizability.GetOffset:
		if r.lie(staleGet) {
			m = lagging
		}
		if got := storedBy(r.t, m, w.Key); got >= 0 {
			w.Output.Number = linearizability.Int(got)
		}
	case linearizability.Poll:
		if w.replica >= 0 {
			m = r.replicas[w.replica]
		} else if r.lie(stalePoll) {
			m = lagging
		}
		got := poll(r.t, m, protocol.FromOffset, uint64(w.Input.Number.Value),
			uint32(w.Input.Max.Value))
		require.NoError(r.t, m.Unreadable())
		w.Output.Values = append([]string{}, got.payloads...)
	}
}

// commit executes a request at the primary; if it lies, on a copy that nobody sees again.
func (r *run) commit(w *request, d defect) []byte {
	p := prepare(wire.Op(len(r.log)+1), uint64(r.now), w.operation, w.body)
	if r.lie(d) {
		scratch := partition.New(config(nil))
		for _, done := range r.log {
			scratch.Execute(done)
		}
		return scratch.Execute(p)
	}
	r.log = append(r.log, p)
	r.applied[r.primary]++
	return r.replicas[r.primary].Execute(p)
}

func (r *run) catchUp(replica, to int) {
	for r.applied[replica] < to {
		r.replicas[replica].Execute(r.log[r.applied[replica]])
		r.applied[replica]++
	}
}

// disturb lets something happen that clients must not notice.
func (r *run) disturb() {
	replica := r.random.n(3)
	switch r.random.n(12) {
	case 0, 1:
		r.catchUp(replica, min(len(r.log), r.applied[replica]+1+r.random.n(3)))
	case 2: // Another primary, which holds all that is committed.
		r.catchUp(replica, len(r.log))
		r.primary = replica
	case 3:
		require.NoError(r.t, r.replicas[1].Materialise())
	case 4:
		if r.random.n(3) == 0 {
			r.snapshot, r.checkpointed = checkpointed(r.t, r.replicas[1]), r.applied[1]
		}
	case 5:
		r.reboot()
	}
}

// reboot kills replica 1. It is back, with all it had, before it answers.
func (r *run) reboot() {
	r.disk.Kill()
	r.replicas[1] = partition.New(config(r.disk))
	if r.snapshot != nil {
		require.NoError(r.t, r.replicas[1].Restore(r.snapshot))
	}
	had := r.applied[1]
	r.applied[1] = r.checkpointed
	if r.lie(lostTail) {
		r.applied[1] = had // And does not know.
	}
	r.catchUp(1, had)
}

// verdicts drives a run and judges both of its histories.
func verdicts(t *testing.T, seed int, d defect) (partitions, offsets linearizability.Verdict) {
	r := newRun(t, seed, d)
	r.drive(80)
	for _, m := range r.replicas {
		require.NoError(t, m.Close())
	}
	judge := func(m linearizability.Model) linearizability.Verdict {
		h := r.histories[m]
		h.Sort()
		report, err := linearizability.Check(context.Background(), h, linearizability.CheckOptions{
			Workers: 1, StepsMax: 1 << 20, SkipWitness: true,
		})
		require.NoError(t, err, "seed %d", seed)
		return report.Verdict
	}
	return judge(linearizability.Partition), judge(linearizability.Offsets)
}

// What concurrent clients see, through failovers, crashes, checkpoints and lost answers, is one
// log and one offset for each consumer.
func TestClientsSeeOneLog(t *testing.T) {
	t.Parallel()
	for seed := range 60 {
		log, offsets := verdicts(t, seed, honest)
		require.Equal(t, linearizability.Linearizable, log, "the log, seed %d", seed)
		require.Equal(t, linearizability.Linearizable, offsets, "the offsets, seed %d", seed)
	}
}

// Negative controls: each lie is found.
func TestTheCheckersNoticeALie(t *testing.T) {
	t.Parallel()
	for _, d := range []defect{
		lostAppend, stalePoll, lostStore, forgotDelete, lostTail, staleGet,
	} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			found, runs := 0, 12
			for seed := range runs {
				log, offsets := verdicts(t, seed, d)
				if log == linearizability.Violation || offsets == linearizability.Violation {
					found++
				}
			}
			assert.Positive(t, found)
			t.Logf("%d of %d runs", found, runs)
		})
	}
}
