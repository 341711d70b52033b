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
	// partitionPath is where each replica has its log, on a disk of its own.
	partitionPath = "partition/0/wal"
	// batchBytesMin leaves room for the number that makes a batch unlike all others.
	batchBytesMin = 8
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

// PartitionCluster is one partition on three replicas, each with a disk and a log of
// its own, under crashes of the whole cluster: seed 003 (iggy#4632) with production
// code. Its steps are those of spec/PartitionLog.tla, with one group and with crashes
// that take all replicas. It has no network and no views: batches reach all replicas
// that are not cut off, and after a restart the voters take the longest of their logs.
// It is not safe for concurrent use.
type PartitionCluster struct {
	config   PartitionConfig
	replicas [partitionReplicas]partitionReplica
	// primary is the replica that clients use; none while the cluster is down.
	primary int
	// batches counts those ever made; it makes each unlike the others.
	batches uint64
	// acknowledged are the batches that clients rely on, in order.
	acknowledged []acknowledgement
	events       []string
}

// noPrimary is PartitionLog!Down.
const noPrimary = -1

type partitionReplica struct {
	disk   *memdisk.Disk
	log    *wal.Log // Nil while the process is dead.
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
		l, _, err := wal.Open(c.replicas[r].disk, partitionPath, wal.WithRecovery(config.Recovery))
		if err != nil {
			return nil, fmt.Errorf("start r%d: %w", r, err)
		}
		c.replicas[r].log = l
	}
	c.primary = 0
	c.note("r0 primary policy=%s recovery=%s", config.Policy, config.Recovery)
	return c, nil
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
	case bytes < batchBytesMin || bytes > wal.BodyBytesMax:
		return fmt.Errorf("append: batches of %d bytes, expected %d to %d",
			bytes, batchBytesMin, wal.BodyBytesMax)
	}
	first := c.primaryLog().Head().Op + 1
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
	c.note("append ops=%d..%d bytes=%d acknowledged=%d", first, c.primaryLog().Head().Op,
		n*bytes, acknowledged)
	return nil
}

// appendOne makes one batch and reports whether it was acknowledged.
func (c *PartitionCluster) appendOne(bytes int) (bool, error) {
	c.batches++
	record := wal.Record{
		Op: c.primaryLog().Head().Op + 1, Body: batchBody(c.batches, bytes),
	}
	stored := 0
	for r := range c.replicas {
		// A replica that was cut off for a while has a gap and takes nothing more.
		l := c.replicas[r].log
		if c.replicas[r].cutOff || l.Head().Op+1 != record.Op {
			continue
		}
		if err := l.Append(record); err != nil {
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
		id: c.primaryLog().Head(), number: c.batches, bytes: bytes,
	})
	return true, nil
}

// flush does what the policy demands after an append. Where recovery believes in a
// frontier, a durable append publishes it, as upstream's does.
func (c *PartitionCluster) flush(l *wal.Log) error {
	switch {
	case c.config.Policy == PolicyReplicated:
		return nil
	case c.config.Recovery == wal.RecoverToFrontier:
		return l.PublishFrontier()
	}
	return l.Sync()
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
		if err := c.replicas[r].log.PublishFrontier(); err != nil {
			return fmt.Errorf("publish frontier of r%d: %w", r, err)
		}
		c.note("r%d published op=%d", r, c.replicas[r].log.Head().Op)
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

// PowerLossAll takes the power from every machine (PartitionLog!PowerLoss). With torn
// false nothing survives but what was synced: the worst case. With torn true all that
// was written survives but the second half of each log's last record; under
// PolicyPersisted that is a disk that had reported a sync too early.
//
// Errors: ErrClusterDown.
func (c *PartitionCluster) PowerLossAll(torn bool) error {
	if !torn {
		return c.crash("power loss", func(r *partitionReplica) error {
			r.disk.PowerLoss(memdisk.Nothing)
			return nil
		})
	}
	return c.crash("power loss torn", func(r *partitionReplica) error {
		headers := r.log.Records()
		r.disk.PowerLoss(memdisk.Everything)
		if len(headers) == 0 {
			return nil
		}
		var end int64
		for _, h := range headers {
			end += int64(h.SizeBytes)
		}
		return r.disk.Tear(partitionPath, end-int64(headers[len(headers)-1].SizeBytes)/2)
	})
}

// PowerLossAny takes the power from every machine; of what was not synced the seed
// decides what survives, sector by sector.
//
// Errors: ErrClusterDown.
func (c *PartitionCluster) PowerLossAny() error {
	return c.crash("power loss", func(r *partitionReplica) error {
		r.disk.PowerLoss(nil)
		return nil
	})
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
		if err := replica.log.Close(); err != nil {
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
		l, report, err := wal.Open(c.replicas[r].disk, partitionPath,
			wal.WithRecovery(c.config.Recovery))
		if err != nil {
			return fmt.Errorf("recover r%d: %w", r, err)
		}
		c.replicas[r].log = l
		c.note("r%d recovered ops=%d discarded=%d bytes", r, report.Records, report.DiscardedBytes())
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
	for r := range c.replicas {
		if err := c.adopt(r, winner); err != nil {
			return fmt.Errorf("adopt log of r%d at r%d: %w", winner, r, err)
		}
	}
	c.primary = winner
	return nil
}

// adopt makes the log of r equal to the winner's: it cuts what the winner has not and
// copies what r has not.
func (c *PartitionCluster) adopt(r, winner int) error {
	to, from := c.replicas[r].log, c.replicas[winner].log
	have, want := to.Records(), from.Records()
	same := 0
	for same < min(len(have), len(want)) && have[same].ID() == want[same].ID() {
		same++
	}
	if same == len(have) && same == len(want) {
		return nil
	}
	cut := len(have) - same
	if cut > 0 {
		if err := to.CutAbove(have[same].Op - 1); err != nil {
			return err
		}
	}
	for _, h := range want[same:] {
		body, err := from.Read(h.ID())
		if err != nil {
			return err
		}
		if err := to.Append(wal.Record{Op: h.Op, Body: body}); err != nil {
			return err
		}
	}
	c.note("r%d adopted copied=%d cut=%d", r, len(want)-same, cut)
	return c.flush(to)
}

// Poll reads every batch that was ever acknowledged from the primary, by op and
// checksum, compares it with what was sent, and returns how many are there; none
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
		body, err := c.primaryLog().Read(a.id)
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

func (c *PartitionCluster) primaryLog() *wal.Log { return c.replicas[c.primary].log }

// head is the length of a replica's log; its ops start at 1.
func (c *PartitionCluster) head(r int) wire.Op { return c.replicas[r].log.Head().Op }

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
