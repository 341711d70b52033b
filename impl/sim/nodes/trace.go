package nodes

import (
	"strconv"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// Judge takes the events of a run, one after the other, and returns in one line what is wrong with
// the last; nothing if nothing is.
type Judge func(e traces.Event) string

// modelled are the kinds of fault of which the model of traces knows what they come to. It has
// no checkpoint, and no log that may lack what was acknowledged (R15).
var modelled = []string{
	"lose", "duplicate", "delay", "corrupt", "partition", "clog", "filter", "skew", "kill",
	"kill_all", "slow_disk", "full_disk", "pause", "leave_view",
}

// modelledClientsMax bounds how much a run does that is held against the model.
const modelledClientsMax = 24

// modelledReplicasMax is the largest group that the model has.
const modelledReplicasMax = 5

// TraceHeader is the header of the trace of a run. spec is the hash of the specification's modules
// that the trace is to be judged by. Errors: options out of range.
func TraceHeader(options Options, spec string) (traces.Header, error) {
	options, err := options.withDefaults()
	if err != nil {
		return traces.Header{}, err
	}
	chances := newChances(options.Seed)
	return header(options, planFor(options, &chances), spec), nil
}

func header(o Options, p plan, spec string) traces.Header {
	h := record.Header(o.Seed, p.shape.replicas, spec)
	h.Groups = nil
	for i, policy := range p.shape.policies {
		g := traces.Group{ID: strconv.Itoa(i), Plane: "partition", Durability: "persisted"}
		if policy == vsr.PolicyReplicated {
			g.Durability = "replicated"
		}
		if p.shape.workloads[i] == (catalogue{}) {
			g.Plane = "metadata"
		}
		h.Groups = append(h.Groups, g)
	}
	return h
}

// recorder returns what takes the events of a replica; nil if nobody wants them.
func (s *simulation) recorder(p *process, group wire.GroupID) func(vsr.Event) {
	if s.options.Trace == nil && s.judge == nil {
		return nil
	}
	id := strconv.FormatUint(uint64(group), 10)
	return func(e vsr.Event) {
		if s.options.Trace != nil {
			s.options.Trace.RecordOf(id, p.id, e)
		}
		if s.judge == nil || e.Action == vsr.EventRefuse {
			return
		}
		event := record.Event(p.id, e)
		event.Group = id
		s.events++
		event.Step = s.events
		s.result.Actions[event.Action]++
		if wrong := s.judge(event); wrong != "" {
			s.fail(FailConform, "group %s: %s", id, wrong)
		}
	}
}
