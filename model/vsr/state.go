package vsr

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// Status is the status of a replica.
type Status uint8

// The statuses of the spec.
const (
	StatusNormal Status = iota + 1
	StatusViewChange
	StatusRecovering
)

// String is the status as spec and traces write it.
func (s Status) String() string {
	switch s {
	case StatusNormal:
		return traces.StatusNormal
	case StatusViewChange:
		return traces.StatusViewChange
	case StatusRecovering:
		return traces.StatusRecovering
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// State is a state of the spec: a value of each variable. It is immutable; copies
// share slices. Its accessors take a replica from 0 to N-1.
type State struct {
	status         [NMax]Status
	view           [NMax]View
	logView        [NMax]View
	logViewDurable [NMax]View
	commitMin      [NMax]Op
	commitMax      [NMax]Op
	headers        [NMax]Log
	bodies         [NMax]EntrySet
	pipeline       [NMax]Log
	merged         [NMax]*Merged // nil is the spec's <<>>.
	answers        [NMax][]Answer
	network        []*viewMessages // Ascending views; none is empty.
	acknowledged   Log
	requests       Request
	restarts       uint32

	// n is the constant N; of the arrays that many elements are in use.
	n int
	// lazy is the constant LazyLogView, no part of the state's identity: the projection
	// needs it to tell what a restart would find.
	lazy bool
}

// Merged is the log that a new primary is about to start with (R13).
type Merged struct {
	Log    Log
	Commit Op
}

// Vote is the content of a DoViewChange.
type Vote struct {
	Replica int
	LogView View
	// Commit is the sender's commit_min.
	Commit Op
	Log    Log
	// Present holds the entries of the sender's log whose body it stores.
	Present EntrySet
}

// StartView is the content of a StartView: the log of a view and its commit number.
type StartView struct {
	Log    Log
	Commit Op
}

// Answer is a primary's answer to the probe of a recovering replica (R4, R11).
type Answer struct {
	View   View
	Log    Log
	Commit Op
}

func (m StartView) compare(other StartView) int {
	if c := cmp.Compare(m.Commit, other.Commit); c != 0 {
		return c
	}
	return m.Log.compare(other.Log)
}

func (m Answer) compare(other Answer) int {
	if c := cmp.Compare(m.View, other.View); c != 0 {
		return c
	}
	if c := cmp.Compare(m.Commit, other.Commit); c != 0 {
		return c
	}
	return m.Log.compare(other.Log)
}

// withMember returns a sorted set with a member added; the set itself is untouched.
func withMember[M any](set []M, member M, compare func(a, b M) int) []M {
	i, found := slices.BinarySearchFunc(set, member, compare)
	if found {
		return set
	}
	return slices.Insert(slices.Clip(set), i, member)
}

// Init is the one initial state of the spec.
func Init(c Config) State {
	var s State
	s.n, s.lazy = c.N, c.LazyLogView
	for r := range s.n {
		s.status[r] = StatusNormal
	}
	return s
}

// Replicas is the number of replicas.
func (s *State) Replicas() int { return s.n }

// Status is the status of replica r.
func (s *State) Status(r int) Status { return s.status[r] }

// View is the view that replica r is in.
func (s *State) View(r int) View { return s.view[r] }

// LogView is the last view in which replica r changed its log.
func (s *State) LogView(r int) View { return s.logView[r] }

// LogViewDurable is the log view that a restart of r finds: under LazyLogView the
// spec's log_view_durable, else log_view itself.
func (s *State) LogViewDurable(r int) View {
	if s.lazy {
		return s.logViewDurable[r]
	}
	return s.logView[r]
}

// CommitMin is the op up to which replica r has executed.
func (s *State) CommitMin(r int) Op { return s.commitMin[r] }

// CommitMax is the highest op that replica r knows to be committed.
func (s *State) CommitMax(r int) Op { return s.commitMax[r] }

// Log is the log of replica r.
func (s *State) Log(r int) Log { return s.headers[r] }

// Bodies are the entries whose body the journal of replica r holds.
func (s *State) Bodies(r int) EntrySet { return s.bodies[r] }

// WithBodies returns the state in which replica r also stores the bodies of these entries. It is
// no step of the spec: conformance learns late that writes had landed before a crash, and what a
// replica stores shows only when its log has the entry.
func (s *State) WithBodies(r int, entries []Entry) State {
	t := *s
	for _, e := range entries {
		t.bodies[r] = t.bodies[r].with(e)
	}
	return t
}

// Pipeline holds what replica r prepared as primary and has not committed.
func (s *State) Pipeline(r int) Log { return s.pipeline[r] }

// Merged is the log that replica r is about to start its view with, nil if none.
func (s *State) Merged(r int) *Merged { return s.merged[r] }

// Answers are the answers to the probe of replica r, without order.
func (s *State) Answers(r int) []Answer { return s.answers[r] }

// Prepares are the entries that the primary of view v prepared and sent.
func (s *State) Prepares(v View) EntrySet { return s.messages(v).prepares }

// PrepareOKs are the entries that replica r acknowledged in view v.
func (s *State) PrepareOKs(v View, r int) EntrySet { return s.messages(v).prepareOKs[r] }

// Commits is the highest commit number sent in view v.
func (s *State) Commits(v View) Op { return s.messages(v).commit }

// StartViewChanges are the replicas that sent StartViewChange for view v.
func (s *State) StartViewChanges(v View) ReplicaSet { return s.messages(v).startViewChanges }

// Votes are the votes for view v, by replica.
func (s *State) Votes(v View) []Vote {
	var votes []Vote
	for _, vote := range s.messages(v).votes {
		if vote != nil {
			votes = append(votes, *vote)
		}
	}
	return votes
}

// StartViews are the StartViews of view v: at most one, unless a mutant is at work.
func (s *State) StartViews(v View) []StartView { return s.messages(v).startViews }

// Acknowledged holds the entries that were acknowledged to clients, in op order.
func (s *State) Acknowledged() Log { return s.acknowledged }

// Requests is the number of client requests so far.
func (s *State) Requests() Request { return s.requests }

// Restarts is the number of restarts so far.
func (s *State) Restarts() int { return int(s.restarts) }

// isPrimary is the spec's IsPrimary.
func (s *State) isPrimary(r int) bool {
	return s.status[r] == StatusNormal && s.primaryOf(s.view[r]) == r
}

// isBackup is the spec's IsBackup.
func (s *State) isBackup(r int) bool {
	return s.status[r] == StatusNormal && s.primaryOf(s.view[r]) != r
}

// holds is the spec's Holds: e is in r's log and its body in r's journal.
func (s *State) holds(r int, e Entry) bool {
	return s.headers[r].has(e) && s.bodies[r].Has(e)
}

// stored is the spec's Stored: does r's journal answer a look-up of e with a body?
func (s *State) stored(c *Config, r int, e Entry) bool {
	if c.bug(StaleBody) {
		return len(s.bodies[r].at(e.Op)) > 0
	}
	return s.bodies[r].Has(e)
}

// contiguous is the spec's Contiguous: the highest op such that it and all below are
// stored.
func (s *State) contiguous(c *Config, r int) Op {
	return s.storedPrefix(c, r, s.headers[r])
}

// storedPrefix is the spec's StoredPrefix: how far up r stores the bodies of a log
// without a hole.
func (s *State) storedPrefix(c *Config, r int, log Log) Op {
	for i, e := range log {
		if !s.stored(c, r, e) {
			return Op(i)
		}
	}
	return log.Head()
}

// hasHole is the spec's HasHole.
func (s *State) hasHole(c *Config, r int) bool {
	return s.contiguous(c, r) < s.headers[r].Head()
}

// statusCount counts the replicas that are in view v with the given status.
func (s *State) statusCount(status Status, v View) int {
	count := 0
	for r := range s.n {
		if s.status[r] == status && s.view[r] == v {
			count++
		}
	}
	return count
}
