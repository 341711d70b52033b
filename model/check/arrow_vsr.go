package check

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// vsrMessage draws the message that an action of module VSR takes or sends, from the
// state before it. Actions that concern one replica alone have none.
func vsrMessage(before *vsr.State, label string) (explore.Arrow, bool) {
	name, arguments := splitLabel(label)
	if len(arguments) == 0 {
		return explore.Arrow{}, false
	}
	self, err := strconv.Atoi(arguments[0])
	if err != nil || self >= before.Replicas() {
		return explore.Arrow{}, false
	}
	replica := func(r int) string { return fmt.Sprintf("r%d", r) }
	primary := func(v int) string { return replica(v % before.Replicas()) }
	own := int(before.View(self))
	a := explore.Arrow{From: primary(own), To: replica(self)}
	switch name {
	case traces.ActionClientRequest:
		a.From, a.Text = "client", "request"
	case traces.ActionReceivePrepare:
		a.Text = fmt.Sprintf("Prepare (view %d)", own)
	case traces.ActionReceiveCommit:
		a.Text = "Commit " + arguments[1]
	case traces.ActionSendDoViewChange:
		a.From, a.To = replica(self), primary(own)
		a.Text = fmt.Sprintf("DoViewChange (view %d)", own)
	case traces.ActionReceiveStartView, traces.ActionRecover:
		started, err := strconv.Atoi(arguments[1])
		if err != nil {
			return explore.Arrow{}, false
		}
		a.From, a.Text = primary(started), fmt.Sprintf("StartView (view %d)", started)
	default:
		return explore.Arrow{}, false
	}
	return a, true
}
