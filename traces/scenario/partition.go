package scenario

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// partitionReplicas is the size of the cluster, partitionQuorum its majority.
	partitionReplicas = 3
	partitionQuorum   = 2
	// batchBytesMin leaves room for the number that makes a batch unlike all others.
	batchBytesMin = 8
	batchBytesMax = 32 << 10
)

// ErrClusterDown refuses what needs a primary between a crash and the election.
var ErrClusterDown = errors.New("the cluster is down, expected a restart before")

// PartitionPolicy says when a batch is acknowledged (design: durability policies).
type PartitionPolicy uint8

// The policies.
const (
	// PolicyPersisted acknowledges what a quorum has synced.
	PolicyPersisted PartitionPolicy = iota + 1
	// PolicyReplicated acknowledges what a quorum has handed to its operating system.
	PolicyReplicated
)

var policyNames = [...]string{PolicyPersisted: "persisted", PolicyReplicated: "replicated"}

// String returns the name that scenarios use.
func (p PartitionPolicy) String() string {
	if p == 0 || int(p) >= len(policyNames) {
		return fmt.Sprintf("policy(%d)", uint8(p))
	}
	return policyNames[p]
}

// ParsePartitionPolicy is the inverse of String.
func ParsePartitionPolicy(name string) (PartitionPolicy, error) {
	for p, known := range policyNames {
		if p > 0 && known == name {
			return PartitionPolicy(p), nil
		}
	}
	return 0, fmt.Errorf("parse policy %q: expected one of %q", name, policyNames[1:])
}

// Tear says what a power loss takes of the newest batch of each log, where it takes only a
// part. A batch has its index at both ends, which never share a sector.
type Tear uint8

// The tears.
const (
	// TearLast takes the last sector: one index, and a body that reaches so far.
	TearLast Tear = iota + 1
	// TearFirst takes the first one: the other index, and a body that begins there.
	TearFirst
	// TearBoth takes all of it.
	TearBoth
)

var tearNames = [...]string{TearLast: "last", TearFirst: "first", TearBoth: "both"}

// String returns the name that scenarios use.
func (t Tear) String() string {
	if t == 0 || int(t) >= len(tearNames) {
		return fmt.Sprintf("tear(%d)", uint8(t))
	}
	return tearNames[t]
}

// ParseTear is the inverse of String.
func ParseTear(name string) (Tear, error) {
	for t, known := range tearNames {
		if t > 0 && known == name {
			return Tear(t), nil
		}
	}
	return 0, fmt.Errorf("parse tear %q: expected one of %q", name, tearNames[1:])
}

// PartitionConfig sets up a [PartitionCluster].
type PartitionConfig struct {
	Policy PartitionPolicy
	// Recovery is wal.RecoverVerified if zero; the others are seed 003 and its kin.
	Recovery wal.Recovery
	// FirstNotLongest makes the election take the log of the first voter: a mutant.
	FirstNotLongest bool
	// Seed decides what a power loss leaves, where that is left to chance.
	Seed uint64
}

// PartitionCluster is one partition on three replicas, each with a disk and a WAL of
// its own, under crashes of the whole cluster: seed 003 (iggy#4632) with production
// code. Its steps are those of spec/PartitionLog.tla, with one group and with crashes
// that take all replicas. It has no network: batches reach all replicas that are not cut
// off, and after a restart the voters take the longest of their logs, in a view of its own.
// It is not safe for concurrent use.
type PartitionCluster struct {
	config   PartitionConfig
	replicas [partitionReplicas]partitionReplica
	// primary is the replica that clients use; none while the cluster is down.
	primary int
	// batches counts those ever made; it makes each unlike the others.
	batches uint64
	// boots numbers the starts of processes, kernels those of machines.
	boots, kernels uint64
	// acknowledged are the batches that clients rely on, in order.
	acknowledged []acknowledgement
	events       []string
}

// noPrimary is PartitionLog!Down.
const noPrimary = -1

type partitionReplica struct {
	disk   *memdisk.Disk
	log    *partitionLog // Nil while the process is dead.
	cutOff bool
}

// acknowledgement is what a client knows of its batch.
type acknowledgement struct {
	id     wire.PrepareID
	number uint64
	bytes  int
}

// NewPartitionCluster starts three replicas on empty disks, with r0 as primary.
func NewPartitionCluster(config PartitionConfig) (*PartitionCluster, error) {
	if config.Policy != PolicyPersisted && config.Policy != PolicyReplicated {
		return nil, fmt.Errorf("start partition cluster: %s, expected one of %q",
			config.Policy, policyNames[1:])
	}
	if config.Recovery == 0 {
		config.Recovery = wal.RecoverVerified
	}
	c := &PartitionCluster{config: config, primary: noPrimary}
	for r := range c.replicas {
		c.replicas[r].disk = memdisk.New(config.Seed + uint64(r))
		if _, err := c.start(r); err != nil {
			return nil, fmt.Errorf("start r%d: %w", r, err)
		}
	}
	c.primary = 0
	c.note("r0 primary policy=%s recovery=%s", config.Policy, config.Recovery)
	return c, nil
}

// start opens the log of a replica.
func (c *PartitionCluster) start(r int) (wal.Report, error) {
	c.boots++
	l, report, err := openPartitionLog(c.replicas[r].disk, wal.Config{
		Directory: partitionDirectory, FileBytes: partitionFileBytes,
		FilesMax: partitionFiles, RecordsMax: partitionRecords,
		Incarnation: wire.Uint128{Lo: c.boots}, Kernel: wire.Uint128{Lo: c.kernels + 1},
		Recovery: c.config.Recovery,
	})
	c.replicas[r].log = l
	return report, err
}

// Append makes n batches of the given size each, one prepare a batch, and hands them
// to every replica that is not cut off. Those that a quorum has stored as the policy
// demands are acknowledged.
//
// Errors: ErrClusterDown; a number or size out of range. Nothing is stored then.
//
// Source: PartitionLog!AppendPrepare, Replicate, WriteLog.
func (c *PartitionCluster) Append(n, bytes int) error {
	switch {
	case c.primary == noPrimary:
		return fmt.Errorf("append: %w", ErrClusterDown)
	case n < 1:
		return fmt.Errorf("append: %d batches, expected 1 or more", n)
	case bytes < batchBytesMin || bytes > batchBytesMax:
		return fmt.Errorf("append: batches of %d bytes, expected %d to %d",
			bytes, batchBytesMin, batchBytesMax)
	}
	first := c.primaryLog().head() + 1
	acknowledged := 0
	for range n {
		done, err := c.appendOne(bytes)
		if err != nil {
			return err
		}
		if done {
			acknowledged++
		}
	}
	c.note("append ops=%d..%d bytes=%d acknowledged=%d", first, c.primaryLog().head(),
		n*bytes, acknowledged)
	return nil
}

// appendOne makes one batch and reports whether it was acknowledged.
func (c *PartitionCluster) appendOne(bytes int) (bool, error) {
	c.batches++
	body, op := batchBody(c.batches, bytes), c.primaryLog().head()+1
	stored := 0
	for r := range c.replicas {
		// A replica that was cut off for a while has a gap and takes nothing more.
		l := c.replicas[r].log
		if c.replicas[r].cutOff || l.head()+1 != op {
			continue
		}
		if err := l.prepare(body); err != nil {
			return false, fmt.Errorf("append at r%d: %w", r, err)
		}
		if err := c.flush(l); err != nil {
			return false, fmt.Errorf("append at r%d: %w", r, err)
		}
		stored++
	}
	if stored < partitionQuorum {
		return false, nil
	}
	c.acknowledged = append(c.acknowledged, acknowledgement{
		id: wire.PrepareID{Op: op, Checksum: wire.ChecksumOf(body)}, number: c.batches, bytes: bytes,
	})
	return true, nil
}

// flush does what the policy demands after an append. Where recovery believes in a
// frontier, a durable append publishes it, as upstream's does.
func (c *PartitionCluster) flush(l *partitionLog) error {
	switch {
	case c.config.Policy == PolicyReplicated:
		return nil
	case c.config.Recovery == wal.RecoverToFrontier:
		return l.publish()
	}
	return l.wal.Sync()
}

// PublishFrontier makes every replica sync its log and publish its frontier, as a
// checkpoint does.
//
// Errors: ErrClusterDown; the disk's.
func (c *PartitionCluster) PublishFrontier() error {
	if c.primary == noPrimary {
		return fmt.Errorf("publish frontier: %w", ErrClusterDown)
	}
	for r := range c.replicas {
		if err := c.replicas[r].log.publish(); err != nil {
			return fmt.Errorf("publish frontier of r%d: %w", r, err)
		}
		c.note("r%d published op=%d", r, c.head(r))
	}
	return nil
}

// CutOff keeps appends from a backup until the next restart.
//
// Errors: ErrClusterDown; a replica that is not a backup.
func (c *PartitionCluster) CutOff(r int) error {
	if c.primary == noPrimary {
		return fmt.Errorf("cut off r%d: %w", r, ErrClusterDown)
	}
	if r < 0 || r >= partitionReplicas || r == c.primary {
		return fmt.Errorf("cut off r%d: expected a backup of r%d among r0 to r%d",
			r, c.primary, partitionReplicas-1)
	}
	c.replicas[r].cutOff = true
	c.note("r%d cut off", r)
	return nil
}

// KillAll ends every process: SIGKILL. What was written survives (PartitionLog!Kill).
//
// Errors: ErrClusterDown.
func (c *PartitionCluster) KillAll() error {
	return c.crash("kill", func(r *partitionReplica) error {
		r.disk.Kill()
		return nil
	})
}

// PowerLossAll takes the power from every machine (PartitionLog!PowerLoss): nothing survives
// but what was synced, the worst case.
//
// Errors: ErrClusterDown.
func (c *PartitionCluster) PowerLossAll() error {
	return c.powerLoss("power loss", func(r *partitionReplica) error {
		r.disk.PowerLoss(memdisk.Nothing)
		return nil
	})
}

// PowerLossTorn takes the power from every machine, and all that was written survives but a
// part of each log's newest batch; under PolicyPersisted that is a disk that had reported a
// sync too early.
//
// Errors: ErrClusterDown.
func (c *PartitionCluster) PowerLossTorn(tear Tear) error {
	return c.powerLoss(fmt.Sprintf("power loss torn=%s", tear), func(r *partitionReplica) error {
		r.disk.PowerLoss(memdisk.Everything)
		return r.log.tear(r.disk, tear)
	})
}

// PowerLossAny takes the power from every machine; of what was not synced the seed
// decides what survives, sector by sector.
//
// Errors: ErrClusterDown.
func (c *PartitionCluster) PowerLossAny() error {
	return c.powerLoss("power loss", func(r *partitionReplica) error {
		r.disk.PowerLoss(nil)
		return nil
	})
}

// powerLoss is a crash that restarts the kernels too (R15).
func (c *PartitionCluster) powerLoss(what string, crash func(*partitionReplica) error) error {
	if err := c.crash(what, crash); err != nil {
		return err
	}
	c.kernels++
	return nil
}

func (c *PartitionCluster) crash(what string, crash func(*partitionReplica) error) error {
	if c.primary == noPrimary {
		return fmt.Errorf("%s: %w", what, ErrClusterDown)
	}
	c.primary = noPrimary
	c.note("%s of r0..r%d", what, partitionReplicas-1)
	for r := range c.replicas {
		replica := &c.replicas[r]
		if err := crash(replica); err != nil {
			return fmt.Errorf("%s of r%d: %w", what, r, err)
		}
		if err := replica.log.wal.Close(); err != nil {
			return fmt.Errorf("%s of r%d: %w", what, r, err)
		}
		replica.log, replica.cutOff = nil, false
	}
	return nil
}

// Restart restarts all replicas and elects a primary with the votes of all of them
// (R15: after a power loss no log is trusted, so all must vote).
//
// Errors: as [PartitionCluster.Recover] and [PartitionCluster.Elect].
func (c *PartitionCluster) Restart() error {
	if err := c.Recover(); err != nil {
		return err
	}
	return c.Elect(0, 1, 2)
}

// Recover restarts the processes: each opens its log and adopts what its recovery
// takes (PartitionLog!Restart).
//
// Errors: a cluster that is up; the disk's.
func (c *PartitionCluster) Recover() error {
	if c.primary != noPrimary || c.replicas[0].log != nil {
		return errors.New("recover: the cluster runs, expected a crash before")
	}
	for r := range c.replicas {
		report, err := c.start(r)
		if err != nil {
			return fmt.Errorf("recover r%d: %w", r, err)
		}
		l := c.replicas[r].log
		c.note("r%d recovered ops=%d bodies=%d doubt=%t discarded=%d bytes", r, l.head(), l.bodies(),
			report.InDoubt(partitionGroup, c.config.Policy == PolicyPersisted),
			report.DiscardedBytes())
		for _, d := range report.Discarded {
			c.note("r%d %s", r, d)
		}
	}
	return nil
}

// Elect makes the voter with the longest log the primary, the first of equals; every
// replica then adopts its log (PartitionLog!ElectPrimary).
//
// Errors: a cluster that has a primary or has not recovered; voters that are no
// quorum of r0 to r2; the disk's.
func (c *PartitionCluster) Elect(voters ...int) error {
	if c.primary != noPrimary || c.replicas[0].log == nil {
		return errors.New("elect: expected a cluster that has recovered and has no primary")
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(voters)))
	if len(sorted) < partitionQuorum || len(sorted) < len(voters) ||
		sorted[0] < 0 || sorted[len(sorted)-1] >= partitionReplicas {
		return fmt.Errorf("elect: voters %v, expected at least %d of r0 to r%d, each once",
			voters, partitionQuorum, partitionReplicas-1)
	}
	winner := voters[0]
	for _, r := range voters[1:] {
		if !c.config.FirstNotLongest && c.head(r) > c.head(winner) {
			winner = r
		}
	}
	names := make([]string, len(voters))
	for i, r := range voters {
		names[i] = fmt.Sprintf("r%d", r)
	}
	c.note("r%d elected head=%d voters=%s", winner, c.head(winner), strings.Join(names, ","))
	if err := c.install(winner); err != nil {
		return err
	}
	c.primary = winner
	return nil
}

// Poll reads every batch that was ever acknowledged from the primary's log, by op and
// checksum (R3), compares it with what was sent, and returns how many are there; none
// while the cluster is down. The event says which op is the first that is not, and
// how many came back with other bytes.
func (c *PartitionCluster) Poll() int {
	if c.primary == noPrimary {
		c.note("poll readable=0/%d no primary", len(c.acknowledged))
		return 0
	}
	readable, altered := 0, 0
	var missing []wire.Op
	for _, a := range c.acknowledged {
		body, err := c.primaryLog().read(a.id)
		switch {
		case err == nil && slices.Equal(body, batchBody(a.number, a.bytes)):
			readable++
			continue
		case err == nil:
			altered++
		}
		missing = append(missing, a.id.Op)
	}
	line := fmt.Sprintf("poll readable=%d/%d", readable, len(c.acknowledged))
	if len(missing) > 0 {
		line += fmt.Sprintf(" first_missing=%d altered=%d", missing[0], altered)
	}
	c.note("%s", line)
	return readable
}

// Acknowledged is the number of batches that were ever acknowledged.
func (c *PartitionCluster) Acknowledged() int { return len(c.acknowledged) }

// EventLog returns what has happened so far, one readable line a step:
// "r0 recovered ops=30 discarded=0 bytes".
func (c *PartitionCluster) EventLog() []string { return slices.Clone(c.events) }

func (c *PartitionCluster) note(format string, args ...any) {
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

func (c *PartitionCluster) primaryLog() *partitionLog { return c.replicas[c.primary].log }

// head is the length of a replica's log; its ops start at 1.
func (c *PartitionCluster) head(r int) wire.Op { return c.replicas[r].log.head() }

// batchBody is the content of a batch: its number, and a pattern that differs from
// byte to byte, so that a lost or moved part is noticed.
func batchBody(number uint64, bytes int) []byte {
	body := make([]byte, bytes)
	for i := range body {
		body[i] = byte(number*7 + uint64(i)*13 + 1)
	}
	binary.LittleEndian.PutUint64(body, number)
	return body
}
