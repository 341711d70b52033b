package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Input is one thing that happens to a replica.
//
//sumtype:decl
type Input interface{ isInput() }

// Tick is the passing of one tick of time.
type Tick struct{}

// Receive is a message from another replica or a client. The frame has been verified by
// [wire.Decode]; the core checks who it is from and whom it is for (R20). A request has passed
// the host, which puts the time of its clock into Request.Timestamp.
type Receive struct{ Message wire.Message }

// PrepareStored reports that a prepare of Output.StorePrepares is as durable as the group's
// policy demands.
type PrepareStored struct{ ID wire.PrepareID }

// PrepareLost reports that a prepare which was stored cannot be read any more: its record is
// rotten, or reading fails (R14). It may come at any time, also twice.
type PrepareLost struct{ ID wire.PrepareID }

// StateStored reports that the state record of log view LogView is durable.
type StateStored struct{ LogView wire.View }

// SuperblockStored reports that the superblock is durable, with the values written: the
// replica may want others by now.
type SuperblockStored struct{ Superblock Superblock }

// PreparesRead answers one of Output.Reads with the prepares that could be read.
type PreparesRead struct {
	Prepares []*wire.Prepare
	To       wire.ReplicaID
}

// Executed reports that the state machine has executed the op of Output.Executes.
type Executed struct {
	ID     wire.PrepareID
	Result []byte
	// Results are what the requests of a batch came to, in the order of [wire.Unbatch]; Result
	// is not looked at then. A request that nobody waits for may be left out.
	Results []RequestResult
}

// RequestResult is what one request of a batch came to: the core holds no bodies, so that the
// host says whose it is.
type RequestResult struct {
	Client          wire.ClientID
	Number          wire.RequestNumber
	Operation       wire.Operation
	RequestChecksum wire.Checksum
	Body            []byte
}

// ResultOf is the result of a request that [wire.Unbatch] returned.
func ResultOf(p *wire.Prepare, body []byte) RequestResult {
	h := &p.Header
	return RequestResult{
		Client: h.Client, Number: h.Request, Operation: h.Operation,
		RequestChecksum: h.RequestChecksum, Body: body,
	}
}

// NotExecuted reports that the op of Output.Executes could not be read, so that the state
// machine has not seen it. It says what [PrepareLost] says, and [Executed] does not follow: the
// op is handed out again once its body has been repaired.
type NotExecuted struct{ ID wire.PrepareID }

// ReadRequest asks for a read that does not go through the log (R19). Output.ReadsReady or
// Output.ReadsRefused answers it, in this Step or in a later one. The host chooses the ID, which
// must be unique among the reads that wait.
type ReadRequest struct {
	ID    uint64
	Level ReadLevel
}

// LeaveView makes the replica start a view change now, whatever its timers say: an operator
// hands over a primary before maintenance, a test needs no patience.
type LeaveView struct{}

func (Tick) isInput()             {}
func (Receive) isInput()          {}
func (PrepareStored) isInput()    {}
func (PrepareLost) isInput()      {}
func (StateStored) isInput()      {}
func (SuperblockStored) isInput() {}
func (PreparesRead) isInput()     {}
func (Executed) isInput()         {}
func (NotExecuted) isInput()      {}
func (ReadRequest) isInput()      {}
func (LeaveView) isInput()        {}
