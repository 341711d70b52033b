package merge

// Quorums are the sizes that decide in a group, in replicas: upstream's, so that its
// traces conform. MergeVote!ReplicationQuorum and the two below it.
type Quorums struct {
	// Replication is how many must hold an op, the primary included, to commit it.
	Replication int
	// ViewChange is how many trusted votes decide the log of a view. It meets every
	// replication quorum.
	ViewChange int
	// Nack is how many nacks rule out a replication quorum.
	Nack int
}

// QuorumsOf returns the quorums of a group of that many replicas, from 1. Two replicas
// are special: both must store and both must vote, so one nack is enough.
func QuorumsOf(replicas int) Quorums {
	if replicas == 2 {
		return Quorums{Replication: 2, ViewChange: 2, Nack: 1}
	}
	replication := min(3, (replicas+1)/2)
	rest := replicas - replication + 1
	return Quorums{Replication: replication, ViewChange: rest, Nack: rest}
}
