package node

import (
	"cmp"
	"context"
	"slices"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Status is what a process says of itself, as /status shows it.
type Status struct {
	Cluster  string         `json:"cluster"`
	Replica  wire.ReplicaID `json:"replica"`
	Replicas int            `json:"replicas"`
	// Ready says that a client's request has a good chance to commit.
	Ready bool `json:"ready"`
	// StorageFull says that requests are refused until there is room again.
	StorageFull bool           `json:"storage_full"`
	Peers       []PeerStatus   `json:"peers"`
	Groups      []GroupStatus  `json:"groups"`
	Recovery    RecoveryStatus `json:"recovery"`
}

// PeerStatus is the connection to another replica.
type PeerStatus struct {
	Replica   wire.ReplicaID `json:"replica"`
	Connected bool           `json:"connected"`
}

// GroupStatus is one group's replica.
type GroupStatus struct {
	Group     wire.GroupID   `json:"group"`
	Status    string         `json:"status"`
	View      wire.View      `json:"view"`
	LogView   wire.View      `json:"log_view"`
	Primary   wire.ReplicaID `json:"primary"`
	Head      wire.Op        `json:"op_head"`
	CommitMin wire.Op        `json:"commit_min"`
	CommitMax wire.Op        `json:"commit_max"`
	// Stop is why the commit walk stands where it does (R5).
	Stop string `json:"stop"`
	// Untrusted says that the log may lack what this replica acknowledged (R15).
	Untrusted bool `json:"untrusted"`
	// Wiped says that the replica has lost its disk and takes no part in any quorum yet; it has
	// withheld so many parts in view changes since (R16).
	Wiped    bool   `json:"wiped"`
	Withheld uint64 `json:"withheld_votes"`
	// Waiting requests have no reply yet.
	Waiting  int    `json:"waiting"`
	Executed uint64 `json:"executed"`
	// Discarded records were found at the boot without a place in the log.
	Discarded int `json:"discarded_records"`

	refused map[replica.Refusal]uint64
}

// RecoveryStatus is what the boot found in the write-ahead log.
type RecoveryStatus struct {
	// Discarded are byte ranges that were not adopted, each with its reason (R14).
	Discarded      []DiscardStatus `json:"discarded"`
	DiscardedBytes int64           `json:"discarded_bytes"`
}

// DiscardStatus is one such range.
type DiscardStatus struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// Status asks each shard where its groups stand. The groups rise.
//
// Errors: the context ends before a shard has answered.
func (n *Node) Status(ctx context.Context) (Status, error) {
	s := Status{
		Cluster: n.config.Cluster.Name, Replica: n.replica, Replicas: len(n.config.Replicas),
		StorageFull: n.storage.Full(), Groups: []GroupStatus{}, Peers: []PeerStatus{},
	}
	for r := range len(n.config.Replicas) {
		if id := wire.ReplicaID(r); id != n.replica {
			s.Peers = append(s.Peers, PeerStatus{id, n.mesh.Connected(id)})
		}
	}
	for _, shard := range n.shards {
		err := shard.do(ctx, func() {
			for _, g := range shard.groups { //nolint:maporder // Sorted below.
				s.Groups = append(s.Groups, g.status())
			}
		})
		if err != nil {
			return Status{}, err
		}
	}
	slices.SortFunc(s.Groups, func(a, b GroupStatus) int { return cmp.Compare(a.Group, b.Group) })
	s.Recovery.Discarded = []DiscardStatus{}
	for _, d := range n.storage.Report().Discarded {
		s.Recovery.Discarded = append(s.Recovery.Discarded, DiscardStatus{
			File: d.File, Offset: d.Offset, Bytes: d.Bytes, Reason: d.Reason.String(),
		})
		s.Recovery.DiscardedBytes += d.Bytes
	}
	s.Ready = n.ready(s.Groups) && !s.StorageFull
	return s, nil
}

// ready says whether the metadata has a primary that can be reached.
func (n *Node) ready(groups []GroupStatus) bool {
	for _, g := range groups {
		if g.Group == metadataGroup {
			return g.Status == vsr.StatusNormal.String() && n.mesh.Connected(g.Primary)
		}
	}
	return false
}

func (g *group) status() GroupStatus {
	standing, counters := g.host.Standing(), g.host.Counters()
	s := GroupStatus{
		Group: g.id, Status: standing.Status.String(), View: standing.View,
		LogView: standing.LogView, Primary: standing.Primary, Head: standing.Head,
		CommitMin: standing.CommitMin, CommitMax: standing.CommitMax,
		Stop: standing.Stop.String(), Untrusted: standing.Untrusted, Waiting: len(g.waiting),
		Wiped: standing.Wiped, Withheld: g.host.Refused(vsr.RefuseWiped),
		Executed: counters.Executed, Discarded: g.host.Discarded(),
		refused: make(map[replica.Refusal]uint64),
	}
	for _, r := range replica.Refusals() {
		s.refused[r] = counters.Refused[r]
	}
	return s
}
