package logspace

import "slices"

// Record is an op of a group, or a state record, which has no op. Groups are from 1 on: the zero
// record is none.
type Record struct {
	Group, Op uint8
	IsState   bool
}

// File holds records, the oldest first; beyond them all is zero.
type File [RoomMax]Record

// count is how many records a file has.
func (f *File) count() int {
	n := 0
	for n < RoomMax && f[n].Group > 0 {
		n++
	}
	return n
}

// stateOf is LogSpace!State: a state record of a group.
func stateOf(group uint8) Record { return Record{Group: group, IsState: true} }

// Files are those of the log, the oldest first; beyond Count all is zero.
type Files struct {
	Each  [FilesMax + moveFiles]File
	Count uint8
}

// last is the file that records go to.
func (f *Files) last() *File { return &f.Each[f.Count-1] }

// has is LogSpace!Has, of the files from a place on, the oldest being 0.
func (f *Files) has(from int, x Record) bool {
	for i := from; i < int(f.Count); i++ {
		if slices.Contains(f.Each[i][:], x) {
			return true
		}
	}
	return false
}

// Asks are what the log asks a group for.
type Asks struct{ Checkpoint, State bool }

// Standing is where a group stands: element g of those variables of LogSpace.tla that are
// functions of groups.
type Standing struct {
	// Head is the newest op, Stored the newest in the log, Commit the newest executed.
	Head, Stored, Commit uint8
	// Base is the op of the newest checkpoint, Running that of the one under way or 0, Released
	// the base of the newest state record.
	Base, Running, Released uint8
	// Waits says that the last checkpoint failed and none is tried yet, Owes that a state record
	// is to be written, Gone that the group exists no more.
	Waits, Owes, Gone bool
	// Asked is what the log asks the group for.
	Asked Asks
}

// State is a state of LogSpace.tla. What is beyond the constants stays zero. It is a value:
// assignment copies it.
type State struct {
	// Group has the groups by number, from 1 on.
	Group [GroupsMax + 1]Standing
	Files Files
	// Moved says that what no checkpoint covers was moved out of the oldest file.
	Moved bool
	Fails uint8
}

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	for g := 1; g <= m.Groups; g++ {
		x := &s.Group[g]
		dst = append(dst, x.Head, x.Stored, x.Commit, x.Base, x.Running, x.Released,
			bits(x.Waits, x.Owes, x.Gone, x.Asked.Checkpoint, x.Asked.State))
	}
	dst = append(dst, bits(s.Moved), s.Fails, s.Files.Count)
	for _, f := range s.Files.Each[:s.Files.Count] {
		for _, x := range f[:m.Room] {
			dst = append(dst, x.Group<<5|x.Op<<1|bits(x.IsState))
		}
	}
	return dst
}

func bits(flags ...bool) (all uint8) {
	for i, flag := range flags {
		if flag {
			all |= 1 << i
		}
	}
	return all
}
