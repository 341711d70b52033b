package node

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/multierr"
	"golang.org/x/sync/errgroup"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// metadataGroup is the group that knows of all others.
const metadataGroup wire.GroupID = 0

// Node is a running process of a cluster.
type Node struct {
	config  Config
	log     *slog.Logger
	replica wire.ReplicaID
	cluster wire.ClusterID

	lock    *DirectoryLock
	disk    disk
	storage *replica.Storage
	shards  []*shard
	logLane sync.Mutex // of the worker that writes the log; see serveLog
	// groups is replaced, never changed: the way of a message takes no lock.
	groups  atomic.Pointer[map[wire.GroupID]*group]
	hosting sync.Mutex // of who replaces groups

	trace  *recorder
	mesh   *transport.Mesh
	server *transport.Server
	admin  *admin
	// catalogue is what there is, of all streams and users.
	catalogue *catalogue
	connected connected
	started   time.Time
	// replaced is that of whoever starts groups: Start, then reconcile.
	replaced replaced
	seed     uint64
	// work runs lanes and shards; its context ends with the first failure, or with stop.
	work *errgroup.Group
	ctx  context.Context
	stop context.CancelFunc
}

// systemClock is the time of the machine, in microseconds since 1970: the unit of timestamps in
// the client protocol, and so in prepares.
type systemClock struct{}

// Now implements replica.Clock.
func (systemClock) Now() uint64 { return uint64(time.Now().UnixMicro()) }

// Start boots a process from its data directory: it listens, and takes part in its groups, when
// Start returns. Run it until its end with [Node.Run].
//
// Errors, each in one line: the directory is not formatted, of another cluster or replica, used
// by another process, or cannot be read (R16); an address that is taken; a file that TLS needs.
func Start(config Config, log *slog.Logger) (*Node, error) {
	return start(config, log, func(directory string) (disk, error) {
		return storage.OpenDirectory(directory)
	})
}

// disk is where a process has its data.
type disk interface {
	storage.Disk
	io.Closer
}

// start is Start, with what opens the data directory.
func start(
	config Config, log *slog.Logger, open func(directory string) (disk, error),
) (_ *Node, err error) {
	ctx, stop := context.WithCancel(context.Background())
	n := &Node{
		config: config, log: log, stop: stop, replica: wire.ReplicaID(config.Cluster.Replica),
		cluster: wire.ClusterIDOf(config.Cluster.Name), catalogue: newCatalogue(),
		started: time.Now(),
	}
	n.work, n.ctx = errgroup.WithContext(ctx)
	n.groups.Store(&map[wire.GroupID]*group{})
	n.connected.clients = make(map[wire.ClientID]int)
	defer func() {
		if err != nil {
			err = multierr.Append(err, n.close())
		}
	}()
	password, err := config.rootPassword()
	if err != nil {
		return nil, err
	}
	if err := n.openStorage(open); err != nil {
		return nil, err
	}
	if n.trace, err = openRecorder(config, n.storage.Served(), log); err != nil {
		return nil, err
	}
	count := config.Run.Shards
	if count == 0 {
		count = runtime.GOMAXPROCS(0)
	}
	for range count {
		n.shards = append(n.shards, newShard(time.Duration(config.Run.Tick)))
	}
	listeners, err := n.listen()
	if err != nil {
		return nil, err
	}
	if err := n.openSockets(listeners); err != nil {
		return nil, err
	}
	if err := n.hostMetadata(); err != nil {
		return nil, multierr.Append(err, multierr.Append(listeners.client.Close(),
			closeIf(listeners.admin)))
	}
	if err := n.openClients(listeners); err != nil {
		return nil, err
	}
	n.startShards()
	n.work.Go(func() error { n.tickStorage(n.ctx); return nil })
	n.work.Go(func() error { return n.reconcile(n.ctx) })
	n.work.Go(func() error { return n.vouch(n.ctx) })
	if password != "" {
		n.work.Go(func() error { return n.giveRootPassword(n.ctx, password) })
	}
	log.Info("serving", "cluster", config.Cluster.Name, "replica", n.replica,
		"replicas", len(config.Replicas), "data_dir", config.DataDir, "mesh",
		listeners.mesh.Addr().String(), "client", listeners.client.Addr().String(),
		"admin", n.admin.address(), "shards", count)
	return n, nil
}

// openStorage takes the data directory and recovers what is in it.
func (n *Node) openStorage(open func(directory string) (disk, error)) error {
	err := datadir.Exists(n.config.DataDir)
	if err != nil {
		return fmt.Errorf("data_dir: %w that 'viewstamp format' made", err)
	}
	if n.lock, err = LockDirectory(n.config.DataDir); err != nil {
		return err
	}
	if n.disk, err = open(n.config.DataDir); err != nil {
		return err
	}
	if err := checkDirectory(n.disk, n.config.DataDir, n.identity()); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}
	kernel, err := storage.KernelBoot()
	if err != nil {
		return err
	}
	options := replica.Options{
		Cluster: n.cluster, Incarnation: drawIncarnation(),
		Kernel: wire.Uint128{
			Lo: binary.LittleEndian.Uint64(kernel[:]), Hi: binary.LittleEndian.Uint64(kernel[8:]),
		},
		Log: wal.Config{
			FileBytes: int64(n.config.Storage.WALFile),
			FilesMax:  int(n.config.Storage.WALMax / n.config.Storage.WALFile),
		},
	}
	n.seed = options.Incarnation.Lo
	n.storage, err = replica.Open(n.disk, options)
	if err != nil {
		return fmt.Errorf("data directory %s: %w", n.config.DataDir, err)
	}
	for _, d := range n.storage.Report().Discarded {
		n.log.Warn("recovery discarded bytes", "file", datadir.Log+"/"+d.File, "offset", d.Offset,
			"bytes", d.Bytes, "records", d.Records, "reason", d.Reason.String())
	}
	n.replaced.upTo = groupsBefore(n.storage.Groups())
	return nil
}

// identity is what the configuration says of this process.
func (n *Node) identity() Identity {
	return Identity{
		Cluster: n.config.Cluster.Name, Replica: n.config.Cluster.Replica,
		Replicas: len(n.config.Replicas),
	}
}

// drawIncarnation draws this boot's number (R4).
func drawIncarnation() wire.Incarnation {
	var b [16]byte
	_, _ = rand.Read(b[:]) // It never fails; the program ends if it does.
	return wire.Incarnation{
		Lo: binary.LittleEndian.Uint64(b[:]) | 1, Hi: binary.LittleEndian.Uint64(b[8:]),
	}
}

// listeners are the sockets that a process is reached at.
type listeners struct{ mesh, client, admin net.Listener }

// listen opens them all, so that a process that cannot serve ends before it takes part.
func (n *Node) listen() (listeners, error) {
	own := n.config.Replicas[n.config.Cluster.Replica]
	var l listeners
	for _, socket := range []struct {
		key, address, otherwise string
		listener                *net.Listener
	}{
		{"listen.mesh", n.config.Listen.Mesh, own.Mesh, &l.mesh},
		{"listen.client", n.config.Listen.Client, own.Client, &l.client},
		{"listen.admin", n.config.Listen.Admin, "", &l.admin},
	} {
		address := socket.address
		if address == "" {
			address = socket.otherwise
		}
		if address == "" {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return listeners{}, multierr.Append(fmt.Errorf("%s: %w", socket.key, err), l.close())
		}
		*socket.listener = listener
	}
	return l, nil
}

func (l listeners) close() error {
	var err error
	for _, listener := range []net.Listener{l.mesh, l.client, l.admin} {
		if listener != nil {
			err = multierr.Append(err, listener.Close())
		}
	}
	return err
}

// openSockets gives each listener its owner, who closes it.
func (n *Node) openSockets(l listeners) error {
	key, err := n.config.secret()
	if err != nil {
		return multierr.Append(err, l.close())
	}
	meshServer, meshClient, err := n.config.Mesh.TLS.load()
	if err != nil {
		return multierr.Append(fmt.Errorf("mesh: %w", err), l.close())
	}
	addresses := make([]string, len(n.config.Replicas))
	for i, r := range n.config.Replicas {
		addresses[i] = r.Mesh
	}
	n.mesh, err = transport.OpenMesh(transport.MeshConfig{
		Cluster: n.cluster, Replica: n.replica, Addresses: addresses, Listener: l.mesh, Key: key,
		ServerTLS: meshServer, ClientTLS: meshClient, Receive: n.receive, Log: n.log,
		Limits: transport.MeshLimits{
			QueueFrames: n.config.Mesh.QueueFrames, QueueBytes: int64(n.config.Mesh.QueueBytes),
			Keepalive: time.Duration(n.config.Mesh.Keepalive),
		},
	})
	if err != nil {
		return multierr.Append(err, l.close())
	}
	return nil
}

// openClients lets clients in.
func (n *Node) openClients(l listeners) error {
	clientsTLS, _, err := n.config.Clients.TLS.load()
	if err != nil {
		return multierr.Append(fmt.Errorf("clients: %w", err),
			multierr.Append(l.client.Close(), closeIf(l.admin)))
	}
	n.server, err = transport.OpenServer(transport.ServerConfig{
		Listener: l.client, TLS: clientsTLS, Log: n.log,
		Open: func(remote net.Addr) transport.Session { return &session{node: n, remote: remote} },
		Limits: transport.ServerLimits{
			Connections: n.config.Clients.ConnectionsMax,
			FrameBytes:  int(n.config.Clients.RequestMax) + wire.HeaderBytes,
			MemoryBytes: int64(n.config.Clients.MemoryMax),
			Pace:        transport.Pace{Idle: time.Duration(n.config.Clients.Idle)},
		},
	})
	if err != nil {
		return multierr.Append(err, multierr.Append(l.client.Close(), closeIf(l.admin)))
	}
	n.admin = openAdmin(n, l.admin)
	return nil
}

func closeIf(l net.Listener) error {
	if l == nil {
		return nil
	}
	return l.Close()
}

// receive takes a message of another replica to its group's shard.
func (n *Node) receive(from wire.ReplicaID, m wire.Message) {
	g := n.group(m.GroupID())
	if g == nil {
		return // It does not exist here, or not yet: its sender sends again (R10).
	}
	e := event{group: g}
	if request, ok := m.(*wire.Request); ok {
		e.asked = &asked{request: request, from: from}
	} else if reply, ok := m.(*wire.Reply); ok {
		e.reply = reply
	} else {
		e.message = m
	}
	g.shard.offer(e)
}

func (n *Node) group(id wire.GroupID) *group { return (*n.groups.Load())[id] }

// hostMetadata starts the group that knows of the others.
func (n *Node) hostMetadata() error {
	c := n.catalogue
	c.machine.SetFigures(n.figures)
	err := n.host(metadataGroup, vsr.PolicyPersisted, c.machine, func(
		header *wire.PrepareHeader, _ []clienttable.Answer,
	) {
		c.executed(header.Op)
	})
	if err != nil {
		return err
	}
	c.group = n.group(metadataGroup)
	c.executed(c.group.host.Sessions().Op())
	return nil
}

// host starts a group's replica.
func (n *Node) host(
	id wire.GroupID, policy vsr.Policy, machine statemachine.Machine,
	onExecute func(*wire.PrepareHeader, []clienttable.Answer),
) error {
	n.hosting.Lock()
	defer n.hosting.Unlock()
	s := n.shardOf(id)
	g := &group{
		id: id, shard: s, mesh: n.mesh, replica: n.replica, replicas: len(n.config.Replicas),
		waiting: make(map[question]*asked),
		expiry:  uint64(n.config.Clients.Deadline / n.config.Run.Tick), query: queryOf(machine),
	}
	if m, ok := machine.(*metadata.Machine); ok {
		g.attendance = newAttendance(m, time.Duration(n.config.Clients.MemberAbsence),
			time.Duration(n.config.Run.Tick))
	}
	if p, ok := machine.(*partition.Machine); ok {
		g.keeping = keeping{machine: p, every: n.keepTicks()}
		onExecute = g.keeping.executed
	}
	var err error
	g.host, err = replica.NewHost(replica.Config{
		GroupConfig: replica.GroupConfig{
			Group: id, Replica: n.replica, ReplicaCount: len(n.config.Replicas), Policy: policy,
			Fresh: n.replaced.fresh(id),
		},
		Limits: n.config.Batches.limits(),
		Timers: timers(), Seed: n.seed ^ uint64(id), Sessions: clienttable.Config{
			Shape: clienttable.Numbered, Capacity: n.config.Clients.SessionsMax, Ring: 5,
			ReplyBytes: 4096,
		},
		OnExecute: onExecute, OnEvent: n.trace.of(id),
		OnRestore: func(id wire.PrepareID) {
			if g.id == metadataGroup {
				n.catalogue.executed(id.Op) // partitions may have come or gone
			} else {
				g.keeping.note()
			}
		},
	}, n.storage, machine, systemClock{}, g)
	if err != nil {
		return err
	}
	s.adopt(g)
	next := maps.Clone(*n.groups.Load())
	next[id] = g
	n.groups.Store(&next)
	return nil
}

// remove stops a group's replica, if it has one here, and gives up what is on the disk of it: the
// metadata knows from op on that it is gone. Nobody is told of it any more.
func (n *Node) remove(ctx context.Context, id wire.GroupID, op wire.Op) error {
	n.hosting.Lock()
	defer n.hosting.Unlock()
	if g := n.group(id); g != nil {
		next := maps.Clone(*n.groups.Load())
		delete(next, id)
		n.groups.Store(&next)
		var closed error
		if g.shard.do(ctx, func() { closed = g.leave() }) != nil {
			return nil // The context has ended, and with it everything.
		}
		if closed != nil {
			return closed
		}
	}
	n.storage.Forget(id, metadataGroup, op)
	return nil
}

// timers are the protocol's, in ticks of 10 ms: a primary that says nothing for 1.5 s is
// replaced.
func timers() vsr.Timers {
	return vsr.Timers{
		PrepareTicks: 20, CommitTicks: 20, HeartbeatTicks: 150, ViewChangeTicks: 20,
		ViewChangeStatusTicks: 150, ProbeTicks: 5, RepairTicks: 20,
	}
}
