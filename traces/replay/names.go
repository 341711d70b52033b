package replay

import (
	"slices"
	"strconv"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// names maps the core's checksums to the model's names of the same prepares, one to one.
type names struct {
	ofModel map[string]wire.Checksum
	ofCore  map[wire.Checksum]string
}

func newNames() names {
	return names{ofModel: map[string]wire.Checksum{}, ofCore: map[wire.Checksum]string{}}
}

// bind notes that the core's prepare is the model's entry.
func (n names) bind(model string, core wire.Checksum) {
	n.ofModel[model] = core
	n.ofCore[core] = model
}

// project returns a core's state in the model's words. What the model does not know (the
// incarnation) is left out.
func (n names) project(s vsr.State) traces.ReplicaState {
	out := traces.ReplicaState{
		Status: s.Status.String(), View: uint32(s.View), LogView: uint32(s.LogView),
		ViewDurable: uint32(s.ViewDurable), LogViewDurable: uint32(s.LogViewDurable),
		OpHead: uint64(s.OpHead), Contiguous: uint64(s.Contiguous),
		CommitMin: uint64(s.CommitMin), CommitMax: uint64(s.CommitMax), Stop: s.Stop.String(),
	}
	if s.OpHead > 0 {
		name, known := n.ofCore[s.HeadChecksum]
		if !known {
			name = s.HeadChecksum.String()
		}
		out.HeadChecksum = name
	}
	for _, op := range s.Hollow {
		out.Hollow = append(out.Hollow, uint64(op))
	}
	if s.PipelineFirst > 0 {
		out.Pipeline = []uint64{uint64(s.PipelineFirst), uint64(s.PipelineLast)}
	}
	if s.Stop == vsr.StopChecksumMismatch {
		out.Stop = vsr.StopMissingBody.String() // one reason in the model
	}
	return out
}

// expected returns what of the model's projection is compared.
func expected(s traces.ReplicaState) traces.ReplicaState {
	s.Incarnation = ""
	if s.Stop == traces.StopChecksumMismatch {
		s.Stop = traces.StopMissingBody
	}
	s.Hollow = slices.Clone(s.Hollow)
	return s
}

func replicaName(r int) string { return "r" + strconv.Itoa(r) }
