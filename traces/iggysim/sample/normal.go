package sample

import "fmt"

// Request sends a request through a group: prepared, acknowledged, committed, answered.
func (c *Cluster) Request(namespace uint64) {
	c.Prepare(namespace)
	g := c.groups[namespace]
	c.commit(g, g.head, g.checksum)
	p := g.primary(c)
	c.event(g, p, "DEBUG", "ClientReplyEmitted", g.about(g.head)+" pipeline_depth=0")
	g.follow(c)
}

// Prepare lets the primary take a request and acknowledge it itself.
func (c *Cluster) Prepare(namespace uint64) {
	g := c.groups[namespace]
	p := g.primary(c)
	g.request++
	g.client = 1
	c.event(g, p, "DEBUG", "ClientRequestReceived", g.about(0))
	parent := g.checksum
	g.head++
	g.checksum = 1000*namespace%9973 + 7919*g.head + 1
	c.event(g, p, "DEBUG", "PrepareQueued", fmt.Sprintf("op=%d parent_checksum=%d "+
		"prepare_checksum=%d %s pipeline_depth=1", g.head, parent, g.checksum, g.about(0)))
	g.progress(c, p, g.head)
	c.acknowledge(g, p, g.head, g.checksum, 1)
}

// commit lets the other replicas acknowledge an op until it has its quorum, and executes it.
func (c *Cluster) commit(g *group, op, checksum uint64) {
	p, count := g.primary(c), 1
	for _, r := range c.live() {
		if r != p && count < c.quorum {
			g.progress(c, r, op)
			count++
			c.acknowledge(g, r, op, checksum, count)
		}
	}
	g.committed = op
	g.replica[p].commit = op
	c.event(g, p, "DEBUG", "OperationCommitted", g.about(op)+" pipeline_depth=0")
}

// acknowledge is the primary that takes a replica's acknowledgement.
func (c *Cluster) acknowledge(g *group, from int, op, checksum uint64, count int) {
	c.event(g, g.primary(c), "DEBUG", "PrepareAcked", fmt.Sprintf("op=%d prepare_checksum=%d "+
		"ack_from_replica=%d ack_count=%d quorum=%d quorum_reached=%t", op, checksum, from, count,
		c.quorum, count == c.quorum))
}

// follow lets the backups of a partition execute what the primary has.
func (g *group) follow(c *Cluster) {
	if g.namespace == Metadata {
		return // Backups of the metadata group write no event.
	}
	for _, r := range c.live() {
		if r == g.primary(c) {
			continue
		}
		before := g.replica[r].commit
		g.replica[r].commit = g.committed
		for op := before + 1; op <= g.committed; op++ {
			c.event(g, r, "DEBUG", "OperationCommitted", g.about(op)+" pipeline_depth=0")
			g.progress(c, r, op)
		}
	}
}

// progress is a partition that has stored an op.
func (g *group) progress(c *Cluster, replica int, op uint64) {
	if g.namespace != Metadata {
		c.event(g, replica, "DEBUG", "NamespaceProgressUpdated",
			fmt.Sprintf("op=%d pipeline_depth=0", op))
	}
}

// about names a request; op 0 is left out. The request of op n is number n.
func (g *group) about(op uint64) string {
	operation, request, prefix := "send_messages", g.request, ""
	if g.namespace == Metadata {
		operation = "create_stream"
	}
	if op > 0 {
		request, prefix = op, fmt.Sprintf("op=%d ", op)
	}
	return fmt.Sprintf("%sclient_id=%d request_id=%d operation=%q", prefix, g.client, request,
		operation)
}
