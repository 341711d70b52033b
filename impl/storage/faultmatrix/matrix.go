package faultmatrix

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// ErrStruck is what an operation that is struck answers.
var ErrStruck = errors.New("struck by the matrix")

// Trial is one run of an act on a disk of its own.
type Trial struct {
	// Act is what the fault strikes. Without a fault it must succeed.
	Act func() error
	// Crashed, if it is not nil, hears before Check whether the machine went down, and not the
	// process alone: then what was never flushed may be gone.
	Crashed func(machine bool)
	// Check says what is wrong after the crash, given what Act returned; nil if nothing is.
	Check func(acted error) error
}

// Subject is what is tried. New prepares a disk and returns the trial on it; an error means
// that the preparation itself did not work.
type Subject struct {
	Name string
	New  func(disk *memdisk.Disk) (Trial, error)
	// TornBytes is how much of a torn write takes effect.
	TornBytes int
}

// Case is one place in the matrix.
type Case struct {
	Subject, Fault, Crash string
	Operation             int
	Seed                  uint64
}

// String names the case in one line.
func (c Case) String() string {
	return fmt.Sprintf("%s: operation %d %s, then %s, seed %d",
		c.Subject, c.Operation, c.Fault, c.Crash, c.Seed)
}

// Result counts the cases and holds what was wrong in them.
type Result struct {
	Cases int
	Wrong []Failure
}

// Failure is a case that went wrong.
type Failure struct {
	Case
	Err error
}

type crash struct {
	name    string
	strike  func(*memdisk.Disk)
	machine bool
	chance  bool // What it takes is left to chance.
}

var crashes = []crash{
	{"kill", (*memdisk.Disk).Kill, false, false},
	{
		"power loss of all unsynced", func(d *memdisk.Disk) { d.PowerLoss(memdisk.Nothing) },
		true, false,
	},
	{
		"power loss of nothing", func(d *memdisk.Disk) { d.PowerLoss(memdisk.Everything) },
		true, false,
	},
	{"power loss", func(d *memdisk.Disk) { d.PowerLoss(nil) }, true, true},
}

// Run tries all cases; those that are left to chance with so many seeds. stride is 1, or larger
// to try only every so manieth operation.
func Run(s Subject, seeds uint64, stride int) Result {
	var r Result
	for _, fault := range []struct {
		name  string
		fault memdisk.Fault
	}{
		{"fails before", memdisk.Fault{Err: ErrStruck}},
		{"fails after", memdisk.Fault{Err: ErrStruck, After: true}},
		{"is torn", memdisk.Fault{Err: ErrStruck, Bytes: s.TornBytes}},
	} {
		for _, crash := range crashes {
			for seed := range seeds {
				if seed > 0 && !crash.chance {
					break
				}
				c := Case{Subject: s.Name, Fault: fault.name, Crash: crash.name, Seed: seed}
				r.row(s, c, fault.fault, crash, stride)
			}
		}
	}
	return r
}

// row strikes one operation after the other until the act has no more.
func (r *Result) row(
	s Subject, c Case, fault memdisk.Fault, crash crash, stride int,
) {
	for ; ; c.Operation += stride {
		disk := memdisk.New(c.Seed)
		trial, err := s.New(disk)
		if err != nil {
			r.Wrong = append(r.Wrong, Failure{c, fmt.Errorf("prepare: %w", err)})
			return
		}
		struck := false
		n := 0
		disk.Inject(func(memdisk.Operation) *memdisk.Fault {
			n++
			if n-1 != c.Operation {
				return nil
			}
			struck = true
			return &fault
		})
		acted := trial.Act()
		disk.Inject(nil)
		if !struck {
			if acted != nil {
				r.Wrong = append(r.Wrong, Failure{c, fmt.Errorf("without a fault: %w", acted)})
			}
			return
		}
		r.Cases++
		crash.strike(disk)
		if trial.Crashed != nil {
			trial.Crashed(crash.machine)
		}
		if err := trial.Check(acted); err != nil {
			r.Wrong = append(r.Wrong, Failure{c, err})
		}
	}
}
