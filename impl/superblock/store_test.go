package superblock_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// state is that of group 1 in a view.
func state(view wire.View) superblock.GroupState {
	return superblock.GroupState{Group: 1, VsrState: superblock.VsrState{
		Cluster: example.Cluster, Replica: 2, ReplicaCount: 3, View: view, LogView: view / 2,
	}}
}

// record is what n updates of group 1 amount to.
func record(n int) superblock.Record {
	r := superblock.Record{Sequence: uint64(n) + 1, Cluster: example.Cluster}
	if n > 0 {
		r.Groups = []superblock.GroupState{state(wire.View(n))}
	}
	return r
}

// formatted has the superblock of record(n).
func formatted(t require.TestingT, disk storage.Disk, n int) *superblock.Store {
	s, err := superblock.Format(disk, "node", example.Cluster)
	require.NoError(t, err)
	for view := range n {
		require.NoError(t, s.Write(state(wire.View(view+1))))
	}
	return s
}

// image is the bytes of record(n).
func image(t require.TestingT, n int) []byte {
	disk := memdisk.New(1)
	formatted(t, disk, n)
	return content(t, disk, "node/"+superblock.FileA)
}

func content(t require.TestingT, disk storage.Disk, name string) []byte {
	f, err := disk.Open(name)
	require.NoError(t, err)
	size, err := f.Size()
	require.NoError(t, err)
	b := make([]byte, size)
	if n, err := f.ReadAt(b, 0); err != nil {
		require.ErrorIs(t, err, io.EOF)
		b = b[:n]
	}
	require.NoError(t, f.Close())
	return b
}

// diskWith has files of this content; no file where it is nil.
func diskWith(t require.TestingT, a, b []byte) *memdisk.Disk {
	disk := memdisk.New(1)
	for name, content := range map[string][]byte{superblock.FileA: a, superblock.FileB: b} {
		if content != nil {
			put(t, disk, "node/"+name, content)
		}
	}
	require.NoError(t, disk.SyncDir("node"))
	return disk
}

func put(t require.TestingT, disk storage.Disk, name string, content []byte) {
	f, err := disk.Create(name)
	require.NoError(t, err)
	_, err = f.WriteAt(content, 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

// newer is a record of a version that this program does not know.
func newer(t require.TestingT) []byte {
	b := image(t, 1)
	binary.LittleEndian.PutUint16(b[4:], 2)
	binary.LittleEndian.PutUint64(b[56:], 0x5eed)
	return b
}

// R16: three outcomes, and which file decides.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	old, now := image(t, 1), image(t, 2)
	other := image(t, 2)
	foreign := []byte("#!/bin/sh\n")
	damaged := append([]byte{}, now...)
	damaged[70] ^= 1
	conflict := diskWith(t, nil, nil)
	s := formatted(t, conflict, 1)
	require.NoError(t, s.Write(state(7)))
	conflicting := content(t, conflict, "node/"+superblock.FileA)
	present := func(n int) superblock.Outcome { return superblock.Present{Record: record(n)} }
	unreadable := func(why superblock.Why, version uint16, file string) superblock.Outcome {
		return superblock.Unreadable{Version: version, Why: why, File: "node/" + file}
	}
	for name, tc := range map[string]struct {
		a, b []byte
		want superblock.Outcome
	}{
		"nothing was ever written":            {nil, nil, superblock.Empty{}},
		"both copies":                         {now, other, present(2)},
		"an update that was half done counts": {now, old, present(2)},
		"... whichever file it reached":       {old, now, present(2)},
		"the second file is missing":          {now, nil, present(2)},
		"the first file is missing":           {nil, now, present(2)},
		"the first is damaged":                {damaged, now, present(2)},
		"the second is damaged":               {now, damaged, present(2)},
		"the second is something else":        {now, foreign, present(2)},
		"both are damaged": {
			damaged, damaged, unreadable(superblock.WhyDamaged, 1, "superblock.a"),
		},
		"one is damaged, the other missing": {
			nil, damaged, unreadable(superblock.WhyDamaged, 1, "superblock.b"),
		},
		"one is something else, no other": {
			foreign, nil, unreadable(superblock.WhyForeign, 0, "superblock.a"),
		},
		"one is cut off in its header": {now, now[:63], present(2)},
		"both are cut off in their headers": {
			now[:63], now[:6], unreadable(superblock.WhyDamaged, 1, "superblock.a"),
		},
		"one is cut off before its version, no other": {
			nil, now[:3], unreadable(superblock.WhyDamaged, 0, "superblock.b"),
		},
		"a newer version that is cut off, beside one that we can": {
			now, newer(t)[:20], unreadable(superblock.WhyOtherVersion, 2, "superblock.b"),
		},
		"a file without content": {
			[]byte{}, nil, unreadable(superblock.WhyEmptyFile, 0, "superblock.a"),
		},
		"a newer version": {
			newer(t), newer(t), unreadable(superblock.WhyOtherVersion, 2, "superblock.a"),
		},
		"a newer version beside one that we can": {
			now, newer(t), unreadable(superblock.WhyOtherVersion, 2, "superblock.b"),
		},
		"one sequence with two contents": {
			now, conflicting, unreadable(superblock.WhyConflict, 1, "superblock.a"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := diskWith(t, tc.a, tc.b)
			outcome, err := superblock.Read(disk, "node")
			require.NoError(t, err)
			assert.Equal(t, tc.want, outcome)

			before := snapshot(t, disk)
			s, err := superblock.Open(disk, "node", example.Cluster)
			switch want := tc.want.(type) {
			case superblock.Empty:
				require.ErrorIs(t, err, superblock.ErrEmpty)
				assert.Equal(t, before, snapshot(t, disk))
			case superblock.Unreadable:
				require.ErrorIs(t, err, want)
				assert.Equal(t, before, snapshot(t, disk))
				_, err = superblock.Format(disk, "node", example.Cluster)
				require.ErrorIs(t, err, want)
				assert.Equal(t, before, snapshot(t, disk))
			case superblock.Present:
				require.NoError(t, err)
				assert.Equal(t, want.Record, s.Record())
				assert.Equal(t, content(t, disk, "node/superblock.a"),
					content(t, disk, "node/superblock.b"), "Open makes the copies equal")
				_, err = superblock.Format(disk, "node", example.Cluster)
				require.ErrorIs(t, err, superblock.ErrFormatted)
			}
		})
	}
}

// snapshot is all that a disk shows, for "nothing has changed".
func snapshot(t require.TestingT, disk storage.Disk) map[string]string {
	files := map[string]string{}
	for _, directory := range []string{"node", "node/wal"} {
		names, err := disk.List(directory)
		require.NoError(t, err)
		for _, name := range names {
			files[directory+"/"+name] = string(content(t, disk, directory+"/"+name))
		}
	}
	return files
}

// R16: a superblock that is gone is not one that never was, as long as anything says so.
func TestALostSuperblockIsNoFreshDirectory(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"a file of something else": "node/notes.txt", "a WAL beside it": "node/wal/1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			put(t, disk, file, []byte("x"))
			_, err := superblock.Open(disk, "node", example.Cluster, "node/wal")
			require.ErrorContains(t, err, "no superblock beside what is in "+filepath.Dir(file))
			_, err = superblock.Format(disk, "node", example.Cluster, "node/wal")
			require.ErrorContains(t, err, "no superblock beside what is in "+filepath.Dir(file))
			assert.Len(t, snapshot(t, disk), 1)
		})
	}
	t.Run("what a crash in Format leaves is no such thing", func(t *testing.T) {
		t.Parallel()
		disk := memdisk.New(1)
		put(t, disk, "node/superblock.tmp", []byte("VSSB"))
		outcome, err := superblock.Read(disk, "node", "node/wal")
		require.NoError(t, err)
		assert.Equal(t, superblock.Empty{}, outcome)
		formatted(t, disk, 1)
	})
}

func TestTheSuperblockOfAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	formatted(t, disk, 1)
	require.NoError(t, disk.Remove("node/superblock.b"))
	before := snapshot(t, disk)
	_, err := superblock.Open(disk, "node", wire.ClusterID{Lo: 9})
	var foreign *superblock.ForeignError
	require.ErrorAs(t, err, &foreign)
	assert.Equal(t, "superblock in node is of cluster 0f0e0d0c0b0a09080706050403020100, "+
		"expected 00000000000000000000000000000009", err.Error())
	assert.Equal(t, before, snapshot(t, disk))
}

func TestNothingGoesBackwards(t *testing.T) {
	t.Parallel()
	checkpoint := func(op wire.Op, sum uint64) wire.PrepareID {
		return wire.PrepareID{Op: op, Checksum: wire.Checksum{Lo: sum}}
	}
	for name, tc := range map[string]struct {
		change func(*superblock.GroupState)
		want   string // Empty: it is written.
	}{
		"the same again": {func(*superblock.GroupState) {}, ""},
		"a higher view":  {func(s *superblock.GroupState) { s.View++ }, ""},
		"a lower view": {
			func(s *superblock.GroupState) { s.View-- }, "view of group 1 from 9 to 8",
		},
		"a lower log view": {
			func(s *superblock.GroupState) { s.LogView-- }, "log_view of group 1 from 4 to 3",
		},
		"a lower checkpoint": {
			func(s *superblock.GroupState) { s.Checkpoint = checkpoint(4, 5) },
			"checkpoint of group 1 from 5:",
		},
		"no checkpoint any more": {
			func(s *superblock.GroupState) { s.Checkpoint = wire.PrepareID{} },
			"checkpoint of group 1 from 5:",
		},
		"another checkpoint at its op": {
			func(s *superblock.GroupState) { s.Checkpoint = checkpoint(5, 6) },
			"checkpoint of group 1 from 5:",
		},
		"a higher checkpoint": {
			func(s *superblock.GroupState) { s.Checkpoint = checkpoint(6, 6) }, "",
		},
		"a lower commit max, which is no promise": {
			func(s *superblock.GroupState) { s.CommitMax = 1 }, "",
		},
		"another replica": {
			func(s *superblock.GroupState) { s.Replica = 1 }, "replica of group 1 from 2 to 1",
		},
		"another replica count": {
			func(s *superblock.GroupState) { s.ReplicaCount = 5 }, "replica_count of group 1 from 3 to 5",
		},
		"another cluster": {
			func(s *superblock.GroupState) { s.Cluster.Lo++ }, "group 1 is of cluster",
		},
		"a log view above the view": {
			func(s *superblock.GroupState) { s.LogView = 10 }, "log view 10, expected at most",
		},
		"another group is new": {
			func(s *superblock.GroupState) { s.Group, s.View, s.LogView = 0, 0, 0 }, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			s := formatted(t, disk, 0)
			first := state(9)
			first.CommitMax, first.Checkpoint = 7, checkpoint(5, 5)
			require.NoError(t, s.Write(first))
			before := s.Record()
			next := first
			tc.change(&next)
			err := s.Write(next)
			if tc.want == "" {
				require.NoError(t, err)
				got, found := s.Record().Find(next.Group)
				require.True(t, found)
				assert.Equal(t, next.VsrState, got)
				return
			}
			require.ErrorContains(t, err, tc.want)
			assert.Equal(t, before, s.Record())
			again, err := superblock.Open(disk, "node", example.Cluster)
			require.NoError(t, err)
			assert.Equal(t, before, again.Record())
		})
	}
}

// A full disk is an answer: the record stays, and Write works when there is space again.
func TestAFullDiskCostsNothing(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	s := formatted(t, disk, 1)
	before := snapshot(t, disk)
	for free := range int64(200) {
		disk.Limit(disk.UsedBytes() + free)
		err := s.Write(state(2))
		if err == nil {
			require.Greater(t, free, int64(64))
			return
		}
		require.ErrorIs(t, err, storage.ErrFull)
		require.Equal(t, record(1), s.Record())
		disk.Limit(0)
		require.Equal(t, before, snapshot(t, disk), "no half of a file stays")
	}
	t.Fatal("the disk never had space")
}

func TestAFailedSyncPoisonsTheStore(t *testing.T) {
	t.Parallel()
	broken := errors.New("medium error")
	disk := memdisk.New(1)
	s := formatted(t, disk, 1)
	disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind == memdisk.OperationSync {
			return &memdisk.Fault{Err: broken}
		}
		return nil
	})
	require.ErrorIs(t, s.Write(state(2)), broken)
	disk.Inject(nil)
	err := s.Write(state(2))
	require.ErrorIs(t, err, superblock.ErrPoisoned)
	require.ErrorIs(t, err, broken)
	s, err = superblock.Open(disk, "node", example.Cluster)
	require.NoError(t, err)
	assert.Equal(t, record(1), s.Record())
}

// On the operating system, with what people and other programs leave in a directory. Each
// is one clear line, and nothing is changed.
func TestBadDirectories(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		make func(t *testing.T, dir string)
		want string
	}{
		"a file of something else": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(dir+"/superblock.a", []byte("hello"), 0o600))
		}, "superblock node/superblock.a cannot be trusted (foreign), nor is there a copy that can: " +
			"restore both files from one copy, or give this replica an empty directory with " +
			"'viewstamp format --replace'"},
		"files, and no superblock": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(dir+"/notes", []byte("hello"), 0o600))
		}, "no superblock beside what is in node: expected a directory that 'viewstamp format' " +
			"made; a replica whose superblock is lost gets an empty one with " +
			"'viewstamp format --replace'"},
		"a newer version": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(dir+"/superblock.a", newer(t), 0o600))
		}, "superblock node/superblock.a has version 2, expected 1: start the program that wrote it"},
		"another cluster": {func(t *testing.T, dir string) {
			b := image(t, 0)
			require.NoError(t, os.WriteFile(dir+"/superblock.a", b, 0o600))
		}, "superblock in node is of cluster 0f0e0d0c0b0a09080706050403020100, " +
			"expected 00000000000000000000000000000009"},
		"a loop of links": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("superblock.b", dir+"/superblock.a"))
			require.NoError(t, os.Symlink("superblock.a", dir+"/superblock.b"))
		}, "open superblock: open node/superblock.a: not a regular file: L---------"},
		"a link to another place": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Dir(dir)+"/real", image(t, 0), 0o600))
			require.NoError(t, os.Symlink("../real", dir+"/superblock.a"))
		}, "open superblock: open node/superblock.a: not a regular file: L---------"},
		"a directory in place of the file": {func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir+"/superblock.b", 0o700))
		}, "open superblock: open node/superblock.b: not a regular file: d---------"},
		"a file that we may not read": {func(t *testing.T, dir string) {
			if os.Getuid() == 0 {
				t.Skip("root may read everything; TestADiskThatRefuses has the same in memory")
			}
			require.NoError(t, os.WriteFile(dir+"/superblock.a", image(t, 0), 0o000))
		}, "open superblock: open node/superblock.a: openat superblock.a: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			require.NoError(t, os.Mkdir(root+"/node", 0o755))
			tc.make(t, root+"/node")
			before := tree(t, root)
			disk, err := storage.OpenDirectory(root)
			require.NoError(t, err)
			_, err = superblock.Open(disk, "node", wire.ClusterID{Lo: 9})
			require.EqualError(t, err, tc.want)
			_, err = superblock.Format(disk, "node", wire.ClusterID{Lo: 9})
			require.Error(t, err)
			require.NoError(t, disk.Close())
			assert.Equal(t, before, tree(t, root))
		})
	}
}

func TestADiskThatRefusesSaysNothingOfTheSuperblock(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]memdisk.OperationKind{
		"to open": memdisk.OperationOpen, "to read": memdisk.OperationRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			formatted(t, disk, 1)
			before := snapshot(t, disk)
			disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
				if op.Kind == kind {
					return &memdisk.Fault{Err: fs.ErrPermission}
				}
				return nil
			})
			outcome, err := superblock.Read(disk, "node")
			require.ErrorIs(t, err, fs.ErrPermission)
			assert.Nil(t, outcome)
			_, err = superblock.Open(disk, "node", example.Cluster)
			require.ErrorIs(t, err, fs.ErrPermission)
			disk.Inject(nil)
			assert.Equal(t, before, snapshot(t, disk))
		})
	}
}

// tree is all that lies below a directory.
func tree(t *testing.T, root string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			content = string(b)
		}
		files[name] = fmt.Sprint(info.Mode(), info.ModTime(), content)
		return nil
	}))
	return files
}
