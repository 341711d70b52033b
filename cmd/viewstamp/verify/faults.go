package verify

import (
	"context"
	"os"

	host "github.com/viewstamp/viewstamp/impl/checkpoint/crashtest"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	superblock "github.com/viewstamp/viewstamp/impl/superblock/crashtest"
	log "github.com/viewstamp/viewstamp/impl/wal/crashtest"
)

// Figures of the fault matrix: how many acts were struck, in how many cases.
const (
	FigureSubjects = "subjects"
	FigureCases    = "cases"
)

// faultMatrixVariable asks for every case, as it does in tests.
const faultMatrixVariable = "VIEWSTAMP_FAULT_MATRIX"

// faultSeeds is how often a whole matrix tries what is left to chance.
const faultSeeds = 8

// FaultMatrix is the section that strikes storage operations: of the write-ahead log (append,
// state record, roll, release, room given away, boot), of the superblock (format, update, boot)
// and of a host with both, snapshots and segments (append, roll, checkpoint, retention, boot). It
// takes process or machine down and compares what comes back with what was acknowledged. Of the
// host's operations every so manieth is struck. All cases where VIEWSTAMP_FAULT_MATRIX is set. The
// check "faults" counts the cases of all; the others are minor ones.
func FaultMatrix(stride int) Section {
	seeds := uint64(1)
	if os.Getenv(faultMatrixVariable) != "" {
		seeds, stride = faultSeeds, 1
	}
	var section Section
	for _, subject := range log.Subjects(log.AsItIs) {
		section.Jobs = append(section.Jobs, faultJob(subject, seeds, min(stride, 3)))
	}
	for _, subject := range superblock.Subjects(superblock.AsItIs) {
		section.Jobs = append(section.Jobs, faultJob(subject, seeds, min(stride, 3)))
	}
	for _, subject := range host.Subjects(host.AsItIs) {
		section.Jobs = append(section.Jobs, faultJob(subject, seeds, stride))
	}
	section.Finish = func(_ context.Context, checks []Check) []Check {
		sum := Check{
			Name: "faults", Engine: EngineSim, Figures: Figures{FigureSubjects: float64(len(checks))},
			Reproduce: "viewstamp verify", Status: Judge(checks),
		}
		for i := range checks {
			checks[i].Minor = true
			sum.Seconds += checks[i].Seconds
			sum.Figures[FigureCases] += checks[i].Figures[FigureCases]
		}
		if sum.Status != Passed {
			sum.Reason = firstReason(checks)
		}
		return append([]Check{sum}, checks...)
	}
	return section
}

func faultJob(subject faultmatrix.Subject, seeds uint64, stride int) Job {
	job := Job{Name: "faults/" + subject.Name, Engine: EngineSim, Reproduce: "viewstamp verify"}
	job.Run = func(context.Context) []Check {
		c := job.empty()
		r := faultmatrix.Run(subject, seeds, stride)
		c.Figures[FigureCases] = float64(r.Cases)
		switch {
		case len(r.Wrong) > 0:
			c.fail("%d of %d cases are wrong, the first %s: %v",
				len(r.Wrong), r.Cases, r.Wrong[0].Case, r.Wrong[0].Err)
		case r.Cases == 0:
			c.fail("no cases, expected some: nothing was struck")
		default:
			c.Status = Passed
		}
		return []Check{c}
	}
	return job
}
