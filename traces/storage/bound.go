package storage

import (
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

type (
	state  = model.JournalState
	action = model.JournalAction
	// Path is a path of the model.
	Path = []explore.Step[state, action]
)

// Followable returns the model of Journal.tla without the steps that the code never takes. What
// is left is every way in which the code's own steps and the disk's faults can go on (see doc.go
// for why each of these is no loss).
//
// c must have what the code has: Twin, Misdirects and Mirror, and no Checkpoints.
func Followable(c model.JournalConfig) explore.Model[state, action] {
	if !c.Twin || !c.Misdirects || !c.Mirror || c.Checkpoints {
		panic("Followable: expected Twin, Misdirects and Mirror, without Checkpoints")
	}
	m := model.Journal(c)
	observer := model.NewJournalObserver(c)
	next := m.Next
	m.Next = func(s state, yield func(action, state)) {
		next(s, func(a action, t state) {
			if follows(observer, &s, a) {
				yield(a, t)
			}
		})
	}
	return m
}

func follows(observer model.JournalObserver, s *state, a action) bool {
	switch a.Kind { //nolint:exhaustive // Of the others the code takes every step.
	case model.JournalPowerLoss:
		// The code makes the first file durable before it touches the second.
		return a.Files != 2
	case model.JournalDamageSuperblock:
		// A file that the model never wrote is a formatted one, and whole.
		return s.SuperblockCache[2-a.Number].Sequence > 0 ||
			s.SuperblockCache[2-a.Number].Unreadable
	case model.JournalRot, model.JournalMisdirect:
		// What the last boot cut off is not there any more.
		b := &s.WALCache[a.Number-1]
		return b.Boot+1 == s.Crashes ||
			b.Sequence == a.Number && observer.Scan(*s).Uses(b.Sequence)
	}
	return true
}
