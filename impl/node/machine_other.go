//go:build !linux

package node

import (
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// describeMachine knows nothing of this kind of machine.
func describeMachine(*protocol.Stats, string, time.Duration) {}
