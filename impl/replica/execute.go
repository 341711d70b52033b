package replica

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// prepared takes note of prepares on their way to the storage.
func (h *Host) prepared(prepares []vsr.StorePrepare) {
	standing := h.core.Standing()
	h.noteView(standing.View)
	for _, p := range prepares {
		h.bodies.add(p.Prepare)
		if standing.Leads && !p.Fill && p.Prepare.Header.View == standing.View {
			h.noteUnderWay(p.Prepare)
		}
	}
}

// noteView forgets what was under way in an earlier view: the log of this one may not have it. It
// may forget too much, as the table decides (R18).
func (h *Host) noteView(view wire.View) {
	if h.view != view {
		h.view = view
		h.preflight.Reset()
	}
}

// noteUnderWay notes the requests of a prepare as under way.
func (h *Host) noteUnderWay(p *wire.Prepare) {
	err := wire.EachRequest(p, func(q *wire.Prepare) {
		h.preflight.Prepared(q.Header.Op, statemachine.MessageOf(&q.Header))
	})
	if err != nil {
		panic(fmt.Sprintf("replica: a prepare of this host: %v", err)) // it was made by the core
	}
}

// answerBytes is how much room an answer to a request of a batch takes at first: most are short.
const answerBytes = 96

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
	done := vsr.Executed{ID: id}
	h.answers = h.answers[:0]
	var bytes []byte // The answers to a batch, one behind the other.
	batch := p.Header.Operation == wire.OperationBatch
	if n := wire.RequestsOf(p); batch {
		done.Results = make([]vsr.RequestResult, 0, n)
		bytes = make([]byte, 0, n*answerBytes)
	}
	h.sessions.Decide(p, func(q *wire.Prepare, answer clienttable.Answer) {
		h.breakRules(q, answer)
		h.preflight.Executed(id.Op, statemachine.MessageOf(&q.Header))
		h.answers = append(h.answers, answer)
		if batch {
			start := len(bytes)
			bytes = statemachine.AppendAnswer(bytes, answer)
			done.Results = append(done.Results, vsr.ResultOf(q, bytes[start:len(bytes):len(bytes)]))
			return
		}
		done.Result = statemachine.AppendAnswer(nil, answer)
	})
	h.counters.Executed++
	h.counters.Requests += uint64(len(h.answers))
	if h.config.OnExecute != nil {
		h.config.OnExecute(&p.Header, h.answers)
	}
	h.inputs = append(h.inputs, done)
	h.executed(&p.Header)
}

// breakRules gets around the sessions if a defect says so.
func (h *Host) breakRules(p *wire.Prepare, answer clienttable.Answer) {
	defects := h.storage.options.Defects
	again := defects.Has(DefectExecuteTwice) && p.Header.Op%7 == 0
	if again || defects.Has(DefectNoSessions) && answer.Kind == clienttable.Replied &&
		answer.Op != p.Header.Op {
		h.sessions.Machine().Execute(p)
	}
}
