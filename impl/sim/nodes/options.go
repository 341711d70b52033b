package nodes

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// Defaults of [Options].
const (
	DefaultTicks = 1500
	// processes of a cluster: each group has a replica on each.
	processes = 3
	// clientsMax and groupsMax bound a run.
	clientsMax = 64
	groupsMax  = 16
)

// Options says what to run. The zero value of each field is its default.
type Options struct {
	// Seed decides everything that is left to chance.
	Seed uint64
	// Ticks is the length of the phase with faults; [DefaultTicks].
	Ticks int
	// Groups and Clients: if zero, the seed chooses.
	Groups, Clients int
	// Calm switches all faults off.
	Calm bool
	// Defects and Core break rules on purpose; a check should then fail.
	Defects replica.Defects
	Core    vsr.Defects
}

// withDefaults fills in what is zero. Errors: an option out of range.
func (o Options) withDefaults() (Options, error) {
	if o.Ticks == 0 {
		o.Ticks = DefaultTicks
	}
	switch {
	case o.Ticks < 0:
		return o, fmt.Errorf("ticks %d: expected at least 1", o.Ticks)
	case o.Groups < 0 || o.Groups > groupsMax:
		return o, fmt.Errorf("groups %d: expected 1 to %d", o.Groups, groupsMax)
	case o.Clients < 0 || o.Clients > clientsMax:
		return o, fmt.Errorf("clients %d: expected 1 to %d", o.Clients, clientsMax)
	}
	return o, nil
}

// reproduce is the command that runs the same again.
func (o Options) reproduce() string {
	var b strings.Builder
	fmt.Fprintf(&b, "viewstamp sim nodes --seeds %d..%d", o.Seed, o.Seed)
	for _, flag := range []struct {
		name         string
		value, usual int
	}{
		{"ticks", o.Ticks, DefaultTicks}, {"groups", o.Groups, 0}, {"clients", o.Clients, 0},
	} {
		if flag.value != flag.usual {
			fmt.Fprintf(&b, " --%s %d", flag.name, flag.value)
		}
	}
	if o.Calm {
		b.WriteString(" --calm")
	}
	for _, name := range replica.DefectNames() {
		if defect, err := replica.ParseDefect(name); err == nil && o.Defects.Has(defect) {
			fmt.Fprintf(&b, " --defect %s", name)
		}
	}
	return b.String()
}
