package sim

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// Faults says how much goes wrong in the first phase of a run.
type Faults string

// The levels.
const (
	FaultsNone  Faults = "none"  // packets and disks take their time, nothing more
	FaultsLight Faults = "light" // every kind of fault, rarely
	FaultsHeavy Faults = "heavy" // every kind of fault, often
	// FaultsSwarm lets the seed choose which kinds of fault there are, and how often: a
	// system that survives everything at once may still fail where one thing never happens.
	FaultsSwarm Faults = "swarm"
)

var faultLevels = []Faults{FaultsNone, FaultsLight, FaultsHeavy, FaultsSwarm}

// ParseFaults returns the level of a name.
func ParseFaults(name string) (Faults, error) {
	if slices.Contains(faultLevels, Faults(name)) {
		return Faults(name), nil
	}
	return "", fmt.Errorf("faults %q: expected one of %v", name, faultLevels)
}

// Defaults of [Options].
const (
	DefaultTicks   = 3000
	DefaultClients = 3
)

// Options says what to run. The zero value of each field is its default.
type Options struct {
	// Seed decides everything that is left to chance.
	Seed uint64
	// Ticks is the length of the phase with faults; [DefaultTicks].
	Ticks int
	// Replicas is 3 if zero; 1 to 7.
	Replicas int
	// Clients have one request each outstanding. If zero, [DefaultClients], but under
	// FaultsSwarm the seed chooses.
	Clients int
	// Requests bounds the requests of the phase with faults, all clients together; zero means
	// no bound. In the healed phase each client sends a few more.
	Requests int
	// Faults is FaultsNone if empty.
	Faults Faults
	// NoCheckpoints keeps the replicas of FaultsSwarm from taking any, and has them send whole
	// logs, as at the other levels.
	NoCheckpoints bool
	// Wipe has one replica lose its disk at some tick of the phase with faults, if there are
	// three or more: fewer cannot go on without it (R16).
	Wipe bool
	// Rare lets the seed add what is rare: a disk that loses the end of its log or a body under a
	// crash, checkpoints and executions that take long, questions for too much (rare.go).
	Rare bool
	// Defects breaks rules on purpose; a check should then fail.
	Defects vsr.Defects
	// Trace records the events of the run, if not nil.
	Trace *record.Recorder
	// History receives the history of the clients at the end, in the format of package
	// linearizability, if not nil.
	History io.Writer
}

// withDefaults fills in what is zero. Errors: an option out of range.
func (o Options) withDefaults() (Options, error) {
	if o.Ticks == 0 {
		o.Ticks = DefaultTicks
	}
	if o.Replicas == 0 {
		o.Replicas = 3
	}
	if o.Faults == "" {
		o.Faults = FaultsNone
	}
	switch {
	case o.Ticks < 0:
		return o, fmt.Errorf("ticks %d: expected at least 1", o.Ticks)
	case o.Replicas < 1 || o.Replicas > vsr.ReplicaCountMax:
		return o, fmt.Errorf("replicas %d: expected 1 to %d", o.Replicas, vsr.ReplicaCountMax)
	case o.Clients < 0 || o.Clients > clientsMax:
		return o, fmt.Errorf("clients %d: expected 1 to %d", o.Clients, clientsMax)
	case o.Wipe && o.Trace != nil:
		return o, errors.New("wipe with a trace: expected one of them, the actions of traces " +
			"know no lost disk")
	case o.Rare && o.Trace != nil:
		return o, errors.New("rare with a trace: expected one of them, the actions of traces " +
			"know no disk that loses something")
	case o.Requests < 0:
		return o, fmt.Errorf("requests %d: expected at least 0", o.Requests)
	}
	if _, err := ParseFaults(string(o.Faults)); err != nil {
		return o, err
	}
	return o, nil
}

// reproduce is the command that runs the same again. Options must have their defaults, but
// for the clients.
func (o Options) reproduce() string {
	var b strings.Builder
	fmt.Fprintf(&b, "viewstamp sim run --seed %d --ticks %d --faults %s", o.Seed, o.Ticks, o.Faults)
	if o.Replicas != 3 {
		fmt.Fprintf(&b, " --replicas %d", o.Replicas)
	}
	if o.Clients != 0 {
		fmt.Fprintf(&b, " --clients %d", o.Clients)
	}
	if o.Requests != 0 {
		fmt.Fprintf(&b, " --requests %d", o.Requests)
	}
	if o.NoCheckpoints && o.Faults == FaultsSwarm {
		b.WriteString(" --checkpoints=false")
	}
	if o.Wipe {
		b.WriteString(" --wipe")
	}
	if o.Rare {
		b.WriteString(" --rare")
	}
	for _, name := range defectsIn(o.Defects) {
		fmt.Fprintf(&b, " --defect %s", name)
	}
	return b.String()
}

// defectsIn names the defects that are switched on.
func defectsIn(d vsr.Defects) []string {
	var names []string
	for _, name := range defectNames {
		if defect, err := vsr.ParseDefect(name); err == nil && d.Has(defect) {
			names = append(names, name)
		}
	}
	return names
}

// defectNames are the mutants that the core can be run with.
var defectNames = []string{
	"stall_is_pipeline", "narrow_repair", "volatile_view", "send_first", "no_nonce",
	"start_hollow", "longest_log", "wiped_votes", "wiped_any_view", "transfer_rewinds",
	"view_change_keeps_transfer", "loose",
}
