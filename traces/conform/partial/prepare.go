package partial

import (
	"fmt"
	"slices"
)

// queued checks a prepare that a primary puts into its pipeline.
func (s *step) queued() {
	if !s.acts() {
		return
	}
	if !s.e.Says("args.op") {
		s.leave(QueuedInOrder)
		s.blind()
		return
	}
	args, p := s.e.Args, s.r.at(s.e.After.View)
	if p.last > 0 {
		equal(s, QueuedInOrder, "args.op", args.Op, p.last+1, "the op queued last in this view and one")
	} else {
		s.require(QueuedInOrder, args.Op > p.highest(), "args.op",
			fmt.Sprintf("above %d", p.highest()), "an op that the pipeline holds or held already")
	}
	if s.e.Says("commit_max") {
		s.require(QuorumFirst, s.e.After.CommitMax < args.Op, "commit_max",
			fmt.Sprintf("below %d", args.Op), "the op that is queued now cannot be committed")
	}
	s.parent(p)
	s.keepsChecksum()
	if !s.ok() {
		return
	}
	if p.first == 0 {
		p.first = args.Op
	}
	if args.Op == 1 && s.e.After.View == 0 { // The first op of all.
		s.r.whole, s.g.whole = true, s.g.head == 0
	}
	p.last = args.Op
	place := s.place()
	p.entries[args.Op] = &entry{since: place, request: s.request(), checksum: args.Checksum}
	s.g.wait(args.Op, place)
	s.g.head = max(s.g.head, args.Op)
	s.g.addCandidate(args.Op, args.Checksum, s.request())
	p.bound()
}

// pipelineMax bounds the ops that one replica's pipeline may hold: far more than any has, and
// little memory for a trace that is made to use much.
const pipelineMax = 1 << 12

// wait notes that an op has no quorum yet. More of them than any pipeline holds are forgotten.
func (g *group) wait(op uint64, place string) {
	if len(g.waiting) >= pipelineMax {
		clear(g.waiting)
		g.whole = false
	}
	g.waiting[op] = place
}

// bound drops a pipeline that cannot be one.
func (p *pipeline) bound() {
	if len(p.entries) > pipelineMax {
		*p = pipeline{}
	}
}

func (p *pipeline) highest() uint64 {
	highest := p.done
	for op := range p.entries {
		highest = max(highest, op)
	}
	return highest
}

// blind is for an event that does not say which op or view it is about: what the replica's pipeline
// holds and what waits for its quorum is unknown from here on.
func (s *step) blind() {
	s.r.pipeline = pipeline{}
	s.r.whole, s.r.lost, s.g.whole = false, true, false
	clear(s.g.waiting)
}

// parent checks the identity of the prepare before.
func (s *step) parent(p *pipeline) {
	op := s.e.Args.Op - 1
	want, because := "", ""
	if before := p.entries[op]; before != nil {
		want, because = before.checksum, "the checksum queued for the op before"
	} else if before, known := s.g.reached.get(op); known {
		want = before.checksum
		because = "the checksum with which the op before reached its quorum at " + before.place
	}
	if want == "" || !s.e.Says("args.parent") {
		if s.e.Args.Op > 1 {
			s.leave(QueuedInOrder)
		}
		return
	}
	equal(s, QueuedInOrder, "args.parent", s.e.Args.Parent, want, because)
}

// keepsChecksum checks that an op which reached its quorum keeps its checksum.
func (s *step) keepsChecksum() {
	before, known := s.g.reached.get(s.e.Args.Op)
	if !known || before.checksum == "" || !s.e.Says("args.checksum") {
		return
	}
	if s.e.After.View < before.view {
		s.leave(SameChecksum) // A primary that does not know that its view is over.
		return
	}
	equal(s, SameChecksum, "args.checksum", s.e.Args.Checksum, before.checksum, fmt.Sprintf(
		"the op reached its quorum with it in view %d at %s", before.view, before.place))
}

func (s *step) request() request {
	return request{
		client: s.e.Args.Client, number: s.e.Args.Request, operation: s.e.Args.Operation,
		numbered: s.e.Says("args.request"), place: s.place(),
	}
}

// acknowledged checks an acknowledgement that a primary counts.
func (s *step) acknowledged() {
	if !s.acts() {
		return
	}
	if !s.e.Says("args.op") {
		s.leave(QueuedFirst)
		s.blind()
		return
	}
	p := s.r.at(s.e.After.View)
	entry := s.entryOf(p)
	if entry == nil {
		return
	}
	if s.e.Says("args.checksum") && entry.checksum != "" {
		equal(s, SameChecksum, "args.checksum", s.e.Args.Checksum, entry.checksum,
			"the checksum of this op in the pipeline, since "+entry.since)
	} else {
		s.leave(SameChecksum)
	}
	s.keepsChecksum()
	s.count(entry)
	if s.ok() {
		s.quorum(entry)
	}
}

// entryOf returns the pipeline's entry of the event's op. A primary may have inherited it: then
// its first acknowledgement makes it known.
func (s *step) entryOf(p *pipeline) *entry {
	op := s.e.Args.Op
	if e := p.entries[op]; e != nil {
		s.require(QueuedFirst, true, "", "", "")
		return e
	}
	s.require(QueuedFirst, op > p.done, "args.op", fmt.Sprintf("above %d", p.done),
		"the replica has executed that op already, so that the pipeline has none up to it")
	inherited := p.first == 0 || op < p.first
	begun := s.e.After.View > 0 || !s.r.whole
	s.require(QueuedFirst, inherited && begun, "args.op", "one that is queued",
		fmt.Sprintf("queued in view %d are %s", p.view, p.ops()))
	if !s.ok() {
		return nil
	}
	e := &entry{since: s.place(), checksum: s.e.Args.Checksum}
	if !s.inherits(e) {
		return nil
	}
	s.earlier(e)
	p.entries[op] = e
	p.bound()
	return e
}

// earlier notes the acknowledgements of an inherited op that were counted before the first one
// that the trace shows: a primary counts its own when it starts its view, without an event.
func (s *step) earlier(e *entry) {
	from, count := s.e.Args.From, s.e.Args.Acknowledged
	switch {
	case !s.e.Says("args.acknowledged"):
	case !s.g.whole || !s.c.total || s.r.lost || from == nil:
		// There may have been events before the trace, or nobody knows whose this is.
		e.uncounted = max(0, count-1)
	case count > 1 && *from != s.e.Replica:
		e.votes = append(e.votes, s.e.Replica)
	}
}

// inherits checks that an op which a new primary holds was queued by an earlier one.
func (s *step) inherits(e *entry) bool {
	known, _ := s.g.candidates.get(s.e.Args.Op)
	queued, found := pick(known, e.checksum)
	e.request = queued.request
	if found || s.c.total && s.g.whole && len(known) > 0 && s.e.Says("args.checksum") {
		return s.require(SameChecksum, found, "args.checksum", "one that was queued",
			fmt.Sprintf("this op was queued %d times in earlier views, first at %s", len(known),
				known[0].request.place))
	}
	s.leave(SameChecksum)
	return s.ok()
}

// ops lists the ops of a pipeline, for people.
func (p *pipeline) ops() string {
	const opsMax = 8
	var all []uint64
	for op := range p.entries {
		all = append(all, op)
	}
	slices.Sort(all)
	switch {
	case len(all) == 0:
		return "none"
	case len(all) > opsMax:
		return fmt.Sprintf("%d ops from %d to %d", len(all), all[0], all[len(all)-1])
	default:
		return fmt.Sprintf("ops %v", all)
	}
}

// count checks who acknowledges and how many have.
func (s *step) count(e *entry) {
	from := s.e.Args.From
	if from == nil {
		s.leave(CountedOnce)
		e.uncounted++
	} else {
		s.require(CountedOnce, !slices.Contains(e.votes, *from), "args.from",
			"a replica that has not acknowledged this op yet", fmt.Sprintf(
				"counted are those of replicas %v", e.votes))
		e.votes = append(e.votes, *from)
	}
	if !s.e.Says("args.acknowledged") {
		s.leave(CountedOnce)
		return
	}
	equal(s, CountedOnce, "args.acknowledged", s.e.Args.Acknowledged, len(e.votes)+e.uncounted,
		fmt.Sprintf("counted are those of replicas %v and %d that the trace does not name",
			e.votes, e.uncounted))
}

// quorum checks whether the acknowledgement makes a quorum as it says.
func (s *step) quorum(e *entry) {
	args := s.e.Args
	if s.e.Says("args.needed") {
		if s.g.needed > 0 {
			equal(s, QuorumFirst, "args.needed", args.Needed, s.g.needed, "the group's quorum so far")
		}
		s.g.needed = args.Needed
	}
	if !s.e.Says("args.needed") || !s.e.Says("args.acknowledged") || !s.e.Says("args.reached") {
		s.leave(QuorumFirst)
	} else {
		want := args.Acknowledged >= args.Needed && !e.reached
		equal(s, QuorumFirst, "args.reached", args.Reached, want,
			fmt.Sprintf("%d of %d acknowledgements are counted", args.Acknowledged, args.Needed))
	}
	if !s.ok() {
		return
	}
	unclear := !s.e.Says("args.reached") &&
		(!s.e.Says("args.acknowledged") || args.Acknowledged >= s.g.needed)
	if args.Reached || unclear {
		e.reached = true
		delete(s.g.waiting, args.Op)
		s.g.reached.put(args.Op, agreed{
			checksum: e.checksum, view: s.e.After.View, place: s.place(),
		})
	}
}
