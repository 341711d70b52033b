package node

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// metrics asks the process at each scrape, so that counting costs the hot path nothing.
type metrics struct{ node *Node }

var _ prometheus.Collector = (*metrics)(nil)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("viewstamp_"+name, help, labels, nil)
}

// The metrics. Those of groups carry the group.
var (
	descView      = describe("view", "View of a group's replica.", "group")
	descPrimary   = describe("primary", "1 if this replica is the group's primary.", "group")
	descNormal    = describe("normal", "1 if the group's replica is in status normal.", "group")
	descUntrusted = describe("untrusted", "1 if the log may lack acknowledged ops.", "group")
	descWiped     = describe("wiped", "1 if a lost disk keeps it out of quorums.", "group")
	descHead      = describe("op_head", "Op of the log's head.", "group")
	descCommitMin = describe("commit_min", "Ops executed here.", "group")
	descCommitMax = describe("commit_max", "Ops known to be committed.", "group")
	descStop      = describe("commit_stop", "1 for why the commit walk stands.", "group", "reason")
	descRefused   = describe("requests_refused_total", "Requests refused.", "group", "reason")
	descWaiting   = describe("requests_waiting", "Requests without a reply yet.", "group")

	descFull      = describe("storage_full", "1 if requests are refused for want of room.")
	descBatches   = describe("wal_batches_total", "Batches appended to the write-ahead log.")
	descFlushes   = describe("wal_flushes_total", "Flushes of the write-ahead log.")
	descUpdates   = describe("superblock_updates_total", "Updates of the superblock.")
	descDiscarded = describe("recovery_discarded_bytes", "Bytes not adopted at boot.", "reason")
	descInbox     = describe("shard_dropped_total", "Events dropped by a full shard.", "shard")

	descConnected  = describe("mesh_connected", "1 if a replica is connected.", "replica")
	descSent       = describe("mesh_sent_total", "Frames written to replicas.")
	descSentBytes  = describe("mesh_sent_bytes_total", "Bytes written to replicas.")
	descReceived   = describe("mesh_received_total", "Frames read from replicas.")
	descDropped    = describe("mesh_dropped_total", "Frames not sent.", "reason")
	descMeshBad    = describe("mesh_refused_total", "Frames from replicas that were refused.")
	descHandshakes = describe("mesh_handshakes_failed_total", "Handshakes that failed.")

	descClients  = describe("client_connections", "Connections of clients.")
	descAway     = describe("client_connections_refused_total", "Connections over the limit.")
	descRequests = describe("client_requests_total", "Requests read from clients.")
	descReplies  = describe("client_replies_total", "Replies written to clients.")
	descUnread   = describe("client_requests_unread_total", "Requests not read.", "reason")
	descBroken   = describe("client_connections_broken_total", "Ends within a frame, or too slow.")
	descMemory   = describe("client_memory_bytes", "Memory of requests under way.")
)

// Describe implements prometheus.Collector. The metrics are not listed in advance: those of
// groups come and go.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), statusLimit)
	defer cancel()
	status, err := m.node.Status(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(descNormal, err)
		return
	}
	c := collection{out}
	for _, g := range status.Groups {
		c.group(g, status)
	}
	c.storage(m.node, status)
	c.transport(m.node, status)
}

type collection struct{ out chan<- prometheus.Metric }

func (c collection) gauge(d *prometheus.Desc, value float64, labels ...string) {
	c.out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func (c collection) counter(d *prometheus.Desc, value uint64, labels ...string) {
	c.out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (c collection) group(g GroupStatus, s Status) {
	id, normal := strconv.FormatUint(uint64(g.Group), 10), g.Status == vsr.StatusNormal.String()
	c.gauge(descView, float64(g.View), id)
	c.gauge(descPrimary, truth(normal && g.Primary == s.Replica), id)
	c.gauge(descNormal, truth(normal), id)
	c.gauge(descUntrusted, truth(g.Untrusted), id)
	c.gauge(descWiped, truth(g.Wiped), id)
	c.gauge(descHead, float64(g.Head), id)
	c.gauge(descCommitMin, float64(g.CommitMin), id)
	c.gauge(descCommitMax, float64(g.CommitMax), id)
	c.gauge(descStop, 1, id, g.Stop)
	c.gauge(descWaiting, float64(g.Waiting), id)
	for reason, count := range g.refused { //nolint:maporder // Each by itself.
		c.counter(descRefused, count, id, reason.String())
	}
}

func (c collection) storage(n *Node, s Status) {
	batches, flushes := n.storage.Counts()
	c.gauge(descFull, truth(s.StorageFull))
	c.counter(descBatches, uint64(batches))
	c.counter(descFlushes, uint64(flushes))
	c.counter(descUpdates, uint64(n.storage.Updates()))
	discarded := make(map[string]int64)
	for _, d := range s.Recovery.Discarded {
		discarded[d.Reason] += d.Bytes
	}
	for reason, bytes := range discarded { //nolint:maporder // Each by itself.
		c.gauge(descDiscarded, float64(bytes), reason)
	}
	for i, shard := range n.shards {
		c.counter(descInbox, shard.dropped.Load(), strconv.Itoa(i))
	}
}

func (c collection) transport(n *Node, s Status) {
	mesh, clients := n.mesh.Stats(), n.server.Stats()
	for _, p := range s.Peers {
		c.gauge(descConnected, truth(p.Connected), strconv.Itoa(int(p.Replica)))
	}
	c.counter(descSent, mesh.Sent)
	c.counter(descSentBytes, mesh.SentBytes)
	c.counter(descReceived, mesh.Received)
	c.counter(descMeshBad, mesh.Refused)
	c.counter(descHandshakes, mesh.HandshakesFailed)
	for reason, count := range mesh.Dropped { //nolint:maporder // Each by itself.
		c.counter(descDropped, count, reason.String())
	}
	c.gauge(descClients, float64(clients.Connections))
	c.counter(descAway, clients.TurnedAway)
	c.counter(descRequests, clients.Requests)
	c.counter(descReplies, clients.Replies)
	for _, reason := range []transport.Refusal{transport.RefusedSize, transport.RefusedMemory} {
		c.counter(descUnread, clients.Refused[reason], reason.String())
	}
	c.counter(descBroken, clients.Broken)
	c.gauge(descMemory, float64(clients.MemoryBytes))
}
