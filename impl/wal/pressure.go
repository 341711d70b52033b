package wal

import "github.com/viewstamp/viewstamp/impl/wire"

// Need is what a group must do before the oldest file can go.
type Need struct {
	// Checkpoint: the file has an op above the group's checkpoint, with no flushed copy behind.
	Checkpoint bool
	// State: no flushed state record of the group lies behind the file.
	State bool
}

// Files returns how many files have batches.
func (l *Log) Files() int { return len(l.files) }

// Blocking says what keeps the oldest file, if it is not the only one: the groups that need a
// checkpoint at a later op than the one given, or a newer state record. The checkpoints are as in
// [Log.Release].
func (l *Log) Blocking(checkpoints map[wire.GroupID]wire.Op) map[wire.GroupID]Need {
	if len(l.files) < 2 {
		return nil
	}
	return l.needs(checkpoints)
}

// needs says what keeps the oldest file.
func (l *Log) needs(checkpoints map[wire.GroupID]wire.Op) map[wire.GroupID]Need {
	needs := map[wire.GroupID]Need{}
	oldest, next := l.files[0], l.files[1].first
	for group, op := range oldest.highest {
		if checkpoints[group] == Gone {
			continue
		}
		n := Need{
			Checkpoint: op > checkpoints[group] && !oldest.moved,
			State:      !l.stateSince(group, next),
		}
		if n != (Need{}) {
			needs[group] = n
		}
	}
	if oldest.moved {
		for _, x := range l.uncopied(oldest, checkpoints) {
			n := needs[x.group]
			n.Checkpoint = true
			needs[x.group] = n
		}
	}
	if oldest.marked {
		for group := range l.marked(checkpoints) {
			if checkpoints[group] != Gone && !l.stateSince(group, next) {
				n := needs[group]
				n.State = true
				needs[group] = n
			}
		}
	}
	return needs
}

// marked are the groups that a mark of doubt stands for, as long as they have no newer state
// record: all, those too of which the log has no record, since all that it had may be lost (R15).
func (l *Log) marked(checkpoints map[wire.GroupID]wire.Op) map[wire.GroupID]bool {
	groups := map[wire.GroupID]bool{}
	for group := range checkpoints {
		groups[group] = true
	}
	for _, f := range l.files {
		for group := range f.highest {
			groups[group] = true
		}
	}
	return groups
}

// Tight says that soon not even a state record will find room: the files that are kept back for
// it are in use, and more than half full.
func (l *Log) Tight() bool {
	return len(l.files) > l.config.FilesMax && l.config.FileBytes-l.offset < l.config.FileBytes/2
}
