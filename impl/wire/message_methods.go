package wire

// The accessors of [Message], one block a type.

var (
	_ Message = (*Request)(nil)
	_ Message = (*Prepare)(nil)
	_ Message = (*PrepareOK)(nil)
	_ Message = (*Reply)(nil)
	_ Message = (*Commit)(nil)
	_ Message = (*StartViewChange)(nil)
	_ Message = (*DoViewChange)(nil)
	_ Message = (*StartView)(nil)
	_ Message = (*RequestStartView)(nil)
	_ Message = (*RequestPrepares)(nil)
	_ Message = (*RepairPrepare)(nil)
	_ Message = (*RequestCheckpoint)(nil)
	_ Message = (*CheckpointChunk)(nil)
)

// Command returns [CommandRequest].
func (m *Request) Command() Command { return CommandRequest }

// From returns [NoReplica]: a client sent it.
func (m *Request) From() ReplicaID { return NoReplica }

// ClusterID returns the cluster.
func (m *Request) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *Request) GroupID() GroupID { return m.Group }

// InView returns 0: a client knows no view.
func (m *Request) InView() View { return 0 }

func (m *Request) sealed() {}

// Command returns [CommandPrepare].
func (m *Prepare) Command() Command { return CommandPrepare }

// From returns the primary that prepared the op.
func (m *Prepare) From() ReplicaID { return m.Header.Replica }

// ClusterID returns the cluster.
func (m *Prepare) ClusterID() ClusterID { return m.Header.Cluster }

// GroupID returns the group.
func (m *Prepare) GroupID() GroupID { return m.Header.Group }

// InView returns the view in which the op was prepared.
func (m *Prepare) InView() View { return m.Header.View }

func (m *Prepare) sealed() {}

// Command returns [CommandPrepareOK].
func (m *PrepareOK) Command() Command { return CommandPrepareOK }

// From returns the sender.
func (m *PrepareOK) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *PrepareOK) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *PrepareOK) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *PrepareOK) InView() View { return m.View }

func (m *PrepareOK) sealed() {}

// Command returns [CommandReply].
func (m *Reply) Command() Command { return CommandReply }

// From returns the sender.
func (m *Reply) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *Reply) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *Reply) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *Reply) InView() View { return m.View }

func (m *Reply) sealed() {}

// Command returns [CommandCommit].
func (m *Commit) Command() Command { return CommandCommit }

// From returns the sender.
func (m *Commit) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *Commit) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *Commit) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *Commit) InView() View { return m.View }

func (m *Commit) sealed() {}

// Command returns [CommandStartViewChange].
func (m *StartViewChange) Command() Command { return CommandStartViewChange }

// From returns the sender.
func (m *StartViewChange) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *StartViewChange) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *StartViewChange) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *StartViewChange) InView() View { return m.View }

func (m *StartViewChange) sealed() {}

// Command returns [CommandDoViewChange].
func (m *DoViewChange) Command() Command { return CommandDoViewChange }

// From returns the sender.
func (m *DoViewChange) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *DoViewChange) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *DoViewChange) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *DoViewChange) InView() View { return m.View }

func (m *DoViewChange) sealed() {}

// Command returns [CommandStartView].
func (m *StartView) Command() Command { return CommandStartView }

// From returns the sender.
func (m *StartView) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *StartView) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *StartView) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *StartView) InView() View { return m.View }

func (m *StartView) sealed() {}

// Command returns [CommandRequestStartView].
func (m *RequestStartView) Command() Command { return CommandRequestStartView }

// From returns the sender.
func (m *RequestStartView) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *RequestStartView) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *RequestStartView) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *RequestStartView) InView() View { return m.View }

func (m *RequestStartView) sealed() {}

// Command returns [CommandRequestPrepares].
func (m *RequestPrepares) Command() Command { return CommandRequestPrepares }

// From returns the sender.
func (m *RequestPrepares) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *RequestPrepares) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *RequestPrepares) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *RequestPrepares) InView() View { return m.View }

func (m *RequestPrepares) sealed() {}

// Command returns [CommandRepairPrepare].
func (m *RepairPrepare) Command() Command { return CommandRepairPrepare }

// From returns the sender.
func (m *RepairPrepare) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *RepairPrepare) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *RepairPrepare) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *RepairPrepare) InView() View { return m.View }

func (m *RepairPrepare) sealed() {}

// Command returns [CommandRequestCheckpoint].
func (m *RequestCheckpoint) Command() Command { return CommandRequestCheckpoint }

// From returns the sender.
func (m *RequestCheckpoint) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *RequestCheckpoint) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *RequestCheckpoint) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *RequestCheckpoint) InView() View { return m.View }

func (m *RequestCheckpoint) sealed() {}

// Command returns [CommandCheckpointChunk].
func (m *CheckpointChunk) Command() Command { return CommandCheckpointChunk }

// From returns the sender.
func (m *CheckpointChunk) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *CheckpointChunk) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *CheckpointChunk) GroupID() GroupID { return m.Group }

// InView returns the sender's view.
func (m *CheckpointChunk) InView() View { return m.View }

func (m *CheckpointChunk) sealed() {}

// Command returns [CommandConfirmView].
func (m *ConfirmView) Command() Command { return CommandConfirmView }

// From returns the primary that asks.
func (m *ConfirmView) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *ConfirmView) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *ConfirmView) GroupID() GroupID { return m.Group }

// InView returns the view that is asked about.
func (m *ConfirmView) InView() View { return m.View }

func (m *ConfirmView) sealed() {}

// Command returns [CommandConfirmViewOK].
func (m *ConfirmViewOK) Command() Command { return CommandConfirmViewOK }

// From returns the sender.
func (m *ConfirmViewOK) From() ReplicaID { return m.Replica }

// ClusterID returns the cluster.
func (m *ConfirmViewOK) ClusterID() ClusterID { return m.Cluster }

// GroupID returns the group.
func (m *ConfirmViewOK) GroupID() GroupID { return m.Group }

// InView returns the view that is asked about.
func (m *ConfirmViewOK) InView() View { return m.View }

func (m *ConfirmViewOK) sealed() {}
