package replay

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// ticksMax bounds how long a replica is left to ask for what it lacks.
const ticksMax = 400

// never is a period that no replay reaches: the driver starts view changes itself.
const never = 1 << 30

// driver carries out a model's actions on real cores.
type driver struct {
	cluster *sim.Cluster
	names   names
	// happened are the actions that the cores took since the last step.
	happened []happened
	// inHand is the message that was delivered last in this step, as text; empty if none was.
	inHand string
}

type happened struct {
	replica int
	event   vsr.Event
}

func newDriver(replicas int) (*driver, error) {
	d := &driver{names: newNames()}
	cluster, err := sim.NewCluster(sim.Config{
		Seed: 1, Replicas: replicas, Machine: statemachine.NewRegister,
		Timers: vsr.Timers{
			PrepareTicks: never, CommitTicks: 1, HeartbeatTicks: never, ViewChangeTicks: never,
			ViewChangeStatusTicks: never, ProbeTicks: 1, RepairTicks: 1,
		},
		OnEvent: func(replica int, event vsr.Event) {
			if !event.Stutter {
				d.happened = append(d.happened, happened{replica, event})
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("set up cluster: %w", err)
	}
	d.cluster = cluster
	return d, nil
}

// drive carries out one event. The error says why the cores would not.
func (d *driver) drive(e traces.Event) error {
	d.happened, d.inHand = d.happened[:0], ""
	action, known := actions[e.Action]
	if !known {
		return fmt.Errorf("no core takes %s", e.Action)
	}
	if err := action(d, e.Replica, e.Args); err != nil {
		return err
	}
	for _, h := range d.happened {
		if h.replica == e.Replica && string(h.event.Action) == e.Action {
			d.trim()
			return nil
		}
	}
	return fmt.Errorf("%s did not happen at %s", e.Action, replicaName(e.Replica))
}

// trim drops packets that repeat an earlier one to the byte.
func (d *driver) trim() {
	seen := map[string]bool{}
	var repeated []int
	for _, p := range d.cluster.Packets() {
		key := fmt.Sprintf("%d %s", p.To, p.Frame)
		if seen[key] {
			repeated = append(repeated, p.Number)
		}
		seen[key] = true
	}
	for _, number := range repeated {
		d.cluster.Drop(number)
	}
}

// finishWrites finishes all writes of a replica, and those that follow from them.
func (d *driver) finishWrites(r int) {
	for d.cluster.Writes(r) > 0 {
		d.cluster.FinishWrite(r, 0)
	}
}

// find returns the oldest packet to a replica that satisfies want.
func (d *driver) find(to int, want func(wire.Message) bool) (sim.Packet, bool) {
	for _, p := range d.cluster.Packets() {
		if p.To == to && want(p.Message) {
			return p, true
		}
	}
	return sim.Packet{}, false
}

// deliver hands over the oldest packet that satisfies want and finishes the writes it causes.
func (d *driver) deliver(to int, what string, want func(wire.Message) bool) error {
	p, ok := d.find(to, want)
	if !ok {
		return fmt.Errorf("no %s is under way to %s", what, replicaName(to))
	}
	d.handOver(p)
	d.finishWrites(to)
	return nil
}

// tickUntil lets time pass at one replica until a packet to some replica satisfies want.
func (d *driver) tickUntil(
	r int, what string, to []int, want func(wire.Message) bool,
) (sim.Packet, error) {
	for range ticksMax {
		for _, receiver := range to {
			if p, ok := d.find(receiver, want); ok {
				return p, nil
			}
		}
		d.cluster.Input(r, vsr.Tick{})
	}
	return sim.Packet{}, fmt.Errorf("%s sends no %s in %d ticks", replicaName(r), what, ticksMax)
}

// others lists the replicas but one.
func (d *driver) others(r int) []int {
	var out []int
	for i := range d.cluster.Replicas() {
		if i != r {
			out = append(out, i)
		}
	}
	return out
}
