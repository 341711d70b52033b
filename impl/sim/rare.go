package sim

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// rarely is what happens to a run with Options.Rare, and is too much or too seldom for all: one
// replica's disk tears or rots under a crash, checkpoints and executions take long, somebody asks
// for more than a peer serves. It is drawn from a source of its own: without it a run is the same.
type rarely struct {
	random random
	// loss says what one disk loses, replica whose it is, tick when at the earliest.
	loss          diskLoss
	replica, tick int
	// execute and checkpoint are how many of 1,000 take long, greedy how many ticks of 10,000
	// somebody asks for too much in.
	execute, checkpoint, greedy int
	// heldUntil is when each replica's own checkpoint may be written.
	heldUntil []int
}

// diskLoss is what a disk loses under a crash.
type diskLoss uint8

const (
	lossNone diskLoss = iota
	lossTail          // the newest prepares, and it is not known which (R14: torn)
	lossBody          // the body of one, of which the log tells (R14: rot)
)

// rareNames are what it is counted by.
var rareNames = []string{"lost_tail", "lost_body", "slow_execute", "slow_checkpoint", "greedy"}

// drawRare chooses what is rare in this run.
func (s *simulation) drawRare() {
	r := &s.rare
	r.heldUntil = make([]int, s.options.Replicas)
	if !s.options.Rare {
		return
	}
	r.random = newRandom(s.options.Seed ^ 0x72617265)
	r.replica, r.tick = r.random.IntN(s.options.Replicas), r.random.between(200, s.options.Ticks)
	if s.options.Replicas >= 3 { // fewer cannot go on without one
		r.loss = diskLoss(r.random.IntN(3))
	}
	r.execute = r.random.pick(0, 20, 100)
	r.checkpoint = r.random.pick(0, 200, 500)
	r.greedy = r.random.pick(0, 50)
	s.plan.words = append(s.plan.words, fmt.Sprintf("loss=%d slow_execute=%d slow_checkpoint=%d "+
		"greedy=%d", r.loss, r.execute, r.checkpoint, r.greedy))
}

// happensRarely injects what is rare and bound to no write.
func (s *simulation) happensRarely() {
	r := &s.rare
	if s.rarely("greedy", r.greedy, 10_000) {
		s.asksTooMuch()
	}
	if r.loss != lossNone && s.schedule.now >= r.tick {
		s.loseUnderACrash()
	}
}

// rarely is inject with the source of what is rare.
func (s *simulation) rarely(kind string, rate, outOf int) bool {
	if s.healed || !s.options.Rare || !s.rare.random.chance(rate, outOf) {
		return false
	}
	s.result.Injected[kind]++
	return true
}

// asksTooMuch sends a question for more prepares than any peer serves at once (R9).
func (s *simulation) asksTooMuch() {
	const ops = 4 * vsr.RepairWindow
	to := s.rare.random.IntN(s.options.Replicas)
	from := wire.ReplicaID((to + 1) % s.options.Replicas)
	m := &wire.RequestPrepares{
		Cluster: ClusterID, Replica: from, FromOp: s.check.disk(to).placed().base.Op + 1,
	}
	m.ToOp = m.FromOp + ops - 1
	for range ops {
		m.Wanted = append(m.Wanted, wire.AnyPrepare)
	}
	s.schedule.after(1, event{kind: eventPacket, replica: to, packet: Packet{
		From: int(from), To: to, Frame: wire.Encode(m), Message: m,
	}})
}

// loseUnderACrash takes something from the disk of a replica that crashes. It happens to one in a
// run: no other disk loses what this one has lost.
func (s *simulation) loseUnderACrash() {
	const lostMax = 4
	r := &s.rare
	d, count := s.check.disk(r.replica), r.random.between(1, lostMax)
	if s.cluster.Up(r.replica) {
		s.crash(r.replica)
	}
	lost := 0
	if r.loss == lossTail {
		lost = d.tear(count)
	} else if placed := d.placed(); len(placed.checksums) > 0 {
		op := placed.head() - wire.Op(r.random.IntN(min(lostMax, len(placed.checksums))))
		if !d.rot(op).IsZero() {
			lost = 1
		}
	}
	if lost == 0 {
		return // there is nothing yet
	}
	s.result.Injected["lost_"+[...]string{"", "tail", "body"}[r.loss]]++
	r.loss = lossNone
	s.check.loses(r.replica)
}

// slowExecution is how much longer an execution takes.
func (s *simulation) slowExecution() int {
	if s.rarely("slow_execute", s.rare.execute, 1000) {
		return s.rare.random.between(1, 100)
	}
	return 0
}

// holdCheckpoint lets the writes of an own checkpoint that begins take long at times.
func (s *simulation) holdCheckpoint(replica int) {
	if s.rarely("slow_checkpoint", s.rare.checkpoint, 1000) {
		s.rare.heldUntil[replica] = s.schedule.now + s.rare.random.between(20, 400)
	}
}

// held says for how many ticks the i-th write of a replica is held up: one of a checkpoint.
func (s *simulation) held(replica, i int) int {
	w := &s.cluster.members[replica].writes[i]
	if w.install || w.kind != writeSnapshot && w.kind != writePairing {
		return 0
	}
	return max(0, s.rare.heldUntil[replica]-s.schedule.now)
}

// tear takes the newest prepares that the log has after its last state record, at most count, and
// reports how many. The log cannot tell that they were there: it is in doubt until a state record
// ends that (R15).
func (d *disk) tear(count int) int {
	kept := len(d.records)
	for kept > 0 && len(d.records)-kept < count && d.records[kept-1].state == nil {
		kept--
	}
	torn := len(d.records) - kept
	clear(d.records[kept:])
	d.records, d.settled, d.torn = d.records[:kept], placement{}, torn > 0
	d.keepBodies()
	return torn
}

// inDoubt reports whether a boot would find the log in doubt (R15).
func (d *disk) inDoubt() bool {
	rotten := false
	for _, r := range d.records {
		if r.durable && r.state != nil && !r.state.Untrusted {
			rotten = false
		}
		rotten = rotten || r.rotten
	}
	return d.torn || rotten
}
