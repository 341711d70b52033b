package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// Unexplained says which line of a recording no state of the model explains.
type Unexplained struct {
	// Line is its number, from 1; Text the line.
	Line int
	Text string
	// Expected are the lines that would have been explained, where these can be listed.
	Expected []string
}

// Error is the verdict on one line.
func (u *Unexplained) Error() string {
	text := fmt.Sprintf("line %d: no state of the model explains %s", u.Line, u.Text)
	if len(u.Expected) > 0 {
		text += ", expected " + strings.Join(u.Expected, " or ")
	}
	return text
}

// Explained says how much was explained.
type Explained struct {
	// Lines, and of them the boots; States is the largest number of states held at once.
	Lines, Boots, States int
	// Trusting are the boots whose code trusts a log that the spec doubts (see doc.go).
	Trusting int
}

// Add adds what another explanation has counted.
func (e *Explained) Add(more Explained) {
	e.Lines += more.Lines
	e.Boots += more.Boots
	e.Trusting += more.Trusting
	e.States = max(e.States, more.States)
}

// took counts a line that was explained by so many states.
func (e *Explained) took(do string, states int) {
	e.Lines++
	e.States = max(e.States, states)
	if do == DoBoot {
		e.Boots++
	}
}

// Explain looks for behaviours of the model that a recording is of. The error is an
// [*Unexplained] if there are none.
func Explain(r Recording) (Explained, error) {
	x := newExplainer(r.Persisted)
	var done Explained
	for i, line := range r.Lines {
		before := x.now
		x.now = x.explain(line, &done)
		if len(x.now) == 0 {
			return done, &Unexplained{i + 1, line.String(), x.expected(before, line)}
		}
		done.took(line.Do, len(x.now))
	}
	return done, nil
}

type explainer struct {
	model explore.Model[state, action]
	now   []state
}

func newExplainer(persisted bool) *explainer {
	m := model.Journal(boundsOf(persisted))
	return &explainer{model: m, now: m.Init()}
}

// step takes the model's steps of some kinds from some states, as far as keep agrees.
func (x *explainer) step(
	from []state, keep func(s, t *state) bool, kinds ...model.JournalActionKind,
) []state {
	var next []state
	for _, s := range from {
		x.model.Next(s, func(a action, t state) {
			if slices.Contains(kinds, a.Kind) && (keep == nil || keep(&s, &t)) {
				next = append(next, t)
				next = append(next, mixed(a, t)...)
			}
		})
	}
	return x.distinct(next)
}

// mixed returns what a power loss also leaves: of torn batches some with a legible index and
// some without. To the model all fare alike.
func mixed(a action, t state) (more []state) {
	if a.Kind != model.JournalPowerLoss || !a.Legible {
		return nil
	}
	more = []state{t}
	for p := range a.Slots {
		if a.Fate[p] != model.JournalTorn {
			continue
		}
		for _, s := range slices.Clone(more) {
			s.WALCache[p].Illegible, s.WALDisk[p].Illegible = true, true
			more = append(more, s)
		}
	}
	return more[1:]
}

func (x *explainer) distinct(all []state) []state {
	return distinct(all, func(s state) string { return string(x.model.Key(nil, s)) })
}

// distinct returns the first state of each key, in order.
func distinct[S any, K comparable](all []S, key func(S) K) (kept []S) {
	seen := map[K]bool{}
	for _, s := range all {
		if k := key(s); !seen[k] {
			seen[k] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// explain returns the states after a line.
func (x *explainer) explain(line Line, done *Explained) []state {
	switch line.Do {
	case DoView:
		return x.step(x.now, nil, model.JournalEnterView)
	case DoAppend:
		return x.step(x.queue(line.Batch), nil, model.JournalWriteBatch)
	case DoSync:
		return x.step(x.now, nil, model.JournalSyncWAL)
	case DoSuperblock:
		return x.step(x.update(line, 2), nil, model.JournalSyncSuperblock)
	case DoKill:
		return x.step(x.underWay(line), nil, model.JournalKill)
	case DoPowerLoss:
		return x.step(x.underWay(line), nil, model.JournalPowerLoss)
	case DoRot:
		return x.distinct(append(x.step(x.now, nil, model.JournalRot), x.now...))
	case DoBoot:
		return x.boot(*line.Found, done)
	}
	return nil
}

// queue returns the states with the line's batch in the queue.
func (x *explainer) queue(batch []LineRecord) []state {
	want := recordsOfLine(batch)
	var ready, other []state
	for _, s := range x.now {
		switch {
		case s.Queue == want:
			ready = append(ready, s)
		case s.Queue.Count == 0:
			other = append(other, s)
		}
	}
	return append(ready, x.step(other, func(_, t *state) bool { return t.Queue == want },
		model.JournalAppendPrepare, model.JournalRepairPrepare, model.JournalAdopt)...)
}

// update returns the states in which so many files have the line's superblock.
func (x *explainer) update(line Line, files int) []state {
	says := func(_, t *state) bool {
		return int(t.SuperblockNext.View) == line.Superblock.View &&
			int(t.SuperblockNext.LogView) == line.Superblock.LogView
	}
	now := x.now
	for _, kind := range []model.JournalActionKind{
		model.JournalWriteSuperblock, model.JournalMirrorSuperblock,
	}[:files] {
		now = x.step(now, says, kind)
	}
	return now
}

// underWay returns the states in which a process can have died that was at what the line says.
func (x *explainer) underWay(line Line) []state {
	now := x.now
	if line.Superblock != nil {
		now = slices.Concat(now, x.update(line, 1), x.update(line, 2))
	}
	if line.Batch == nil {
		return x.distinct(now)
	}
	// Of the batch nothing, a part, or all may have reached the page cache.
	inner := &explainer{x.model, now}
	queued := inner.queue(line.Batch)
	return x.distinct(slices.Concat(now, queued, x.step(queued, nil, model.JournalWriteBatch)))
}

// boot keeps the states whose boot finds what the line says. A state whose doubt the code does
// not share must keep all promises without it, and goes on without it.
func (x *explainer) boot(found LineFound, done *Explained) []state {
	var kept, trusting []state
	for _, t := range x.step(x.now, nil, model.JournalBoot) {
		if t.Status == model.JournalRefused || found.Refused {
			if found.Refused == (t.Status == model.JournalRefused) {
				kept = append(kept, t)
			}
			continue
		}
		doubt := t.InDoubt
		t.InDoubt, t.Queue.All[0].InDoubt = found.InDoubt, found.InDoubt
		if foundIn(&t).String() != found.String() {
			continue
		}
		switch {
		case doubt == found.InDoubt:
			kept = append(kept, t)
		case doubt && x.holds(t):
			trusting = append(trusting, t)
		}
	}
	if len(kept) == 0 && len(trusting) > 0 {
		done.Trusting++
	}
	return x.distinct(append(kept, trusting...))
}

func (x *explainer) holds(s state) bool {
	for _, property := range x.model.Always {
		if property.Check(s) != nil {
			return false
		}
	}
	return true
}

// String is what was found as it is written.
func (f LineFound) String() string { return Line{Do: DoBoot, Found: &f}.String() }

// foundIn is what a boot of the model found.
func foundIn(t *state) LineFound {
	f := LineFound{
		View: int(t.View), LogView: int(t.LogView), LogLost: t.LogLost, InDoubt: t.InDoubt,
		Headers: numbers(t.Headers.Views()), Bodies: [][]int{},
	}
	if t.Status == model.JournalRefused {
		return LineFound{Refused: true}
	}
	model.EachJournalLog(func(entry model.JournalLog) {
		if t.BodiesWritten&(1<<entry) != 0 {
			f.Bodies = append(f.Bodies, numbers(entry.Views()))
		}
	})
	return f
}

// expected lists what a boot may find.
func (x *explainer) expected(before []state, line Line) []string {
	if line.Do != DoBoot {
		return nil
	}
	var all []string
	for _, t := range x.step(before, nil, model.JournalBoot) {
		all = append(all, foundIn(&t).String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}
