package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Defaults of [Options].
const (
	DefaultTicks = 1500
	// What bounds a run: each group has a replica on each process.
	processesMax = 6
	clientsMax   = 256
	groupsMax    = 16
)

// Options says what to run. The zero value of each field is its default.
type Options struct {
	// Seed decides everything that is left to chance.
	Seed uint64
	// Ticks is the length of the phase with faults; [DefaultTicks].
	Ticks int
	// Replicas, Groups and Clients: if zero, the seed chooses.
	Replicas, Groups, Clients int
	// Only names the kinds of fault that may be switched on ([FeatureNames]); all if empty.
	Only []string
	// Calm switches all faults off, and the checks of [Options.LeavesOut].
	Calm bool
	// Writes leaves out the clients' reads: all that they ask for goes through the log.
	Writes bool
	// Trace records the events of all replicas, if not nil.
	Trace *record.Recorder
	// Judge, if not nil, makes what judges the events of a run that has nothing which the model of
	// traces lacks: the seed decides which runs are such ([Chosen]).
	Judge func(traces.Header) (Judge, error)
	// Defects and Core break rules on purpose; a check should then fail.
	Defects replica.Defects
	Core    vsr.Defects
}

// LeavesOut names the checks that a run with these options does without. Disks without faults are
// not searched for each op that somebody speaks for: that a process can read what it promises, that
// its disk has it as the group's policy demands, and that a quorum's disks have what a client was
// told of.
func (o Options) LeavesOut() []string {
	if o.Calm {
		return []string{"promise_read", "promise_stored", "acknowledged_stored"}
	}
	return nil
}

// Validate returns which option is out of range, in one line that begins with its name.
func (o Options) Validate() error {
	_, err := o.withDefaults()
	return err
}

// withDefaults fills in what is zero. Errors: an option out of range.
func (o Options) withDefaults() (Options, error) {
	if o.Ticks == 0 {
		o.Ticks = DefaultTicks
	}
	switch {
	case o.Ticks < 0:
		return o, fmt.Errorf("ticks %d: expected at least 1", o.Ticks)
	case o.Replicas < 0 || o.Replicas > processesMax:
		return o, fmt.Errorf("replicas %d: expected 1 to %d", o.Replicas, processesMax)
	case o.Groups < 0 || o.Groups > groupsMax:
		return o, fmt.Errorf("groups %d: expected 1 to %d", o.Groups, groupsMax)
	case o.Clients < 0 || o.Clients > clientsMax:
		return o, fmt.Errorf("clients %d: expected 1 to %d", o.Clients, clientsMax)
	}
	for _, name := range o.Only {
		if !slices.Contains(FeatureNames(), name) {
			return o, fmt.Errorf("only %q: expected one of %s", name,
				strings.Join(FeatureNames(), ", "))
		}
	}
	return o, nil
}

// Command is the command that runs the same seed again.
func (o Options) Command() string {
	var b strings.Builder
	fmt.Fprintf(&b, "viewstamp sim nodes --seeds %d..%d", o.Seed, o.Seed)
	for _, flag := range []struct {
		name         string
		value, usual int
	}{
		{"ticks", o.Ticks, DefaultTicks},
		{"replicas", o.Replicas, 0},
		{"groups", o.Groups, 0},
		{"clients", o.Clients, 0},
	} {
		if flag.value != flag.usual && flag.value != 0 {
			fmt.Fprintf(&b, " --%s %d", flag.name, flag.value)
		}
	}
	if o.Calm {
		b.WriteString(" --faults none")
	}
	if o.Writes {
		b.WriteString(" --writes")
	}
	if len(o.Only) > 0 {
		fmt.Fprintf(&b, " --only %s", strings.Join(o.Only, ","))
	}
	for _, name := range replica.DefectNames() {
		if defect, err := replica.ParseDefect(name); err == nil && o.Defects.Has(defect) {
			fmt.Fprintf(&b, " --defect %s", name)
		}
	}
	for _, name := range vsr.DefectNames() {
		if defect, err := vsr.ParseDefect(name); err == nil && o.Core.Has(defect) {
			fmt.Fprintf(&b, " --defect %s", name)
		}
	}
	return b.String()
}
