package wal

import (
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Files returns how many files have batches.
func (l *Log) Files() int { return len(l.files) }

// Blocking lists the groups that keep the oldest file, if it is not the only one: those that
// need a checkpoint at a later op than the one given, or a newer state record. They are in the
// order of their numbers.
func (l *Log) Blocking(checkpoints map[wire.GroupID]wire.Op) []wire.GroupID {
	if len(l.files) < 2 {
		return nil
	}
	oldest, next := l.files[0], l.files[1].first
	blocking := map[wire.GroupID]bool{}
	for group, op := range oldest.highest {
		if l.keeps(group, checkpoints[group], op, next) {
			blocking[group] = true
		}
	}
	if oldest.marked {
		for _, f := range l.files {
			for group := range f.highest {
				if l.keeps(group, checkpoints[group], 0, next) {
					blocking[group] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(blocking))
}
