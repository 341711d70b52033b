package sample

import "fmt"

// The groups of a sample.
const (
	Metadata  = uint64(1) << 63
	Partition = uint64(1)<<32 | 1<<20
)

// Cluster is a scripted cluster. Its log is in Lines.
type Cluster struct {
	Lines []string

	replicas, quorum int
	crashed          map[int]bool
	groups           map[uint64]*group
	clock            int
}

// group is the state of one group on all replicas.
type group struct {
	namespace       uint64
	replica         []state
	head            uint64 // Highest op of the primary's log.
	committed       uint64 // Known to the primary.
	checksum        uint64 // Of the head.
	client, request uint64
}

// state is what a replica shows in each event.
type state struct {
	view, logView uint32
	commit        uint64
	status        string
}

// New returns a cluster of so many replicas with both groups, in view 0.
func New(replicas int) *Cluster {
	c := &Cluster{
		replicas: replicas, quorum: min(3, (replicas+1)/2), crashed: map[int]bool{},
		groups: map[uint64]*group{},
	}
	if replicas == 2 {
		c.quorum = 2
	}
	for _, namespace := range []uint64{Metadata, Partition} {
		g := &group{namespace: namespace, replica: make([]state, replicas)}
		for r := range g.replica {
			g.replica[r].status = "normal"
		}
		c.groups[namespace] = g
	}
	return c
}

// Standard is the log that the documentation speaks of: requests in both groups, a crash of the
// primary with an op in flight, a view change, and further requests.
func Standard(replicas int) []string {
	c := New(replicas)
	for range 2 {
		c.Request(Metadata)
		c.Request(Partition)
	}
	c.Prepare(Partition)
	c.Crash(0)
	c.ViewChange(Metadata)
	c.ViewChange(Partition)
	c.Request(Partition)
	c.Request(Metadata)
	return c.Lines
}

func (g *group) primary(c *Cluster) int {
	view := uint32(0)
	for r, s := range g.replica {
		if !c.crashed[r] {
			view = max(view, s.view)
		}
	}
	return int(view) % c.replicas
}

// Crash ends a replica for good.
func (c *Cluster) Crash(replica int) { c.crashed[replica] = true }

// Foreign writes a line of another target.
func (c *Cluster) Foreign(text string) {
	c.clock++
	c.Lines = append(c.Lines, fmt.Sprintf("%s  INFO main shard: %s", c.time(), text))
}

func (c *Cluster) time() string {
	return fmt.Sprintf("2026-01-01T00:%02d:%02d.%06dZ", c.clock/60000%60, c.clock/1000%60,
		c.clock%1000*1000)
}

// event writes a line of a replica's group; more is what its kind has beside the context.
func (c *Cluster) event(g *group, replica int, level, kind, more string) {
	c.clock++
	s := g.replica[replica]
	plane, ids := "partitions", "stream_id=1 topic_id=1 partition_id=0"
	if g.namespace == Metadata {
		plane, ids = "metadata", "stream_id=0 topic_id=0 partition_id=0"
	}
	role := "backup"
	if int(s.view)%c.replicas == replica {
		role = "primary"
	}
	if more != "" {
		more = " " + more
	}
	c.Lines = append(c.Lines, fmt.Sprintf("%s %5s main iggy.sim: sim_event=%q plane=%q "+
		"cluster_id=1 replica_id=%d namespace_raw=%d %s view=%d log_view=%d commit=%d status=%q "+
		"role=%q%s", c.time(), level, kind, plane, replica, g.namespace, ids, s.view, s.logView,
		s.commit, s.status, role, more))
}

// live lists the replicas that run.
func (c *Cluster) live() []int {
	var out []int
	for r := range c.replicas {
		if !c.crashed[r] {
			out = append(out, r)
		}
	}
	return out
}
