package memdisk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"sync"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// SectorBytes is what the disk writes whole or not at all.
const SectorBytes = 512

// ErrKilled is what the handles of a dead process answer.
var ErrKilled = errors.New("the process that opened this file is dead")

// Disk is a disk in memory. It is safe for use by several goroutines, but equal runs
// need equal orders of calls.
type Disk struct {
	mu     sync.Mutex
	random *rand.Rand
	// cached is what the operating system shows by path, stable what the disk holds.
	cached, stable map[string]*inode
	// changes are what SyncDir has still to make stable, by directory, in order.
	changes map[string][]entryChange
	// inodes counts the files ever made; each has a number, for a fixed order.
	inodes int
	// process counts kills and power losses: handles of an older process are dead.
	process    int
	operations []Operation
	unlogged   bool
	inject     func(Operation) *Fault
	limitBytes int64
}

var _ storage.Disk = (*Disk)(nil)

// entryChange is a change of a directory: name added or removed, or both in one step.
type entryChange struct {
	remove string // Full path; empty if nothing goes.
	add    string // Full path; empty if nothing comes.
	inode  *inode // What add names.
}

// New returns an empty disk. The seed decides everything that PowerLoss and failing
// syncs leave to chance.
func New(seed uint64) *Disk {
	return &Disk{
		random:  newRandom(seed),
		cached:  map[string]*inode{},
		stable:  map[string]*inode{},
		changes: map[string][]entryChange{},
	}
}

// newRandom is the one source of chance of a disk.
func newRandom(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x6d656d6469736b)) //nolint:forbidigo // seeded
}

// Create implements [storage.Disk].
func (d *Disk) Create(name string) (storage.File, error) {
	if err := storage.CheckPath("create", name); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	op := Operation{Kind: OperationCreate, Path: name}
	fault := d.fault(&op)
	if err := fault.before(); err != nil {
		return nil, d.done(op, err)
	}
	if d.cached[name] != nil {
		return nil, d.done(op, fs.ErrExist)
	}
	d.inodes++
	node := &inode{number: d.inodes}
	d.cached[name] = node
	d.change(entryChange{add: name, inode: node})
	if err := d.done(op, fault.after()); err != nil {
		return nil, err
	}
	return d.handle(name, node), nil
}

// Open implements [storage.Disk].
func (d *Disk) Open(name string) (storage.File, error) {
	if err := storage.CheckPath("open", name); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	op := Operation{Kind: OperationOpen, Path: name}
	fault := d.fault(&op)
	if err := fault.before(); err != nil {
		return nil, d.done(op, err)
	}
	node := d.cached[name]
	if node == nil {
		return nil, d.done(op, fs.ErrNotExist)
	}
	if err := d.done(op, fault.after()); err != nil {
		return nil, err
	}
	return d.handle(name, node), nil
}

// Rename implements [storage.Disk].
func (d *Disk) Rename(from, to string) error {
	if err := storage.CheckRename(from, to); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	op := Operation{Kind: OperationRename, Path: from, To: to}
	fault := d.fault(&op)
	if err := fault.before(); err != nil {
		return d.done(op, err)
	}
	node := d.cached[from]
	if node == nil {
		return d.done(op, fs.ErrNotExist)
	}
	delete(d.cached, from)
	d.cached[to] = node
	d.change(entryChange{remove: from, add: to, inode: node})
	return d.done(op, fault.after())
}

// Remove implements [storage.Disk].
func (d *Disk) Remove(name string) error {
	if err := storage.CheckPath("remove", name); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	op := Operation{Kind: OperationRemove, Path: name}
	fault := d.fault(&op)
	if err := fault.before(); err != nil {
		return d.done(op, err)
	}
	if d.cached[name] == nil {
		return d.done(op, fs.ErrNotExist)
	}
	delete(d.cached, name)
	d.change(entryChange{remove: name})
	return d.done(op, fault.after())
}

// List implements [storage.Disk].
func (d *Disk) List(directory string) ([]string, error) {
	if err := storage.CheckPath("list", directory); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name := range d.cached {
		if path.Dir(name) == directory {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// SyncDir implements [storage.Disk].
func (d *Disk) SyncDir(directory string) error {
	if err := storage.CheckPath("sync directory", directory); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	op := Operation{Kind: OperationSyncDir, Path: directory}
	fault := d.fault(&op)
	if err := fault.before(); err != nil {
		d.landEntries(directory, d.chance())
		return d.done(op, err)
	}
	d.landEntries(directory, Everything)
	return d.done(op, fault.after())
}

// change notes a change of a directory that is not yet stable.
func (d *Disk) change(c entryChange) {
	directory := path.Dir(c.name())
	d.changes[directory] = append(d.changes[directory], c)
}

// name is the path that the change is about.
func (c entryChange) name() string {
	if c.add != "" {
		return c.add
	}
	return c.remove
}

// landEntries makes those changes of a directory stable that survive; none is
// pending afterwards.
func (d *Disk) landEntries(directory string, survives Survival) {
	for _, c := range d.changes[directory] {
		if !survives(Unsynced{Kind: UnsyncedEntry, Path: c.name()}) {
			continue
		}
		delete(d.stable, c.remove)
		if c.add != "" {
			d.stable[c.add] = c.inode
		}
	}
	delete(d.changes, directory)
}

func (d *Disk) handle(name string, node *inode) *file {
	return &file{disk: d, inode: node, path: name, process: d.process}
}

// done notes a finished operation and wraps its error.
func (d *Disk) done(op Operation, err error) error {
	if err != nil {
		err = fmt.Errorf("%s %s: %w", op.Kind, op.Path, err)
	}
	op.Err = err
	d.note(op)
	return err
}
