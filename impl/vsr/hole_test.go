package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// What goes below the log is the prepare that the log names, and none of the same op: one that
// was superseded would be executed (R11).
func TestASupersededPrepareDoesNotGoBelowTheLog(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	dead := *chain[1]
	dead.Header.UserID++
	dead.Seal()
	r := rebooted(t, Recovered{})
	adopts(r, chain[2].Header.ID(), logOf(chain[3:]), 4)
	arrive := func(p *wire.Prepare) {
		r.Step(Receive{Message: &wire.RepairPrepare{View: 3, Replica: 2, Prepare: *p}})
	}
	arrive(&dead)
	arrive(chain[2])
	require.Equal(t, chain[1].Header.ID(), r.log.base, "op 3 names its parent")
	arrive(chain[1])
	require.Equal(t, logOf(chain[1:]), r.log.headers)
}
