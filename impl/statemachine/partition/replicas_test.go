package partition_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// naive is what a partition is: messages in a slice, and where segments begin.
type naive struct {
	payloads []string
	times    []uint64
	// start is the first that is kept; begins are the segments from there on, each with its
	// bytes.
	start      int
	begins     []int
	bytes      []int
	offsets    map[string]int
	generation uint64
}

func (n *naive) send(time uint64, batchBytes int, payloads []string) {
	const header = segment.BatchHeaderBytes
	last := len(n.begins) - 1
	if last < 0 || n.bytes[last]+header+batchBytes > segmentBytes {
		n.begins, n.bytes = append(n.begins, len(n.payloads)), append(n.bytes, 0)
		last++
	}
	n.bytes[last] += header + batchBytes
	for _, p := range payloads {
		n.payloads, n.times = append(n.payloads, p), append(n.times, time)
	}
}

// drop takes the first segment while it may go, and never the last.
func (n *naive) drop(goes func(end int, kept int) bool) {
	for len(n.begins) > 1 {
		kept := 0
		for _, b := range n.bytes {
			kept += b
		}
		if !goes(n.begins[1], kept) {
			return
		}
		n.begins, n.bytes = n.begins[1:], n.bytes[1:]
		n.start = n.begins[0]
	}
}

// op is one that was executed.
type op struct {
	prepare *wire.Prepare
	result  []byte
}

// replica is a machine on a disk of its own, with the checkpoint that it has.
type replica struct {
	disk     *memdisk.Disk
	machine  *partition.Machine
	snapshot []byte
	executed int // By the snapshot.
}

func (r *replica) checkpoint(t require.TestingT, executed int) {
	r.snapshot, r.executed = checkpointed(t, r.machine), executed
}

// boot starts from the checkpoint and replays what lies above it.
func (r *replica) boot(t require.TestingT, ops []op) {
	r.machine = partition.New(config(r.disk))
	if r.snapshot != nil {
		require.NoError(t, r.machine.Restore(r.snapshot))
	}
	for _, o := range ops[r.executed:] {
		require.Equal(t, o.result, r.machine.Execute(o.prepare), "the result of a replayed op")
	}
}

// cluster is a model, a replica in memory, and two on disks that materialise, take
// checkpoints and crash when they like.
type cluster struct {
	model  naive
	memory *partition.Machine
	disks  [2]*replica
	ops    []op
	op     wire.Op
	time   uint64
}

func newCluster() *cluster {
	c := &cluster{model: naive{offsets: map[string]int{}}, memory: partition.New(config(nil))}
	for i := range c.disks {
		disk := memdisk.New(uint64(i))
		c.disks[i] = &replica{disk: disk, machine: partition.New(config(disk))}
	}
	return c
}

// execute runs a request everywhere and returns its result.
func (c *cluster) execute(
	t *rapid.T, operation wire.Operation, body []byte,
) []byte {
	if rapid.IntRange(0, 3).Draw(t, "requests in the op") > 0 || c.op == 0 {
		c.op++
		c.time += uint64(rapid.IntRange(0, 30).Draw(t, "time"))
	}
	p := prepare(c.op, c.time, operation, body)
	result := c.memory.Execute(p)
	for _, r := range c.disks {
		require.Equal(t, result, r.machine.Execute(p))
	}
	c.ops = append(c.ops, op{p, result})
	return result
}

func (c *cluster) machines() []*partition.Machine {
	return []*partition.Machine{c.memory, c.disks[0].machine, c.disks[1].machine}
}

func (c *cluster) check(t *rapid.T) {
	m := &c.model
	for _, got := range c.machines() {
		require.Equal(t, c.memory.Checksum(), got.Checksum())
		stats := got.Stats()
		require.EqualValues(t, len(m.payloads), stats.Next)
		require.EqualValues(t, m.start, stats.Start)
		require.Len(t, m.begins, stats.Segments)
		require.True(t, slices.Equal(m.payloads[m.start:],
			poll(t, got, protocol.FromFirst, 0, math.MaxUint32).payloads))
		for _, name := range []string{"a", "b"} {
			want, found := m.offsets[name]
			if !found {
				want = -1
			}
			require.EqualValues(t, want, storedBy(t, got, name))
		}
	}
}

func (c *cluster) poll(t *rapid.T) {
	m := &c.model
	if len(m.payloads) == 0 {
		return
	}
	from := rapid.IntRange(0, len(m.payloads)).Draw(t, "from")
	count := rapid.IntRange(0, 9).Draw(t, "count")
	time := rapid.Uint64Range(0, c.time+2).Draw(t, "since")
	want := func(from int) string {
		from = max(from, m.start)
		return fmt.Sprint(m.payloads[from:min(from+count, len(m.payloads))])
	}
	since, _ := slices.BinarySearch(m.times, time)
	for _, got := range c.machines() {
		require.Equal(t, want(from), fmt.Sprint(
			poll(t, got, protocol.FromOffset, uint64(from), uint32(count)).payloads))
		require.Equal(t, want(since), fmt.Sprint(
			poll(t, got, protocol.FromTimestamp, time, uint32(count)).payloads))
		require.Equal(t, want(len(m.payloads)-count), fmt.Sprint(
			poll(t, got, protocol.FromLast, 0, uint32(count)).payloads))
	}
}

func (c *cluster) retain(t *rapid.T) {
	m := &c.model
	age := rapid.IntRange(0, 200).Draw(t, "age")
	bytes := rapid.IntRange(0, 6000).Draw(t, "bytes")
	hold := rapid.Bool().Draw(t, "hold")
	c.execute(t, partition.OperationRetain, partition.RetainBody(uint64(age), uint64(bytes), hold))
	m.drop(func(end, kept int) bool {
		old := age > 0 && c.time >= m.times[end-1]+uint64(age)
		read := !hold
		if hold {
			read = true
			for _, offset := range m.offsets {
				read = read && offset+1 >= end
			}
		}
		return read && (old || bytes > 0 && kept > bytes)
	})
}

func (c *cluster) storeOffset(t *rapid.T, operation wire.Operation) {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")
	offset := rapid.IntRange(0, len(c.model.payloads)+1).Draw(t, "offset")
	got := status(t, c.execute(t, operation, storeBody(name, uint64(offset))))
	if offset >= len(c.model.payloads) {
		require.Equal(t, protocol.StatusInvalidOffset, got)
		return
	}
	require.Equal(t, protocol.StatusOK, got)
	if operation == partition.OperationAdvanceOffset {
		offset = max(offset, c.model.offsets[name])
	}
	c.model.offsets[name] = offset
}

// The machine is a slice; the replicas agree whenever they materialise, and after any crash.
func TestReplicasAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster()
		defer func() {
			for _, m := range c.machines() {
				require.NoError(t, m.Close())
			}
		}()
		pick := func(t *rapid.T) *replica {
			return c.disks[rapid.IntRange(0, 1).Draw(t, "replica")]
		}
		t.Repeat(map[string]func(*rapid.T){
			"send": func(t *rapid.T) {
				payloads := numbered(len(c.model.payloads), rapid.IntRange(1, 4).Draw(t, "messages"))
				payloads[0] += fmt.Sprintf("%*d", rapid.IntRange(1, 900).Draw(t, "bytes"), 0)
				body := sendBody(t, payloads...)
				content, _, _ := partition.Sent(body)
				require.EqualValues(t, len(c.model.payloads),
					confirmed(t, c.execute(t, protocol.OperationSend, body)))
				c.model.send(c.time, len(content), payloads)
			},
			"store offset":   func(t *rapid.T) { c.storeOffset(t, protocol.OperationStoreOffset) },
			"advance offset": func(t *rapid.T) { c.storeOffset(t, partition.OperationAdvanceOffset) },
			"delete offset": func(t *rapid.T) {
				_, found := c.model.offsets["a"]
				got := status(t, c.execute(t, protocol.OperationDeleteOffset, deleteBody("a")))
				require.Equal(t, found, got == protocol.StatusOK)
				delete(c.model.offsets, "a")
			},
			"retain": c.retain,
			"truncate": func(t *rapid.T) {
				offset := rapid.IntRange(0, len(c.model.payloads)).Draw(t, "below")
				c.execute(t, partition.OperationTruncate, partition.TruncateBody(uint64(offset)))
				c.model.drop(func(end, _ int) bool { return end <= offset })
			},
			"purge": func(t *rapid.T) {
				m := &c.model
				generation := rapid.Uint64Range(m.generation, m.generation+1).Draw(t, "generation")
				c.execute(t, partition.OperationPurge, partition.PurgeBody(generation))
				if generation > m.generation {
					m.generation, m.start, m.begins, m.bytes = generation, len(m.payloads), nil, nil
				}
			},
			"poll":        c.poll,
			"materialise": func(t *rapid.T) { require.NoError(t, pick(t).machine.Materialise()) },
			"checkpoint":  func(t *rapid.T) { pick(t).checkpoint(t, len(c.ops)) },
			"transfer": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "to")
				to, from := c.disks[i], c.disks[1-i]
				from.checkpoint(t, len(c.ops))
				image, err := from.machine.OpenImage(from.snapshot)
				require.NoError(t, err)
				require.NoError(t, to.machine.Install(from.snapshot, image, 0, image.Bytes()))
				require.NoError(t, image.Close())
				if rapid.Bool().Draw(t, "crash before the pairing") {
					to.disk.PowerLoss(nil)
					to.boot(t, c.ops)
					return
				}
				require.NoError(t, to.machine.Restore(from.snapshot))
				to.snapshot, to.executed = from.snapshot, from.executed
			},
			"crash": func(t *rapid.T) {
				r := pick(t)
				if rapid.Bool().Draw(t, "power") {
					r.disk.PowerLoss(nil)
				} else {
					r.disk.Kill()
				}
				r.boot(t, c.ops)
			},
			"full disk": func(t *rapid.T) {
				r := pick(t)
				r.disk.Limit(r.disk.UsedBytes() + int64(rapid.IntRange(0, 2000).Draw(t, "left")))
				err := r.machine.Materialise()
				r.disk.Limit(0)
				if err != nil {
					require.ErrorIs(t, err, storage.ErrFull)
				}
			},
			"restore": func(t *rapid.T) { // In memory the snapshot is all there is.
				other := partition.New(config(nil))
				require.NoError(t, other.Restore(c.memory.AppendSnapshot(nil)))
				require.Equal(t, c.memory.AppendSnapshot(nil), other.AppendSnapshot(nil))
				c.memory = other
			},
			"": c.check,
		})
		a, b := c.disks[0], c.disks[1]
		a.checkpoint(t, len(c.ops))
		b.checkpoint(t, len(c.ops))
		require.Equal(t, a.snapshot, b.snapshot)
		filesA, filesB := files(t, a.disk), files(t, b.disk)
		require.True(t, maps.Equal(filesA, filesB), "the files differ: %v and %v",
			slices.Sorted(maps.Keys(filesA)), slices.Sorted(maps.Keys(filesB)))
	})
}
