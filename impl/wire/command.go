package wire

import "fmt"

// Command says what a frame is; byte 60 of the header. The numbers are upstream's, so there
// are gaps: those belong to frames that this package does not speak.
type Command uint8

// The commands of the protocol.
const (
	CommandRequest           Command = 5  // client to any replica: an operation
	CommandPrepare           Command = 6  // primary to backups: one op of the log
	CommandPrepareOK         Command = 7  // backup to primary: the op is stored here
	CommandReply             Command = 8  // replica to client: the outcome
	CommandCommit            Command = 9  // primary to backups: heartbeat with commit max
	CommandStartViewChange   Command = 10 // any to all: the view should end
	CommandDoViewChange      Command = 11 // any to all: a vote, with the log
	CommandStartView         Command = 12 // primary to all, or to one that asked: the view's log
	CommandRequestStartView  Command = 17 // any to all: a probe for the view's log
	CommandRequestPrepares   Command = 18 // any to one: repair, the question
	CommandRepairPrepare     Command = 19 // any to one: repair, the answer
	CommandRequestCheckpoint Command = 24 // any to one: state transfer, the question
	CommandCheckpointChunk   Command = 25 // any to one: state transfer, the answer, or an offer

	// These are ours, above all of upstream's.
	CommandConfirmView   Command = 40 // primary to backups: is this still the view?
	CommandConfirmViewOK Command = 41 // any to primary: it is, here
)

var commandNames = [...]string{
	CommandRequest:           "request",
	CommandPrepare:           "prepare",
	CommandPrepareOK:         "prepare_ok",
	CommandReply:             "reply",
	CommandCommit:            "commit",
	CommandStartViewChange:   "start_view_change",
	CommandDoViewChange:      "do_view_change",
	CommandStartView:         "start_view",
	CommandRequestStartView:  "request_start_view",
	CommandRequestPrepares:   "request_prepares",
	CommandRepairPrepare:     "repair_prepare",
	CommandRequestCheckpoint: "request_checkpoint",
	CommandCheckpointChunk:   "checkpoint_chunk",
	CommandConfirmView:       "confirm_view",
	CommandConfirmViewOK:     "confirm_view_ok",
}

// Valid reports whether c is one of the commands above.
func (c Command) Valid() bool { return int(c) < len(commandNames) && commandNames[c] != "" }

// String returns the name in snake_case ("prepare_ok"), or "command(N)" for a foreign number.
func (c Command) String() string {
	if !c.Valid() {
		return fmt.Sprintf("command(%d)", uint8(c))
	}
	return commandNames[c]
}

// Commands returns all commands in ascending order.
func Commands() []Command {
	var all []Command
	for c := range Command(len(commandNames)) {
		if c.Valid() {
			all = append(all, c)
		}
	}
	return all
}
