package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// diagram collects the lines of a sequence diagram.
type diagram struct {
	comments map[string]spec.ActionComment
	body     strings.Builder
	named    map[string]bool
	last     string // Who acted last.
}

// everyone acts where an action names no replica.
const everyone = "system"

// participants returns who takes part, in order.
func (d *diagram) participants() []string { return slices.Sorted(maps.Keys(d.named)) }

// actor returns who does the action: the first parameter that is a replica.
func (d *diagram) actor(label string) string {
	name, arguments := splitLabel(label)
	for i, parameter := range d.comments[name].Parameters {
		if i < len(arguments) && replicaParameters[parameter] && isNumber(arguments[i]) {
			return "r" + arguments[i]
		}
	}
	return everyone
}

func (d *diagram) message(from, to, text string) {
	d.named[from], d.named[to], d.last = true, true, to
	fmt.Fprintf(&d.body, "  %s->>%s: %s\n", from, to, mermaidText(text))
}

func (d *diagram) note(who, text string) {
	if who == "" {
		who = everyone
	}
	d.named[who], d.last = true, who
	fmt.Fprintf(&d.body, "  Note over %s: %s\n", who, mermaidText(text))
}

// vsrMessage says which message an action of module VSR takes or sends, from the state
// before it. Actions that concern one replica alone have none.
func vsrMessage(before *vsr.State, label string) (from, to, text string, ok bool) {
	name, arguments := splitLabel(label)
	if len(arguments) == 0 {
		return "", "", "", false
	}
	self, err := strconv.Atoi(arguments[0])
	if err != nil {
		return "", "", "", false
	}
	replica := func(r int) string { return fmt.Sprintf("r%d", r) }
	primary := func(v int) string { return replica(v % vsr.N) }
	own := int(before.View(self))
	switch name {
	case traces.ActionClientRequest:
		return "client", replica(self), "request", true
	case traces.ActionReceivePrepare:
		return primary(own), replica(self), fmt.Sprintf("Prepare (view %d)", own), true
	case traces.ActionReceiveCommit:
		return primary(own), replica(self), "Commit " + arguments[1], true
	case traces.ActionSendDoViewChange:
		return replica(self), primary(own), fmt.Sprintf("DoViewChange (view %d)", own), true
	case traces.ActionReceiveStartView:
		started, err := strconv.Atoi(arguments[1])
		return primary(started), replica(self), fmt.Sprintf("StartView (view %d)", started),
			err == nil
	case traces.ActionAnswerProbe:
		return replica(self), "r" + arguments[1], "StartView (answer to a probe)", true
	}
	return "", "", "", false
}
