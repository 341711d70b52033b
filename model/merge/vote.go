package merge

import "fmt"

// Body is what a replica knows of the body of an op of its log.
type Body uint8

// What is known of a body.
const (
	// Stored: the replica holds it.
	Stored Body = iota + 1
	// Hollow: a trusted log adopted the header, and the body never came.
	Hollow
	// Doubtful: the replica may have held it once. An untrusted log adopted the header,
	// or an untrusted restart did not find the body.
	Doubtful
	// Faulty: the replica held it and knows that it has lost it.
	Faulty
	// Other: the body of another entry stands there. A mutant only.
	Other
	// Below: the log begins above the op, so it was committed. The header is a ghost.
	Below
)

// String is the knowledge as the module writes it.
func (b Body) String() string {
	switch b {
	case Stored:
		return "stored"
	case Hollow:
		return "hollow"
	case Doubtful:
		return "doubtful"
	case Faulty:
		return "faulty"
	case Other:
		return "other"
	case Below:
		return "below"
	}
	return fmt.Sprintf("Body(%d)", uint8(b))
}

// Log is a log as far as Length. Entry i, from 1, is the op i with the view that created
// it, in Headers[i-1]: that is its checksum. Bodies[i-1] says what is known of its body.
// What is beyond Length is zero.
type Log struct {
	Length  uint8
	Headers [OpMax]uint8
	Bodies  [OpMax]Body
}

// has reports whether the log has entry <<op, view>>: MergeVote!HasHeader.
func (l *Log) has(op, view uint8) bool {
	return op <= l.Length && l.Headers[op-1] == view
}

// holds reports whether the log has the entry with its body: Merge!Holds.
func (l *Log) holds(op, view uint8) bool {
	return l.has(op, view) && l.Bodies[op-1] == Stored
}

// base is the highest op that the log begins above: Merge!Base.
func (l *Log) base() uint8 {
	for op := l.Length; op > 0; op-- {
		if l.Bodies[op-1] == Below {
			return op
		}
	}
	return 0
}

// cut shortens the log to that length, if it is longer.
func (l *Log) cut(length uint8) {
	for l.Length > length {
		l.Length--
		l.Headers[l.Length], l.Bodies[l.Length] = 0, 0
	}
}

// add appends an entry.
func (l *Log) add(view uint8, body Body) {
	l.Headers[l.Length], l.Bodies[l.Length] = view, body
	l.Length++
}

// Vote is a DoViewChange: the log that the voter hands to the new primary.
type Vote struct {
	Replica uint8
	// LogView is the view that the log speaks for, Commit the commit number known.
	LogView, Commit uint8
	// Trusted says that the log lacks nothing that the voter acknowledged (R15).
	Trusted bool
	Log     Log
}

// Saying is what one vote says about one entry. The rules give at most one of them.
type Saying struct {
	// Proves: the voter holds that very body.
	Proves bool
	// Nacks: no commit can have counted the voter's acknowledgement.
	Nacks bool
	// KnowsLoss: the voter held the body and has lost it.
	KnowsLoss bool
}

// WhatVoteSays says what a vote, of whatever log view, says about entry <<op, view>> of
// the canonical log. R12, R15; MergeVote!Proves, Nacks, KnowsLoss.
func (r Rules) WhatVoteSays(vote *Vote, op, view uint8) Saying {
	var s Saying
	body, same := Body(0), vote.Log.has(op, view)
	if op <= vote.Log.Length {
		body = vote.Log.Bodies[op-1]
	}
	s.Proves = (body == Stored || body == Other) && (same || r.bug.presentByOp)
	s.KnowsLoss = same && body == Faulty
	if vote.Trusted || r.bug.untrustedNacks {
		s.Nacks = !same || body == Hollow && !r.bug.adoptedNeverNacks ||
			body == Doubtful && r.bug.nackInDoubt || body == Faulty && r.bug.nackFaulty
	}
	return s
}
