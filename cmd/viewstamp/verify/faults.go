package verify

import (
	"context"
	"os"

	"github.com/viewstamp/viewstamp/impl/checkpoint/crashtest"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
)

// FigureCases counts the cases of a fault matrix.
const FigureCases = "cases"

// faultMatrixVariable asks for every case, as it does in tests.
const faultMatrixVariable = "VIEWSTAMP_FAULT_MATRIX"

// faultSeeds is how often a whole matrix tries what is left to chance.
const faultSeeds = 8

// FaultMatrix are the jobs that strike every so manieth storage operation of append, roll,
// checkpoint, retention and boot, take process or machine down, and compare what comes back with
// what was acknowledged. All cases where VIEWSTAMP_FAULT_MATRIX is set.
func FaultMatrix(stride int) []Job {
	seeds := uint64(1)
	if os.Getenv(faultMatrixVariable) != "" {
		seeds, stride = faultSeeds, 1
	}
	var jobs []Job
	for _, subject := range crashtest.Subjects(crashtest.AsItIs) {
		job := Job{
			Name: "faults/" + subject.Name, Engine: EngineSim,
			Reproduce: "viewstamp verify",
		}
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
		jobs = append(jobs, job)
	}
	return jobs
}
