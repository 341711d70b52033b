package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var clusterID = wire.ClusterIDOf("hosts")

// cluster is three processes with some groups each, on perfect links: whatever is sent arrives
// at the next step, and every lane works whenever it can.
type cluster struct {
	t         testing.TB
	policy    vsr.Policy
	groups    int
	processes []*process
	sent      []parcel
	replies   []*wire.Reply
	now       uint64
	defects   replica.Defects
	options   func(*replica.Options)
	config    func(*replica.Config)
	// drop, if not nil, says which messages are lost.
	drop func(wire.Message) bool
	// until, if not nil, stops all that moves once it is true.
	until func() bool
	// fatal takes an error that ends a process; the test fails where nil.
	fatal func(*process, error)
	// machine makes a process's state machines; registers where nil.
	machine func(*process) statemachine.Machine
}

type parcel struct {
	to      int
	group   wire.GroupID
	message wire.Message
}

type process struct {
	c       *cluster
	id      int
	boots   uint64
	disk    *memdisk.Disk
	storage *replica.Storage
	hosts   map[wire.GroupID]*replica.Host
	// still is a lane that does nothing; 0: all work.
	still replica.Lane
}

func (c *cluster) Now() uint64 { return c.now }

func (p *process) Send(group wire.GroupID, to wire.ReplicaID, m wire.Message) {
	p.c.sent = append(p.c.sent, parcel{int(to), group, m})
}

func (p *process) Reply(m *wire.Reply) { p.c.replies = append(p.c.replies, m) }

func newCluster(t testing.TB, policy vsr.Policy, groups int) *cluster {
	c := &cluster{t: t, policy: policy, groups: groups}
	for i := range 3 {
		p := &process{c: c, id: i, disk: memdisk.New(uint64(i))}
		require.NoError(t, replica.Format(p.disk, clusterID))
		c.processes = append(c.processes, p)
	}
	return c
}

// storageOptions are those of this boot.
func (p *process) storageOptions() replica.Options {
	options := replica.Options{
		Cluster:     clusterID,
		Incarnation: wire.Incarnation{Hi: uint64(p.id) + 1, Lo: p.boots},
		Kernel:      wire.Uint128{Lo: 1},
		Log:         wal.Config{FileBytes: 1 << 20, FilesMax: 8},
		Defects:     p.c.defects,
	}
	if p.c.options != nil {
		p.c.options(&options)
	}
	return options
}

// boot starts a process with all its groups.
func (p *process) boot() {
	t := p.c.t
	p.boots++
	var err error
	p.storage, err = replica.Open(p.disk, p.storageOptions())
	require.NoError(t, err)
	p.hosts = map[wire.GroupID]*replica.Host{}
	for g := range p.c.groups {
		config := replica.Config{
			GroupConfig: replica.GroupConfig{
				Group: wire.GroupID(g), Replica: wire.ReplicaID(p.id), ReplicaCount: 3,
				Policy: p.c.policy, Fresh: true,
			},
			Seed: uint64(p.id),
			Timers: vsr.Timers{
				PrepareTicks: 10, CommitTicks: 10, HeartbeatTicks: 50, ViewChangeTicks: 10,
				ViewChangeStatusTicks: 50, ProbeTicks: 5, RepairTicks: 10,
			},
			Sessions: clienttable.Config{
				Shape: clienttable.Numbered, Capacity: 16, Ring: 4, ReplyBytes: 512,
			},
		}
		if p.c.config != nil {
			p.c.config(&config)
		}
		machine := statemachine.NewRegister()
		if p.c.machine != nil {
			machine = p.c.machine(p)
		}
		host, err := replica.NewHost(config, p.storage, machine, p.c, p)
		require.NoError(t, err)
		p.hosts[config.Group] = host
	}
}

func (c *cluster) boot() {
	for _, p := range c.processes {
		p.boot()
	}
}

// kill ends a process: power loss takes what is not flushed.
func (p *process) kill(powerLoss bool) {
	p.storage, p.hosts = nil, nil
	if powerLoss {
		p.disk.PowerLoss(memdisk.Nothing)
		return
	}
	p.disk.Kill()
}

// settle delivers and works until nothing is under way.
func (c *cluster) settle() {
	for moved := true; moved; {
		if c.until != nil && c.until() {
			return
		}
		moved = false
		sent := c.sent
		c.sent = nil
		for _, s := range sent {
			if c.drop != nil && c.drop(s.message) {
				continue
			}
			if p := c.processes[s.to]; p.storage != nil {
				p.hosts[s.group].Receive(s.message)
				moved = true
			}
		}
		for _, p := range c.processes {
			moved = p.work() || moved
		}
	}
}

func (p *process) work() bool {
	moved := false
	if p.storage == nil {
		return false
	}
	for _, lane := range replica.Lanes() {
		for lane != p.still && p.storage.Ready(lane) {
			done, err := p.storage.Work(lane)
			if err != nil && p.c.fatal != nil {
				p.c.fatal(p, err)
				return true
			}
			require.NoError(p.c.t, err)
			for _, d := range done {
				p.hosts[d.Group].Complete(d)
			}
			moved = true
		}
	}
	for g := range p.c.groups {
		for h := p.hosts[wire.GroupID(g)]; h.Busy(); moved = true {
			h.Work()
		}
	}
	return moved
}

// ticks lets time pass.
func (c *cluster) ticks(n int) {
	for range n {
		c.now += 10_000_000
		for _, p := range c.processes {
			if p.storage == nil {
				continue
			}
			p.storage.Tick()
			for g := range c.groups {
				p.hosts[wire.GroupID(g)].Tick()
			}
		}
		c.settle()
	}
}

// primary returns the process that leads a group, ticking until there is one.
func (c *cluster) primary(group wire.GroupID) *process {
	for range 2000 {
		for _, p := range c.processes {
			if p.storage != nil && p.hosts[group].Standing().Leads {
				return p
			}
		}
		c.ticks(1)
	}
	require.Fail(c.t, "no primary")
	return nil
}

// request sends a request to the primary of the group and returns the reply.
func (c *cluster) request(m *wire.Request) *wire.Reply {
	for range 200 {
		c.replies = nil
		c.primary(m.Group).hosts[m.Group].Request(m)
		c.settle()
		for _, r := range c.replies {
			if r.Client == m.Client && r.Number == m.Number && r.Operation == m.Operation &&
				r.Status != replica.StatusNotAccepted && r.Status != replica.StatusDiskFull {
				return r
			}
		}
		c.ticks(1)
	}
	require.Fail(c.t, "no reply", "request %+v", m)
	return nil
}

// register gives client 1 a session.
func (c *cluster) register(group wire.GroupID) wire.SessionNumber {
	reply := c.request(&wire.Request{
		Group: group, Client: wire.ClientID{Lo: 1}, Number: 1,
		Operation: wire.OperationRegister,
	})
	require.Zero(c.t, reply.Status)
	session, born, _, ok := replica.ParseSessionBody(reply.Body)
	require.True(c.t, ok)
	require.Equal(c.t, session, born)
	return session
}

// write is a request of client 1.
func write(
	group wire.GroupID, session wire.SessionNumber, number int, key, value uint64,
) *wire.Request {
	return &wire.Request{
		Group: group, Client: wire.ClientID{Lo: 1}, Session: session,
		Number: wire.RequestNumber(number), Operation: statemachine.RegisterWrite,
		Body: statemachine.RegisterBody(key, value),
	}
}

// value reads a register of group 0 at a process.
func (p *process) value(key uint64) uint64 { return p.valueOf(0, key) }

func (p *process) valueOf(group wire.GroupID, key uint64) uint64 {
	result, err := p.hosts[group].Query(statemachine.QueryRegister, statemachine.RegisterBody(key))
	require.NoError(p.c.t, err)
	_, value, ok := statemachine.ParseRegisterResult(result)
	require.True(p.c.t, ok)
	return value
}
