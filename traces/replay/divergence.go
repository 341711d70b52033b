package replay

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
)

// handOver delivers a packet and remembers it as the one in hand.
func (d *driver) handOver(p sim.Packet) {
	d.inHand = fmt.Sprintf("%s from %s to %s, view %d", p.Message.Command(),
		replicaName(p.From), replicaName(p.To), p.Message.InView())
	d.cluster.Deliver(p)
}

// divergence tells at which step model and cores parted: the step with its line in the file,
// the message that was handed over last, what is wrong, and for each replica that differs
// both states side by side; where none does, those of the replica that took the step.
func (d *driver) divergence(e traces.Event, model []traces.ReplicaState, wrong string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "step %d (line %d): %s\n", e.Step, e.Line(), traces.Describe(e))
	inHand := d.inHand
	if inHand == "" {
		inHand = "no message"
	}
	fmt.Fprintf(&text, "in hand: %s\n%s\n", inHand, wrong)
	shown := false
	show := func(r int) {
		shown = true
		text.WriteString(traces.Columns(replicaName(r), "model", "cores", model[r],
			d.names.project(d.cluster.State(r))))
	}
	for r := range model {
		if len(traces.Diff(model[r], d.names.project(d.cluster.State(r)))) > 0 {
			show(r)
		}
	}
	if !shown && e.Replica < len(model) {
		show(e.Replica)
	}
	return text.String()
}
