package atomic

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// N is the number of replicas, the only one that the module allows; they are numbered from 0.
const N = 3

// quorum is the size of each quorum.
const quorum = N/2 + 1

// Bug is a deliberate defect of the module: a mutant, which an invariant must catch. The
// values are the names in AtomicViewChange!BugNames.
type Bug string

// The mutants of AtomicViewChange.tla.
const (
	// PromiseAlone (R12): a new primary starts from its own promise alone. Breaks
	// StartsWithCommitted and CommittedHeld.
	PromiseAlone Bug = "promise_alone"
	// AckAfterLeaving (R1): a replica acknowledges in a view that it has left. Breaks
	// StartsWithCommitted and CommittedHeld.
	AckAfterLeaving Bug = "ack_after_leaving"
	// StartAgainBug (R1): a primary starts the view that it leads a second time. Breaks
	// StartsOnce.
	StartAgainBug Bug = "start_again"
	// ExecutesUncommitted (R5): a replica executes what its log has, committed or not.
	// Breaks ExecutedCommitted.
	ExecutesUncommitted Bug = "executes_uncommitted"
)

// Bugs returns all mutants, in the module's order.
func Bugs() []Bug {
	return []Bug{PromiseAlone, AckAfterLeaving, StartAgainBug, ExecutesUncommitted}
}

// Config holds the constants of the module.
type Config struct {
	// MaxRequest bounds the requests of a behaviour, MaxView the view number.
	MaxRequest, MaxView int
	// LazyLogView: a log view is durable once the whole log is held (R2).
	LazyLogView bool
	// Bugs are the mutants that are switched on.
	Bugs []Bug
}

// Bounds of a [Config]: a set of ops is one number here.
const (
	requestMax = 30
	viewMax    = 100
)

// Validate returns an error that names the first field with a value out of range.
func (c Config) Validate() error {
	if c.MaxRequest < 0 || c.MaxRequest > requestMax {
		return fmt.Errorf("MaxRequest is %d, expected 0 to %d", c.MaxRequest, requestMax)
	}
	if c.MaxView < 0 || c.MaxView > viewMax {
		return fmt.Errorf("MaxView is %d, expected 0 to %d", c.MaxView, viewMax)
	}
	for _, bug := range c.Bugs {
		if !slices.Contains(Bugs(), bug) {
			return fmt.Errorf("bug %q, expected one of %v", bug, Bugs())
		}
	}
	return nil
}

func (c *Config) bug(b Bug) bool { return slices.Contains(c.Bugs, b) }

// Abstract returns the constants at which the states of c are seen, without a mutant:
// what a mutant of package vsr does is held against the protocol as it should be.
func Abstract(c vsr.Config) Config {
	return Config{MaxRequest: c.MaxRequest, MaxView: c.MaxView, LazyLogView: c.LazyLogView}
}

// primaryOf says who leads view v.
func primaryOf(v vsr.View) int { return int(v % N) }
