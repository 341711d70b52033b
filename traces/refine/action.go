package refine

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// kind is what the explorer chooses.
type kind uint8

const (
	kindDeliver kind = iota + 1
	kindRequest
	kindExpire
	kindExecute
	kindWrite
	kindRead
	kindLeave
	kindCrash
	kindCheckpoint // a snapshot of what was executed is durable
	kindPart       // the next durable part of a checkpoint, its own or an installed one
	kindChunk      // bytes of a checkpoint are read
	kindWipe       // the disk is lost
	kindQuiet      // nothing is left to do: not a step, but where NoStall is judged
)

// firstOperation is the lowest operation that means nothing to the protocol.
const firstOperation = wire.Operation(241)

// Action is one choice of the explorer.
type Action struct {
	kind    kind
	replica int
	arg     int
	timer   vsr.Timer
	message *message
	did     string
	// released is what the replica has let go of its log, lost says that what it has sent of
	// that does not arrive.
	released wire.Op
	lost     bool
}

// Name is what the core did, in actions of the specification, or what only the core sees.
func (a Action) Name() string {
	if a.did == "" {
		return "stutter"
	}
	return a.did
}

// String is the choice and what the core did.
func (a Action) String() string {
	text := ""
	switch a.kind {
	case kindDeliver:
		text = fmt.Sprintf("r%d receives %s", a.replica, a.message.text())
	case kindRequest:
		text = fmt.Sprintf("client sends request %d to r%d", a.arg, a.replica)
	case kindExpire:
		text = fmt.Sprintf("a tick passes at r%d (timer %d)", a.replica, a.timer)
	case kindExecute:
		text = fmt.Sprintf("the state machine of r%d is done", a.replica)
	case kindWrite:
		text = fmt.Sprintf("write %d of r%d is durable", a.arg, a.replica)
	case kindRead:
		text = fmt.Sprintf("r%d has read its journal", a.replica)
	case kindLeave:
		text = fmt.Sprintf("r%d loses patience", a.replica)
	case kindCrash:
		text = fmt.Sprintf("r%d crashes, %d writes under way landed, and restarts",
			a.replica, a.arg)
	case kindCheckpoint:
		text = fmt.Sprintf("r%d has a snapshot of what it has executed", a.replica)
	case kindPart:
		text = fmt.Sprintf("the next part of a checkpoint of r%d is durable", a.replica)
	case kindChunk:
		text = fmt.Sprintf("r%d has read bytes of a checkpoint", a.replica)
	case kindWipe:
		text = fmt.Sprintf("r%d crashes, loses its disk, and starts on an empty one", a.replica)
	case kindQuiet:
		text = "nothing is left to do"
	}
	if a.lost {
		text += ", and what it has sent of the log that it lets go is lost"
	}
	if a.did != "" {
		text += ": " + strings.ReplaceAll(a.did, "+", ", ")
	}
	return text
}
