package atomic

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// State is a state of the module: a value of each variable. It is immutable; copies share
// slices.
type State struct {
	status         [N]vsr.Status
	view           [N]vsr.View
	logView        [N]vsr.View
	logViewDurable [N]vsr.View
	log            [N]vsr.Log
	held           [N]ops
	executed       [N]vsr.Op
	views          []facts // By view, 0 to MaxView.
	requests       vsr.Request
	committed      vsr.Log
}

// facts is what the module knows of one view.
type facts struct {
	promises []promise      // Ascending, without duplicates; so are the other lists.
	starts   []vsr.Log      // The logs that the view started with.
	prepared []vsr.Entry    // What its primary added.
	oks      [N][]vsr.Entry // What each replica acknowledged.
}

// promise is with what a replica left for a view.
type promise struct {
	replica int
	logView vsr.View
	commit  vsr.Op
	log     vsr.Log
	present ops
}

// ops is a set of ops of a log: bit op-1. The entry of a set of entries that is not in
// the log, which only a mutant has, is the bit stray.
type ops uint32

const stray ops = 1 << 31

func (o ops) has(op vsr.Op) bool { return o>>(op-1)&1 != 0 }
func (o ops) with(op vsr.Op) ops { return o | 1<<(op-1) }
func upTo(op vsr.Op) ops         { return 1<<op - 1 }
func (o ops) unbroken() vsr.Op   { return vsr.Op(bits.TrailingZeros32(^uint32(o))) }

// eachBetween visits each set that contains low and is contained in high.
func eachBetween(low, high ops, visit func(ops)) {
	free := high &^ low
	for part := free; ; part = (part - 1) & free {
		visit(low | part)
		if part == 0 {
			return
		}
	}
}

// sharedOps are the ops of those entries of log l which log m has and holds.
func sharedOps(l, m vsr.Log, held ops) ops {
	var shared ops
	for i, e := range l {
		if op := vsr.Op(i + 1); op <= m.Head() && m[i] == e && held.has(op) {
			shared = shared.with(op)
		}
	}
	return shared
}

func compareEntries(a, b vsr.Entry) int {
	return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.View, b.View),
		cmp.Compare(a.Request, b.Request))
}

func compareLogs(a, b vsr.Log) int { return slices.CompareFunc(a, b, compareEntries) }

func comparePromises(a, b promise) int {
	return cmp.Or(cmp.Compare(a.replica, b.replica), cmp.Compare(a.logView, b.logView),
		cmp.Compare(a.commit, b.commit), compareLogs(a.log, b.log),
		cmp.Compare(a.present, b.present))
}

// withMember returns a set with a member added; the set itself is untouched.
func withMember[M any](set []M, member M, compare func(a, b M) int) []M {
	i, found := slices.BinarySearchFunc(set, member, compare)
	if found {
		return set
	}
	return slices.Insert(slices.Clip(set), i, member)
}

// extended returns a log with further entries.
func extended(l vsr.Log, entries ...vsr.Entry) vsr.Log {
	return append(l[:len(l):len(l)], entries...)
}

// leads and follows are the module's Leads and Follows.
func (s *State) leads(r int) bool {
	return s.status[r] == vsr.StatusNormal && primaryOf(s.view[r]) == r
}

func (s *State) follows(r int) bool {
	return s.status[r] == vsr.StatusNormal && primaryOf(s.view[r]) != r
}

// editView gives s a copy of the facts and returns those of view v in it, to be written
// before s is yielded.
func (s *State) editView(v vsr.View) *facts {
	s.views = slices.Clone(s.views)
	return &s.views[v]
}

// forget is the module's Facts: it removes what nobody can act on any more. The views
// must be a copy of their own.
func (s *State) forget() {
	low := min(s.view[0], s.view[1], s.view[2])
	for i := range s.views {
		v, f := vsr.View(i), &s.views[i]
		p := primaryOf(v)
		if s.view[p] > v || s.view[p] == v && s.status[p] != vsr.StatusViewChange {
			f.promises = nil
		}
		if v < low {
			f.starts, f.prepared = nil, nil
		}
		if s.status[p] != vsr.StatusNormal || s.view[p] != v {
			f.oks = [N][]vsr.Entry{}
		}
	}
}

// appendKey appends an injective encoding of the state.
func (s *State) appendKey(dst []byte) []byte {
	for r := range N {
		dst = append(dst, byte(s.status[r]))
		dst = appendNumbers(dst, uint32(s.view[r]), uint32(s.logView[r]),
			uint32(s.logViewDurable[r]), uint32(s.held[r]), uint32(s.executed[r]))
		dst = appendEntries(dst, s.log[r])
	}
	for i := range s.views {
		f := &s.views[i]
		dst = appendNumbers(dst, uint32(len(f.promises)), uint32(len(f.starts)))
		for _, m := range f.promises {
			dst = appendNumbers(dst, uint32(m.replica), uint32(m.logView), uint32(m.commit),
				uint32(m.present))
			dst = appendEntries(dst, m.log)
		}
		for _, l := range f.starts {
			dst = appendEntries(dst, l)
		}
		dst = appendEntries(dst, f.prepared)
		for r := range N {
			dst = appendEntries(dst, f.oks[r])
		}
	}
	dst = appendNumbers(dst, uint32(s.requests))
	return appendEntries(dst, s.committed)
}

func appendNumbers(dst []byte, numbers ...uint32) []byte {
	for _, n := range numbers {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

func appendEntries(dst []byte, entries []vsr.Entry) []byte {
	dst = appendNumbers(dst, uint32(len(entries)))
	for _, e := range entries {
		dst = appendNumbers(dst, uint32(e.Op), uint32(e.View), uint32(e.Request))
	}
	return dst
}
