package sample

import "fmt"

// ViewChange moves a group to the next view, whose primary commits what it inherits. Its own
// acknowledgement of that is counted without an event.
func (c *Cluster) ViewChange(namespace uint64) {
	g := c.groups[namespace]
	old := g.replica[c.live()[0]].view
	view := old + 1
	for c.crashed[int(view)%c.replicas] {
		view++
	}
	p := int(view) % c.replicas
	for _, r := range c.live() {
		g.replica[r].view, g.replica[r].status = view, "view_change"
		c.event(g, r, "INFO", "ViewChangeStarted", fmt.Sprintf(
			"old_view=%d new_view=%d reason=\"normal_heartbeat_timeout\"", old, view))
		c.schedule(g, r, "send_start_view_change", p, 0, 0)
	}
	for _, r := range c.live() {
		c.schedule(g, r, "send_do_view_change", p, g.head, g.replica[r].commit)
	}
	c.event(g, p, "INFO", "ReplicaStateChanged", "")
	g.replica[p].logView, g.replica[p].status = view, "normal"
	c.event(g, p, "INFO", "PrimaryElected", "")
	c.event(g, p, "INFO", "ReplicaStateChanged", "")
	c.schedule(g, p, "send_start_view", (p+1)%c.replicas, g.head, g.replica[p].commit)
	for _, r := range c.live() {
		if r == p {
			continue
		}
		g.replica[r].logView, g.replica[r].status = view, "normal"
		c.event(g, r, "INFO", "ReplicaStateChanged", "")
		c.schedule(g, r, "send_prepare_ok", p, g.head, 0)
	}
	if g.head > g.replica[p].commit {
		c.commit(g, g.head, g.checksum)
		g.follow(c)
	}
}

func (c *Cluster) schedule(g *group, replica int, action string, to int, op, commit uint64) {
	c.event(g, replica, "DEBUG", "ControlMessageScheduled", fmt.Sprintf(
		"action=%q target_replica=%d op=%d action_commit=%d", action, to, op, commit))
}
