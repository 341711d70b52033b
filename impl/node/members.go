package node

import (
	"context"
	"encoding/binary"
	"math"
	"sync"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A member of a consumer group keeps its partitions for as long as some process says that it is
// connected: each does so, for all of its own, a few times within the absence that is allowed. The
// primary of the metadata ends the session of one that nobody has spoken for, so that its
// partitions are others': also where its process has died with it. A new primary begins anew, so
// that nobody loses his place to a view change.

const (
	// codeMembers tells the primary of the metadata which members are connected: their clients, 16
	// bytes each. Processes say it to one another, clients cannot.
	codeMembers protocol.Code = 0x4000_0101
	// vouchesPerAbsence is how often a process speaks for its members within the absence allowed.
	vouchesPerAbsence = 4
	// membersPerVouch bounds one message.
	membersPerVouch = 4096
	clientBytes     = 16
)

// connected are the clients that are logged in at this process, each as often as it has
// connections.
type connected struct {
	mu      sync.Mutex
	clients map[wire.ClientID]int
}

func (c *connected) add(client wire.ClientID, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients[client] += n; c.clients[client] <= 0 {
		delete(c.clients, client)
	}
}

// members lists those of a set.
func (c *connected) members(of map[wire.ClientID]struct{}) []wire.ClientID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []wire.ClientID
	for client := range of {
		if c.clients[client] > 0 {
			found = append(found, client)
		}
	}
	return found
}

// vouch speaks for the members that are connected here, until the context is done.
func (n *Node) vouch(ctx context.Context) error {
	every := time.Duration(n.config.Clients.MemberAbsence) / vouchesPerAbsence
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	reader := reader{client: drawClient()}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var here []wire.ClientID
		err := n.catalogue.do(ctx, func() {
			here = n.connected.members(n.catalogue.machine.MayBeMembers())
		})
		if err != nil {
			return nil
		}
		for len(here) > 0 {
			some := here[:min(len(here), membersPerVouch)]
			here = here[len(some):]
			n.tellMembers(ctx, &reader, some, every)
		}
	}
}

// tellMembers speaks for some members, once: the next time is near.
func (n *Node) tellMembers(
	ctx context.Context, as *reader, members []wire.ClientID, limit time.Duration,
) {
	body := make([]byte, 0, len(members)*clientBytes)
	for _, m := range members {
		body = binary.LittleEndian.AppendUint64(body, m.Lo)
		body = binary.LittleEndian.AppendUint64(body, m.Hi)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	as.last++
	n.ask(ctx, n.catalogue.group, &wire.Request{
		Client: as.client, Number: as.last, Code: uint32(codeMembers),
		Operation: wire.OperationNonReplicated, Body: body,
	})
}

// attendance is what the primary of the metadata knows of the members. It is its shard's
// goroutine's alone.
type attendance struct {
	machine *metadata.Machine
	// absence is how many ticks a member may be absent; looks are so far apart.
	absence, every uint64
	// heard is when somebody has spoken for a member, or when this replica began to listen.
	heard map[wire.ClientID]uint64
}

func newAttendance(machine *metadata.Machine, absence, tick time.Duration) *attendance {
	ticks := max(uint64(absence/tick), vouchesPerAbsence)
	return &attendance{
		machine: machine, absence: ticks, every: ticks / vouchesPerAbsence,
		heard: make(map[wire.ClientID]uint64),
	}
}

// note takes a message of [Node.vouch]. A part at the end that is no client is passed over.
func (a *attendance) note(body []byte, now uint64) {
	for ; len(body) >= clientBytes; body = body[clientBytes:] {
		client := wire.ClientID{
			Lo: binary.LittleEndian.Uint64(body), Hi: binary.LittleEndian.Uint64(body[8:]),
		}
		a.heard[client] = now
	}
}

// absent lists the members that nobody has spoken for, each once within the absence allowed. Unless
// the replica leads it knows nothing.
func (a *attendance) absent(leads bool, now uint64) (gone []wire.ClientID) {
	if !leads {
		clear(a.heard)
		return nil
	}
	if now%a.every != 0 {
		return nil
	}
	members := a.machine.MayBeMembers()
	for client := range a.heard {
		if _, still := members[client]; !still {
			delete(a.heard, client)
		}
	}
	for client := range members { //nolint:maporder // Each by itself.
		heard, known := a.heard[client]
		switch {
		case !known:
			a.heard[client] = now
		case now-heard > a.absence:
			a.heard[client] = now
			gone = append(gone, client)
		}
	}
	return gone
}

// endAbsent ends the sessions of absent members.
func (g *group) endAbsent() {
	if g.attendance == nil {
		return
	}
	for _, client := range g.attendance.absent(g.host.Standing().Leads, g.ticks) {
		session, owner, found := g.host.Sessions().Table().SessionOf(client)
		if !found {
			continue
		}
		g.host.Request(&wire.Request{
			Client: client, Session: session, Number: math.MaxUint64, UserID: uint32(owner),
			Operation: wire.OperationLogout,
		})
	}
}
