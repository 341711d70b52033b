package wire

import "fmt"

// Operation says what a request asks of the state machine. The protocol itself knows four:
// two that act on sessions, the one that never enters the log, and the batch. All other
// nonzero values belong to the state machines. The numbers are upstream's.
type Operation uint8

// The operations that the protocol itself understands. Zero is invalid everywhere.
const (
	// OperationRegister binds a session (R18). Its request has no session yet.
	OperationRegister Operation = 1
	// OperationNonReplicated never enters the log; Request.Code says what is asked.
	OperationNonReplicated Operation = 2
	// OperationLogout ends the session that it names.
	OperationLogout Operation = 3
	// OperationBatch is that of a prepare which several requests share (batch.go). It is ours,
	// and no request's.
	OperationBatch Operation = 32
)

// String returns the name of a protocol operation in snake_case, else "operation(N)".
func (o Operation) String() string {
	switch o {
	case OperationRegister:
		return "register"
	case OperationNonReplicated:
		return "non_replicated"
	case OperationLogout:
		return "logout"
	case OperationBatch:
		return "batch"
	default:
		return fmt.Sprintf("operation(%d)", uint8(o))
	}
}
