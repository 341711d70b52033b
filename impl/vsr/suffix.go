package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// DefaultSuffix is how many headers a StartView and a vote carry if Config.Suffix is zero.
const DefaultSuffix = 2 * PipelineMax

// suffixMax bounds the ops above the commit point of the primary that prepared them, so that
// each suffix fits into a frame. The pipeline is far smaller: a prepare beyond is no primary's.
const suffixMax = 1 << 16

// strays reports whether a prepare is further above its primary's commit point than any
// pipeline is long.
func strays(h *wire.PrepareHeader) bool { return h.Op-min(h.Op, h.Commit) > suffixMax }

// suffix returns the part of a log that a StartView or a vote carries: at least Config.Suffix
// headers, and all that may be uncommitted. That is what lies above commit, and above the
// commit point that the head's primary wrote into its header: hence the pipeline bounds it,
// whatever a replica has forgotten. R11; spec TransferLog StartViewOf.
func (r *Replica) suffix(l log, commit wire.Op) log {
	head := l.head()
	if l.has(head) {
		commit = max(commit, l.at(head).Commit)
	}
	wanted := wire.Op(r.config.Suffix)
	low := min(commit, head-min(head, wanted))
	return l.above(max(low, l.base.Op))
}

// newStartView is the log of this primary's view as it is now (R11).
func (r *Replica) newStartView(commit wire.Op) *wire.StartView {
	s := r.suffix(r.log, commit)
	return &wire.StartView{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Commit: max(commit, s.base.Op), Base: s.base,
		Headers: slices.Clone(s.headers),
	}
}

// logOfVote and logOfView are the suffixes that peers have sent.
func logOfVote(m *wire.DoViewChange) log { return log{base: m.Base, headers: m.Headers} }
func logOfView(m *wire.StartView) log    { return log{base: m.Base, headers: m.Headers} }
