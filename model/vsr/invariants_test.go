package vsr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Some invariants are broken by no mutant, and the others only in some of their
// clauses. So each clause is shown a state that breaks it.
func TestInvariantsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	e, other := Entry{1, 0, 1}, Entry{1, 1, 2}
	for name, tc := range map[string]struct {
		change func(s *State)
		want   string
	}{
		"a log view above the view": {
			func(s *State) { s.logView[1] = 1 }, "TypeOK: r1: log_view 1 is above view 0",
		},
		"a view above the bound": {
			func(s *State) { s.view[2] = 9 }, "TypeOK: r2: view 9 is above MaxView",
		},
		"a status that does not exist": {
			func(s *State) { s.status[0] = 0 }, "TypeOK: r0: status is Status(0)",
		},
		"a commit number above the bound": {
			func(s *State) { s.commitMax[0] = 9 },
			"TypeOK: r0: commit_min 0 or commit_max 9 is above MaxRequest",
		},
		"an entry that is not at its op": {
			func(s *State) { s.headers[0] = Log{{2, 0, 1}} },
			"TypeOK: op 1: the log of r0 has 2.0.1",
		},
		"a body of no entry": {
			func(s *State) { s.bodies[0] = EntrySet{{1, 0, 9}} },
			"TypeOK: r0: the journal holds 1.0.9, which is no entry",
		},
		"a pipeline without the log": {
			func(s *State) { s.pipeline[0] = Log{e} },
			"PipelineBacked: op 1: the pipeline of r0 has 1.0.1, its log nothing",
		},
		"a pipeline without the body": {
			func(s *State) { s.pipeline[0], s.headers[0] = Log{e}, Log{e} },
			"PipelineBacked: op 1: the pipeline of r0 has 1.0.1, its journal no body",
		},
		"a pipeline of what was executed": {
			func(s *State) { s.pipeline[0], s.commitMin[0] = Log{e}, 1 },
			"PipelineAhead: op 1: heads the pipeline of r0, which executed up to 1",
		},
		"an execution of another entry": {
			func(s *State) {
				s.headers[0], s.commitMin[0], s.acknowledged = Log{e}, 1, Log{other}
			},
			"Agreement: op 1: executed r0 has 1.0.1, acknowledged is 1.1.2",
		},
		"an execution without a body": {
			func(s *State) { s.headers[0], s.commitMin[0], s.acknowledged = Log{e}, 1, Log{e} },
			"Agreement: op 1: executed r0 has no body of 1.0.1",
		},
		"a commit number above what was acknowledged": {
			func(s *State) { s.commitMax[0] = 1 },
			"CommitAgree: op 1: r0 has nothing, acknowledged is nothing",
		},
		"an acknowledged op that one replica holds": {
			func(s *State) {
				s.headers[0], s.bodies[0], s.acknowledged = Log{e}, EntrySet{e}, Log{e}
			},
			"AckedDurable: op 1: acknowledged 1.0.1 is held by {0} only",
		},
		"a promise without the log": {
			func(s *State) { s.editMessages(0).prepareOKs[1] = EntrySet{e} },
			"PrepareOKBacked: op 1: r1 acknowledged 1.0.1 in view 0, its log has nothing",
		},
		"a promise without the body": {
			func(s *State) {
				s.headers[1] = Log{e}
				s.editMessages(0).prepareOKs[1] = EntrySet{e}
			},
			"PrepareOKBacked: op 1: r1 acknowledged 1.0.1 in view 0, it has no body",
		},
		"an execution of what is not committed": {
			func(s *State) { s.commitMin[0] = 1 },
			"CommitOrder: r0: commit_min 1 is above commit_max 0",
		},
		"a stable primary that lags with nothing left to do": {
			func(s *State) { s.headers[0] = Log{e} },
			"NoStall: no fair step is left and r0 executed up to 0, the log of primary r0 " +
				"reaches to 1",
		},
		"a view change that does not end": {
			func(s *State) {
				for r := range s.n {
					s.view[r], s.status[r] = 1, StatusViewChange
				}
			},
			"NoStall: no fair step is left and r1 has not started view 1, " +
				"which a quorum has entered",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := bound(2, 2, 1, Walk)
			s := Init(c)
			require.Empty(t, broken(c, s), "the initial state is sound")
			tc.change(&s)
			assert.Contains(t, broken(c, s), tc.want)
		})
	}
}

// NoStall must not cry before the system is quiet, nor where only a timeout helps.
func TestNoStallWaitsForQuiet(t *testing.T) {
	t.Parallel()
	c := bound(1, 1, 1, Walk)
	e := Entry{1, 0, 1}

	s := take(t, c, Init(c), "ClientRequest(0)")
	require.True(t, s.lagging(&c).behind, "the primary lags")
	assert.NoError(t, NoStall(&c, &s), "but a backup can still receive the prepare")

	// A new primary lacks a body that only a crashed replica holds.
	s = Init(c)
	s.view, s.merged[1] = [NMax]View{0, 1, 1}, &Merged{Log: Log{e}}
	s.status = [NMax]Status{StatusRecovering, StatusViewChange, StatusViewChange}
	s.bodies[0] = EntrySet{e}
	require.True(t, quiet(&c, &s))
	assert.NoError(t, NoStall(&c, &s), "it starves: a timeout is the way on")
	s.merged[1] = nil
	assert.Error(t, NoStall(&c, &s), "without a merged log it does not starve")
}

func TestInvariantsNamed(t *testing.T) {
	t.Parallel()
	some, err := InvariantsNamed(bound(1, 1, 0, Walk), "NoStall", "TypeOK")
	require.NoError(t, err)
	require.Len(t, some, 2)
	assert.Equal(t, "TypeOK", some[0].Name, "in the spec's order")
	assert.Equal(t, "NoStall", some[1].Name)
	_, err = InvariantsNamed(bound(1, 1, 0, Walk), "Typo")
	assert.EqualError(t, err, `invariant "Typo": expected one of TypeOK, PipelineBacked, `+
		`PipelineAhead, Agreement, CommitAgree, AckedDurable, PrepareOKBacked, OneStart, `+
		`CommitOrder, NoStall`)
}
