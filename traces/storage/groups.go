package storage

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

type (
	groupsState  = model.GroupsState
	groupsAction = model.GroupsAction
	// GroupsPath is a path of JournalGroups.
	GroupsPath = []explore.Step[groupsState, groupsAction]
)

// Groups has a disk with the log and the superblock of several groups, along paths of
// spec/JournalGroups.tla. As with a [Keeper] each batch has a file of its own.
type Groups struct {
	Counts

	config model.GroupsConfig
	maker  GroupsMaker
	disk   *memdisk.Disk
	log    GroupsLog
	super  *superblock.Store
	boot   Boot
	// files are those of the batches, by the model's sequence; base is the first that is live.
	files [model.GroupsBatchMax + 1]string
	base  uint8
}

// GroupsFollowable returns the model of JournalGroups.tla without what a [Groups] does not do: rot,
// losses of batches that the code has flushed when it began the file of the next, and releases
// while something is not flushed.
//
// c must have no rot.
func GroupsFollowable(c model.GroupsConfig) explore.Model[groupsState, groupsAction] {
	if c.MaxRot > 0 {
		panic("GroupsFollowable: expected no rot")
	}
	m := model.JournalGroups(c)
	next := m.Next
	m.Next = func(s groupsState, yield func(groupsAction, groupsState)) {
		next(s, func(a groupsAction, t groupsState) {
			switch {
			case a.Kind == model.GroupsCrash && a.Number+1 < s.Written:
			case a.Kind == model.GroupsRelease && s.Written != s.Synced:
			default:
				yield(a, t)
			}
		})
	}
	return m
}

// GroupsBound is a configuration of JournalGroups by name.
type GroupsBound struct {
	Name   string
	Config model.GroupsConfig
}

// GroupsBounds are bounds for walks in which slots and files are used again.
func GroupsBounds() []GroupsBound {
	return []GroupsBound{
		{"two groups", model.GroupsConfig{
			Groups: 2, MaxOp: 3, MaxView: 3, MaxBatch: 15, Slots: 6, MaxCrash: 4,
		}},
		{"one group", model.GroupsConfig{
			Groups: 1, MaxOp: 3, MaxView: 5, MaxBatch: 15, Slots: 6, MaxCrash: 4,
		}},
	}
}

// GroupsWalk is the random walk of a seed.
func GroupsWalk(c model.GroupsConfig, seed uint64) GroupsPath {
	const steps = 90
	random := rand.New(rand.NewPCG(seed, 23)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(GroupsFollowable(c), random, steps, func(a groupsAction) int {
		switch a.Kind { //nolint:exhaustive // The others end what walks are to reach.
		case model.GroupsSync, model.GroupsBoot, model.GroupsRelease, model.GroupsMove:
			return 200
		case model.GroupsAppendPrepare, model.GroupsSayStates, model.GroupsTakeSnapshot:
			return 100
		case model.GroupsWriteSuperblock, model.GroupsAdopt:
			return 40
		}
		return 3
	})
}

// FollowGroups follows the random walk of a seed.
//
// Errors: a [*Mismatch].
func FollowGroups(b GroupsBound, maker GroupsMaker, seed uint64) (Counts, error) {
	g, err := NewGroups(b.Config, maker)
	if err != nil {
		return Counts{}, err
	}
	if err := g.Follow(GroupsWalk(b.Config, seed)); err != nil {
		return g.Counts, fmt.Errorf("walk %d of %s: %w", seed, b.Name, err)
	}
	return g.Counts, nil
}

// NewGroups returns the disk of the model's initial state. An error is that of the first boot on
// an empty disk.
func NewGroups(c model.GroupsConfig, maker GroupsMaker) (*Groups, error) {
	g := &Groups{
		config: c, maker: maker, disk: memdisk.New(1), base: 1,
		boot: Boot{FileBytes: batchBytes, Kernel: 1, Persisted: true},
	}
	store, err := superblock.Format(g.disk, directorySuperblock, cluster)
	if err != nil {
		return nil, fmt.Errorf("start groups: %w", err)
	}
	g.super = store
	if _, err := g.open(); err != nil {
		return nil, fmt.Errorf("start groups: %w", err)
	}
	return g, nil
}

func (g *Groups) open() (found GroupsFound, err error) {
	g.boot.Number++
	g.log, found, err = g.maker(g.disk, g.boot)
	return found, err
}

// Follow takes the steps of a path, as [Machine.Follow] does.
func (g *Groups) Follow(p GroupsPath) error {
	for i := 1; i < len(p); i++ {
		g.Steps++
		if mismatch := g.act(p[i].Action, &p[i-1].State, &p[i].State); mismatch != nil {
			mismatch.Step, mismatch.Action = i, p[i].Action.String()
			return mismatch
		}
	}
	return nil
}

func (g *Groups) act(a groupsAction, s, t *groupsState) *Mismatch {
	switch a.Kind {
	case model.GroupsAppendPrepare, model.GroupsAdopt, model.GroupsSayStates, model.GroupsMove:
		if mismatch := g.append(t, a.Kind == model.GroupsMove); mismatch != nil {
			return mismatch
		}
		return g.read(t)
	case model.GroupsSync:
		if err := g.log.Sync(); err != nil {
			return failed("flush", err)
		}
	case model.GroupsWriteSuperblock:
		return g.say(t)
	case model.GroupsRelease:
		return g.release(s, t)
	case model.GroupsCrash:
		g.crash(a, s)
	case model.GroupsBoot:
		return g.recover(t)
	case model.GroupsTakeSnapshot: // Its file is the matter of a [Keeper].
	case model.GroupsRot:
		return differ("action", a, "not driven")
	}
	return nil
}

// cell is the batch of a sequence.
func (g *Groups) cell(s *groupsState, sequence uint8) *model.GroupsBatch {
	return &s.WAL[(int(sequence)-1)%g.config.Slots]
}

// append appends the batch that the model has just written: what is moved is a fill.
func (g *Groups) append(t *groupsState, moved bool) *Mismatch {
	b := g.cell(t, t.Written)
	made := make([]Record, 0, batchRecords)
	for i := range g.config.Groups {
		of := wire.GroupID(i + 1)
		for op := uint8(1); int(op) <= g.config.MaxOp; op++ {
			if hasBody(b, i, op) {
				r := record(kindPrepare, of, groupsID(of, op), groupsBody(of, op))
				r.LogView, r.Fill = wire.View(t.LogView[i]), moved
				made = append(made, r)
			}
		}
		if said := b.States[i]; said.Said {
			r := record(kindState, of, wire.PrepareID{Op: wire.Op(said.Head)}, nil)
			r.LogView, r.InDoubt = wire.View(said.LogView), said.InDoubt
			made = append(made, r)
		}
	}
	_, mismatch := g.put(made, t.Written)
	if moved {
		g.Moves++
	}
	return mismatch
}

// put appends records as a batch with a file of its own, of the model's sequence.
func (g *Groups) put(made []Record, sequence uint8) (Sequence, *Mismatch) {
	appended, err := g.log.Append(g.fill(made)...)
	if err != nil {
		return 0, failed("append", err)
	}
	g.Batches++
	name, offset, size := g.log.NewestPlace()
	g.files[sequence] = name
	if offset != 0 || size != batchBytes {
		return 0, differ("place of the batch", "a file of its own", fmt.Sprint(name, offset, size))
	}
	return appended, nil
}

// fill fills a batch up with records that belong to nobody. Their number makes the index unlike
// that of others: else a torn batch over an old one could be whole.
func (g *Groups) fill(made []Record) []Record {
	room := batchBytes - 2*indexBytes
	for _, r := range made {
		room -= len(r.Body)
	}
	number := wire.PrepareID{Op: wire.Op(g.Batches + 1)}
	for len(made) < batchRecords {
		made = append(made, record(kindState, fillGroup, number, make([]byte, room)))
		room = 0
	}
	return made
}

// say writes the state of all groups into the superblock.
func (g *Groups) say(t *groupsState) *Mismatch {
	var all []superblock.GroupState
	for i := range g.config.Groups {
		of, said := wire.GroupID(i+1), t.Superblock[i]
		state := superblock.VsrState{
			Cluster: cluster, ReplicaCount: 3, View: wire.View(said.LogView),
			LogView: wire.View(said.LogView), CommitMax: wire.Op(said.Checkpoint),
		}
		if said.Checkpoint > 0 {
			state.Checkpoint = groupsID(of, said.Checkpoint)
		}
		all = append(all, superblock.GroupState{Group: of, VsrState: state})
	}
	if err := g.super.Write(all...); err != nil {
		return failed("write superblock", err)
	}
	return nil
}

// release lets go of what may go: at least what the model lets go of, and no batch that has
// something needed. What Move has copied counts as moved.
func (g *Groups) release(s, t *groupsState) *Mismatch {
	const all = wire.Op(1 << 40)
	checkpoints := map[wire.GroupID]wire.Op{fillGroup: all}
	for i := range g.config.Groups {
		checkpoints[wire.GroupID(i+1)] = wire.Op(s.Superblock[i].Checkpoint)
	}
	if g.base > s.Base {
		return nil // It has gone already: the code lets all go that may.
	}
	moved, err := g.log.Move(checkpoints)
	if err != nil || moved > 0 {
		return differ("what must be moved", 0, fmt.Sprint(moved, err))
	}
	if _, err := g.log.Release(checkpoints); err != nil {
		return failed("release", err)
	}
	g.Releases++
	names, err := g.disk.List(directoryLog)
	if err != nil {
		return failed("read the disk", err)
	}
	for g.base <= s.Written && !slices.Contains(names, g.files[g.base]) {
		if g.needed(s, g.base) {
			return differ(fmt.Sprintf("batch %d is live", g.base), true, false)
		}
		g.base++
	}
	if g.base < t.Base {
		return differ(fmt.Sprintf("batch %d is live", g.base), false, true)
	}
	return g.read(t)
}

// needed says whether a batch has something that is nowhere behind it, by the model's state.
func (g *Groups) needed(s *groupsState, sequence uint8) bool {
	b := g.cell(s, sequence)
	for i := range g.config.Groups {
		behind := model.GroupsBatch{}
		for n := sequence + 1; n <= s.Written; n++ {
			behind.Bodies |= g.cell(s, n).Bodies
			behind.States[i].Said = behind.States[i].Said || g.cell(s, n).States[i].Said
		}
		for op := s.Superblock[i].Checkpoint + 1; int(op) <= g.config.MaxOp; op++ {
			if hasBody(b, i, op) && !hasBody(&behind, i, op) {
				return true
			}
		}
		if b.States[i].Said && !behind.States[i].Said {
			return true
		}
	}
	return false
}

// crash takes the power, and with it the newest batch, all of it or all but a sector.
func (g *Groups) crash(a groupsAction, s *groupsState) {
	newest := path.Join(directoryLog, g.files[s.Written])
	g.disk.PowerLoss(func(u memdisk.Unsynced) bool {
		return u.Path != newest || a.Number == s.Written || a.Torn && u.Sector == 0
	})
}

// recover boots the code and compares what it finds of each group with the model's state t.
func (g *Groups) recover(t *groupsState) *Mismatch {
	g.Recoveries++
	store, err := superblock.Open(g.disk, directorySuperblock, cluster, directoryLog)
	if err != nil {
		return failed("boot", err)
	}
	g.super = store
	found, err := g.open()
	if err != nil {
		return failed("boot", err)
	}
	for i := range g.config.Groups {
		of := wire.GroupID(i + 1)
		said, _ := store.Record().Find(of)
		head, logView := found.log(of)
		doubt := found.Doubt(of)
		if doubt {
			g.Doubts++
		}
		for _, c := range []struct {
			what        string
			model, code any
		}{
			{"log view in the superblock", t.Superblock[i].LogView, uint8(said.LogView)},
			{"checkpoint", t.Superblock[i].Checkpoint, uint8(said.Checkpoint.Op)},
			{"log view", t.LogView[i], uint8(logView)},
			{"head", t.Head[i], max(uint8(head), t.Snapshot[i])},
			{"doubt", t.InDoubt[i], doubt},
		} {
			if c.model != c.code {
				return differ(fmt.Sprintf("%s of group %d", c.what, of), c.model, c.code)
			}
		}
	}
	return g.read(t)
}

// read asks for every body: what the model's log has is there, and nothing else.
func (g *Groups) read(t *groupsState) *Mismatch {
	for i := range g.config.Groups {
		of := wire.GroupID(i + 1)
		for op := uint8(1); int(op) <= g.config.MaxOp; op++ {
			want := false
			for n := g.base; n <= t.Written; n++ {
				want = want || !g.cell(t, n).Unreadable && hasBody(g.cell(t, n), i, op)
			}
			body, err := g.log.Read(of, groupsID(of, op))
			g.Reads++
			if got := err == nil; got != want || got && !bytes.Equal(body, groupsBody(of, op)) {
				return differ(fmt.Sprintf("op %d of group %d is stored", op, of), want, err)
			}
		}
	}
	return nil
}

// fillGroup has a state record in each batch, and no say in anything.
const fillGroup wire.GroupID = 9

func hasBody(b *model.GroupsBatch, group int, op uint8) bool {
	return b.Bodies&(1<<(group*model.GroupsOpMax+int(op)-1)) != 0
}

func groupsID(of wire.GroupID, op uint8) wire.PrepareID {
	return wire.PrepareID{Op: wire.Op(op), Checksum: wire.Checksum{Lo: uint64(op), Hi: uint64(of)}}
}

func groupsBody(of wire.GroupID, op uint8) []byte {
	return bytes.Repeat([]byte{byte(of), op}, 150)
}

// GroupsRecordingBounds are those within which recordings of several groups are made.
func GroupsRecordingBounds() []GroupsBound {
	all := GroupsBounds()
	for i := range all {
		all[i].Config.MaxCrash = model.GroupsCrashMax
	}
	return all
}
