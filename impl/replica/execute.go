package replica

import (
	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// prepared takes note of prepares on their way to the storage.
func (h *Host) prepared(prepares []vsr.StorePrepare) {
	standing := h.core.Standing()
	h.enters(standing.View)
	for _, p := range prepares {
		h.bodies.add(p.Prepare)
		if standing.Leads && !p.Fill && p.Prepare.Header.View == standing.View {
			h.preflight.Prepared(p.Prepare.Header.Op, statemachine.MessageOf(&p.Prepare.Header))
		}
	}
}

// enters forgets what was prepared in an earlier view: it may be gone, and the client would be told
// to wait for it. Forgetting does no harm: the table decides (R18).
func (h *Host) enters(view wire.View) {
	if h.view != view {
		h.view = view
		h.preflight.Reset()
	}
}

// execute runs the oldest op that the core wants executed. One that cannot be read goes back to
// the core, which repairs it (R6).
func (h *Host) execute() {
	id := h.executes[0]
	h.executes = h.executes[1:]
	p, err := h.body(id)
	if err != nil {
		h.inputs = append(h.inputs, vsr.NotExecuted{ID: id})
		return
	}
	answer := h.decide(p)
	h.counters.Executed++
	h.preflight.Executed(id.Op)
	if h.config.OnExecute != nil {
		h.config.OnExecute(&p.Header, answer)
	}
	h.inputs = append(h.inputs,
		vsr.Executed{ID: id, Result: statemachine.AppendAnswer(nil, answer)})
	h.executed(&p.Header)
}

// decide executes a prepare through the sessions, unless a defect gets around them.
func (h *Host) decide(p *wire.Prepare) clienttable.Answer {
	defects := h.storage.options.Defects
	answer := h.sessions.Decide(p)
	again := defects.Has(DefectExecuteTwice) && p.Header.Op%7 == 0
	if again || defects.Has(DefectNoSessions) && answer.Kind == clienttable.Replied &&
		answer.Op != p.Header.Op {
		h.sessions.Machine().Execute(p)
	}
	return answer
}
