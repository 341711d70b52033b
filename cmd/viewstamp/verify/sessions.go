package verify

import (
	"context"
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
	job := Job{Name: "sessions/walks", Engine: EngineReplay, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		err := c.followSessions(ctx, walks)
		return []Check{interrupted(ctx, c, err)}
	}
	return job
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

func (c *Check) followSessions(ctx context.Context, walks uint64) error {
	var sum sessions.Counts
	found := 0
	for _, b := range sessions.Large() {
		for seed := range walks {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			counts, err := sessions.FollowWalk(b, sessions.Production(), seed)
			if err != nil {
				return fmt.Errorf("walk %d of %s: %w", seed, b.Name, err)
			}
			sum.Add(counts)
			c.Figures[FigureWalks]++
			if _, err := sessions.FollowWalk(b, forgetful(), seed); err != nil {
				found++
			}
		}
	}
	c.Figures[FigureSteps], c.Figures[FigureExecuted] = float64(sum.Steps), float64(sum.Executed)
	c.Figures[FigureAnswers], c.Figures[FigureRejected] = float64(sum.Answers), float64(found)
	switch {
	case sum.Executed == 0 || sum.Restored == 0:
		c.failVacuous("requests and restored tables")
	case found == 0:
		c.fail("a table that keeps no replies was found by no walk")
	}
	return nil
}
