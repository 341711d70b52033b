package record

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// Event translates one event of a replica. Its step is left to whoever numbers the trace. What
// is no action of the schema, such as a checkpoint, is a stutter.
func Event(replica int, e vsr.Event) traces.Event {
	action := string(e.Action)
	return traces.Event{
		Group: Group, Replica: replica, Action: action,
		Stutter: e.Stutter || !traces.ValidAction(action),
		Args:    args(&e), After: State(e.After),
	}
}

func args(e *vsr.Event) traces.Args {
	a := traces.Args{
		Op: uint64(e.Op), Checksum: hex(wire.Uint128(e.Checksum)), View: uint32(e.View),
		Commit: uint64(e.Commit), Request: uint64(e.Request), Quorum: slices.Clone(e.Quorum),
		Incarnation: hex(wire.Uint128(e.Incarnation)),
	}
	if e.HasFrom && e.Reason != vsr.RefuseSender { // that one is no other replica of the group
		a.From = replicaOf(e.From)
	}
	if e.HasTo {
		a.To = replicaOf(e.To)
	}
	if e.Class != 0 {
		a.Class = e.Class.String()
	}
	if e.Reason != 0 {
		a.Reason = e.Reason.String()
	}
	return a
}

func replicaOf(id wire.ReplicaID) *int {
	replica := int(id)
	return &replica
}

// hex returns 32 digits; nothing for zero, which means "none".
func hex(u wire.Uint128) string {
	if u.IsZero() {
		return ""
	}
	return u.String()
}

// State translates the projection of a replica.
func State(s vsr.State) traces.ReplicaState {
	state := traces.ReplicaState{
		Status: s.Status.String(), View: uint32(s.View), LogView: uint32(s.LogView),
		ViewDurable: uint32(s.ViewDurable), LogViewDurable: uint32(s.LogViewDurable),
		OpHead: uint64(s.OpHead), HeadChecksum: hex(wire.Uint128(s.HeadChecksum)),
		Contiguous: uint64(s.Contiguous), CommitMin: uint64(s.CommitMin),
		CommitMax: uint64(s.CommitMax), Incarnation: hex(wire.Uint128(s.Incarnation)),
		Stop: s.Stop.String(),
	}
	for _, op := range s.Hollow {
		state.Hollow = append(state.Hollow, uint64(op))
	}
	if s.PipelineLast != 0 {
		state.Pipeline = []uint64{uint64(s.PipelineFirst), uint64(s.PipelineLast)}
	}
	return state
}
