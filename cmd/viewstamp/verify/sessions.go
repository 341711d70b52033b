package verify

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces/sessions"
)

// Keys of Check.Figures of the client table's job.
const (
	FigureExecuted = "executed"
	FigureAnswers  = "answers"
)

// Sessions is the job that drives the client table along random walks of the model of client
// sessions, so many at each bound, and compares the two after every step. The negative control
// is a table that keeps no replies, which must be found.
func Sessions(walks uint64) Job {
	return walksJob("sessions/walks", walks, compareSessions)
}

func compareSessions() comparison {
	var sum sessions.Counts
	bounds := sessions.Large()
	return comparison{
		bounds: len(bounds),
		follow: func(bound int, seed uint64) error {
			counts, err := sessions.FollowWalk(bounds[bound], sessions.Production(), seed)
			sum.Add(counts)
			if err != nil {
				return fmt.Errorf("walk %d of %s: %w", seed, bounds[bound].Name, err)
			}
			return nil
		},
		defect: "a table that keeps no replies",
		defective: func(bound int, seed uint64) error {
			_, err := sessions.FollowWalk(bounds[bound], forgetful(), seed)
			return err
		},
		counted: func(f Figures) string {
			f[FigureSteps], f[FigureExecuted] = float64(sum.Steps), float64(sum.Executed)
			f[FigureAnswers] = float64(sum.Answers)
			if sum.Executed == 0 || sum.Restored == 0 {
				return "requests and restored tables"
			}
			return ""
		},
	}
}

// emptyReplies is a table with a defect: it keeps a reply, but nothing of what it says.
type emptyReplies struct{ *clienttable.Table }

// Complete stores no body.
func (t emptyReplies) Complete(op wire.Op, _ []byte) clienttable.Answer {
	return t.Table.Complete(op, nil)
}

// forgetful makes such tables.
func forgetful() sessions.Maker {
	return sessions.Maker{
		New: func(c clienttable.Config) sessions.Table { return emptyReplies{clienttable.New(c)} },
		Restore: func(c clienttable.Config, snapshot []byte) (sessions.Table, error) {
			table, err := clienttable.Restore(c, snapshot)
			return emptyReplies{table}, err
		},
	}
}
