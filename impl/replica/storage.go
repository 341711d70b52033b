package replica

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Storage is what all groups of a process share on disk. Hosts give it work from any
// goroutine; [Storage.Work] does it, from one goroutine for each lane.
type Storage struct {
	disk    storage.Disk
	options Options
	report  wal.Report

	// logMu and superMu are held while a lane, or a boot, uses the file behind it.
	logMu   sync.Mutex
	log     *wal.Log
	superMu sync.Mutex
	super   *superblock.Store

	logLane   logLane
	stateLane stateLane

	mu      sync.Mutex // guards what follows, never held while the disk works
	groups  map[wire.GroupID]*group
	records map[wire.GroupID][]wal.Recovered // found by Open, not yet taken by a boot
	gone    map[wire.GroupID]departure
	ticks   int
	failure error
}

// group is what the storage knows of a group that has a host.
type group struct {
	config GroupConfig
	// state is what the superblock says, or what it is being told to say.
	state superblock.VsrState
	// released is the op that a paired checkpoint covers; the log of the group may go up to it.
	released wire.Op
	// blocking says what the oldest file of a log that fills waits for.
	blocking wal.Need
}

// durable reports whether a prepare of the group counts as stored only when it is flushed.
func (g *group) durable() bool { return g.config.Policy != vsr.PolicyReplicated }

// Open opens the storage of a formatted data directory and recovers the write-ahead log.
//
// Errors, each in one line that says what can be done: superblock.ErrEmpty of a directory that
// was never formatted: it is not taken for a fresh one (R16); superblock.Unreadable;
// [*superblock.ForeignError]; wal.ErrGone; a file that does not belong there; the disk's.
//
// Source: R14, R16; spec/JournalBoot.tla Boot.
func Open(disk storage.Disk, options Options) (*Storage, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open storage: %w", err)
	}
	super, err := openSuperblock(disk, options.Cluster)
	if err != nil {
		return nil, fmt.Errorf("open storage: %w", err)
	}
	if hasGroups(super.Record()) { // A boot begins the log before it knows of any.
		if err := wal.Begun(disk, datadir.Log); err != nil {
			return nil, fmt.Errorf("open storage: %w", err)
		}
	}
	log, report, err := wal.Open(disk, options.Log)
	if err != nil {
		return nil, fmt.Errorf("open storage: %w", err)
	}
	s := &Storage{
		disk: disk, options: options, super: super, log: log, report: report,
		groups: map[wire.GroupID]*group{}, records: map[wire.GroupID][]wal.Recovered{},
		gone: map[wire.GroupID]departure{},
	}
	s.logLane.wake = make(chan struct{}, 1)
	s.stateLane.wake = make(chan struct{}, 1)
	for _, g := range super.Record().Groups {
		if g.Group != datadir.Identity {
			s.records[g.Group] = nil // The log may have nothing of it, and a mark of doubt (R15).
		}
	}
	for _, r := range report.Records {
		s.records[r.Group] = append(s.records[r.Group], r)
	}
	s.report.Records = nil
	return s, nil
}

// hasGroups says that a process has hosted groups: what it keeps of itself is of none.
func hasGroups(r superblock.Record) bool {
	return slices.ContainsFunc(r.Groups, func(g superblock.GroupState) bool {
		return g.Group != datadir.Identity
	})
}

// Served says that the process had hosted groups before this boot, or has since.
func (s *Storage) Served() bool {
	s.superMu.Lock()
	defer s.superMu.Unlock()
	return hasGroups(s.super.Record())
}

// Report says what recovery found in the log, without the records: what it did not adopt, byte
// range by byte range, and why (R14).
func (s *Storage) Report() wal.Report { return s.report }

// Groups lists the groups that the superblock knows: those that this process has hosted.
func (s *Storage) Groups() []superblock.GroupState {
	s.superMu.Lock()
	defer s.superMu.Unlock()
	return append([]superblock.GroupState(nil), s.super.Record().Groups...)
}

// Identify makes the state of a group durable that has no host: what a process keeps of itself
// in the superblock. It takes an update of the superblock, in which it waits for the state lane.
//
// Errors: those of [superblock.Store.Write]; after storage.ErrFull it may be called again.
func (s *Storage) Identify(state superblock.GroupState) error {
	s.superMu.Lock()
	defer s.superMu.Unlock()
	if err := s.super.Write(state); err != nil {
		return fmt.Errorf("identify: %w", err)
	}
	return nil
}

// Read returns a stored prepare by its identity (R3). It may be called from any goroutine, and
// takes one read of the disk.
//
// Errors: wal.ErrAbsent, wal.ErrDamaged, the disk's. What cannot be read is lost to the caller,
// whatever the reason (R14).
func (s *Storage) Read(group wire.GroupID, id wire.PrepareID) (*wire.Prepare, error) {
	body, err := s.log.Read(group, id)
	if err != nil {
		return nil, fmt.Errorf("read prepare: %w", err)
	}
	p, err := decodePrepare(body)
	if err != nil {
		return nil, fmt.Errorf("read %s of group %d: %w", id, group, err)
	}
	if p.Header.ID() != id {
		return nil, fmt.Errorf("read %s of group %d: the record is %s", id, group, p.Header.ID())
	}
	return p, nil
}

// Full says that prepares wait for room in the log, or on the disk.
func (s *Storage) Full() bool { return s.logLane.full.Load() }

// Tick says that time has passed: what nobody waits for is flushed within bounds, and what
// found the disk full is tried again.
func (s *Storage) Tick() {
	s.logLane.tick(s.options.Bounds)
	s.stateLane.tick()
	s.pressKeepers()
}

// Close lets go of the files, without a flush. The lanes must have stopped.
func (s *Storage) Close() error {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	_ = s.fail(errClosed) // what an earlier failure said stays
	if err := s.log.Close(); err != nil {
		return fmt.Errorf("close storage: %w", err)
	}
	return nil
}

var errClosed = errors.New("the storage is closed")

// fail notes the first failure: nothing is done any more.
func (s *Storage) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
	return err
}

// Err returns the failure that ended the storage, or nil.
func (s *Storage) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// forget takes a group off that has no host after all.
func (s *Storage) forget(id wire.GroupID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.groups, id)
}

// bodyMax is the largest body of a request that fits into a file of the log, with the frame's
// header and what a batch has around it.
func (s *Storage) bodyMax() int {
	const around = 4 * wal.SectorBytes
	return min(wire.MaxBodyBytes, int(s.options.Log.FileBytes)-wire.HeaderBytes-around)
}
