package replica

import (
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// PrepareAnyway hands a request to the core without asking the sessions first: a primary may
// forget, lag or be wrong before it prepares, and executing decides (R18).
func (h *Host) PrepareAnyway(m *wire.Request) { h.step(vsr.Receive{Message: m}) }

// RepeatState has the host write its state record anew.
func (h *Host) RepeatState() { h.step(vsr.RepeatState{}) }
