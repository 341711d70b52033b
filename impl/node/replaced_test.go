package node_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
)

// replace gives process i an empty directory in place of its own, which is gone.
func (p *processes) replace(i int) {
	p.t.Helper()
	p.kill(i)
	require.NoError(p.t, os.RemoveAll(p.dirs[i]))
	require.NoError(p.t, node.Format(p.dirs[i], node.Identity{
		Cluster: "processes", Replica: i, Replicas: len(p.dirs), Replaces: true,
	}))
}

// groupAt returns what process i says of a group, which it need not have.
func (p *processes) groupAt(i int, id uint64) node.GroupStatus {
	p.t.Helper()
	for _, g := range p.status(i).Groups {
		if uint64(g.Group) == id {
			return g
		}
	}
	return node.GroupStatus{}
}

// A disk is replaced by an empty one. Its replica acknowledged what another one has never seen:
// with that one it is no quorum, in no group and however often it restarts, since it votes for
// nobody. Then the third is back, and everything that was acknowledged is on the new disk. What
// is created later is as new there as elsewhere (R16).
func TestProcessWithAReplacedDiskVotesForNobodyUntilItIsBack(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	for i := range 3 {
		p.group(i, 1)
	}
	lost := (int(p.group(0, 0).Primary) + 1) % 3
	behind := (lost + 1) % 3
	third := 3 - lost - behind
	p.kill(behind)
	const count = 10
	for n := range count {
		require.NoError(t, c.sendOnce("persisted", fmt.Sprintf("persisted-0-%d", n)))
	}
	require.NoError(t, c.createTopic("later", 1, "persisted"))
	p.kill(third)
	p.replace(lost)
	p.start(behind)
	for range 2 {
		p.kill(lost)
		p.start(lost)
		p.eventually("the new disk is asked for its vote, again and again", func() bool {
			code, _ := p.get(lost, "/livez")
			return code == http.StatusOK && p.groupAt(lost, 0).Withheld > 5
		})
		g := p.groupAt(lost, 0)
		require.True(t, g.Wiped)
		require.Equal(t, "recovering", g.Status)
		require.False(t, p.status(lost).Ready)
		require.False(t, p.status(behind).Ready, "one of three is no quorum")
		require.NotEqual(t, "normal", p.groupAt(behind, 0).Status)
	}
	p.start(third)
	for i := range 3 {
		p.ready(i)
	}
	at := newTester(p.clients[lost:lost+1], rootPassword)
	p.holds(at, "persisted", 0, count)
	p.eventually("each group is back", func() bool {
		for id := range uint64(3) {
			if g := p.groupAt(lost, id); g.Status != "normal" || g.Wiped {
				return false
			}
		}
		return true
	})
	p.kill(third) // the new disk is one of the two now
	elsewhere := newTester(p.clients[lost:lost+1], rootPassword)
	require.NoError(t, elsewhere.createTopic("new", 1, "persisted"))
	_, err := elsewhere.send("new", 0, "new-0-0")
	require.NoError(t, err)
	assert.False(t, p.groupAt(lost, 3).Wiped)
	p.kill(lost)
	p.start(lost) // what it has noted of itself is durable
	p.holds(elsewhere, "persisted", 0, count)
	p.holds(elsewhere, "new", 0, 1)
}
