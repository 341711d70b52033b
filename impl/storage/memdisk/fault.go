package memdisk

// Fault makes an operation fail, loudly (Err) or silently. The zero Fault does nothing.
type Fault struct {
	// Err is what the caller gets, wrapped with operation and path. Nil: all seems well.
	Err error
	// After lets the whole effect take place before the error: the answer alone is lost.
	After bool
	// Bytes of a write that fails take effect all the same, from its start.
	Bytes int
	// Lost makes the disk drop a write: the page cache has it, and no sync brings it to
	// the disk. The loss shows when the cache is gone.
	Lost bool
	// Elsewhere makes the disk put the sectors of a write into another place; where they
	// belong, the disk keeps what was there.
	Elsewhere *Place
	// DelayTicks announces that the operation is slow. Nothing waits: the delay stands in
	// the log of operations, for whoever has a clock.
	DelayTicks uint64
}

// Place is a sector of a file: Offset is a multiple of SectorBytes.
type Place struct {
	Path   string
	Offset int64
}

// before returns the error of a fault that keeps the operation from happening.
func (f *Fault) before() error {
	if f == nil || f.After {
		return nil
	}
	return f.Err
}

// after returns the error of an operation that has happened.
func (f *Fault) after() error {
	if f == nil || !f.After {
		return nil
	}
	return f.Err
}

// Inject asks f before each operation (but sizes, lists and closes); a fault that it
// returns is the operation's outcome. Nil ends it. f must not call the disk.
func (d *Disk) Inject(f func(Operation) *Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inject = f
}

// InjectAt makes the n-th operation from now on fail, counted from 0, and no other.
func (d *Disk) InjectAt(n int, fault Fault) {
	count := 0
	d.Inject(func(Operation) *Fault {
		count++
		if count-1 == n {
			return &fault
		}
		return nil
	})
}

// Limit bounds the bytes of all files together; 0 is no bound. What would exceed it
// fails with storage.ErrFull: of a write, what fits takes effect.
func (d *Disk) Limit(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.limitBytes = bytes
}

// UsedBytes is what counts against [Disk.Limit].
func (d *Disk) UsedBytes() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used()
}

func (d *Disk) used() int64 {
	sum := int64(0)
	for _, node := range d.cached {
		sum += node.cached.size
	}
	return sum
}

// room returns how much of a growth by so many bytes fits on the disk.
func (d *Disk) room(growth int64) int64 {
	if growth <= 0 || d.limitBytes == 0 {
		return growth
	}
	return min(growth, max(0, d.limitBytes-d.used()))
}

// fault asks whether the operation is to fail, and notes its delay.
func (d *Disk) fault(op *Operation) *Fault {
	if d.inject == nil {
		return nil
	}
	fault := d.inject(*op)
	if fault != nil {
		op.DelayTicks = fault.DelayTicks
	}
	return fault
}
