package clienttest

import (
	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// answer is the frame for a request that came to node i, nil to close the connection.
func (c *Cluster) answer(i int, r *wire.Request) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	code := codeOf(r)
	fault := c.fault(code)
	var frame []byte
	switch {
	case fault.Status != 0:
		frame = deny(r, fault.Status)
	case r.Operation == wire.OperationNonReplicated:
		frame = c.question(i, r, code)
	case protocol.PlaneOf(r.Operation) == protocol.PlanePartition:
		frame = c.partition(i, r)
	default:
		frame = c.metadata(i, r)
	}
	if fault.Lose {
		return nil
	}
	return frame
}

// fault takes the first one for a code.
func (c *Cluster) fault(code protocol.Code) Fault {
	for i, f := range c.faults {
		if f.Code == code {
			c.faults = append(c.faults[:i:i], c.faults[i+1:]...)
			return f
		}
	}
	return Fault{}
}

// codes of the operations that the cluster knows.
var codes = map[wire.Operation]protocol.Code{
	wire.OperationRegister:         protocol.CodeLogin,
	wire.OperationLogout:           protocol.CodeLogout,
	protocol.OperationCreateStream: protocol.CodeCreateStream,
	protocol.OperationDeleteStream: protocol.CodeDeleteStream,
	protocol.OperationCreateTopic:  protocol.CodeCreateTopic,
	protocol.OperationDeleteTopic:  protocol.CodeDeleteTopic,
	protocol.OperationSend:         protocol.CodeSend,
	protocol.OperationStoreOffset:  protocol.CodeStoreOffset,
	protocol.OperationDeleteOffset: protocol.CodeDeleteOffset,
	wire.OperationNonReplicated:    0,
	wire.OperationBatch:            0, // no request's
}

func codeOf(r *wire.Request) protocol.Code {
	if r.Operation == wire.OperationNonReplicated {
		return protocol.Code(r.Code).Query()
	}
	return codes[r.Operation]
}

func deny(r *wire.Request, status protocol.Status) []byte {
	return reply(r, status, 0, nil)
}

func reply(r *wire.Request, status protocol.Status, op wire.Op, body []byte) []byte {
	return wire.AppendClientReply(nil, &wire.Reply{
		Client: r.Client, Number: r.Number, Operation: r.Operation, Op: op,
		RequestChecksum: r.RequestChecksum, Status: uint32(status), Body: body,
	})
}

func evict(r *wire.Request, reason wire.EvictionReason) []byte {
	return wire.AppendEviction(nil, &wire.Eviction{Client: r.Client, Reason: reason})
}

// loggedIn says that the session is one of those in the table.
func (c *Cluster) loggedIn(r *wire.Request) bool {
	for _, row := range c.table.Rows() {
		if row.Client == r.Client {
			return row.Session == r.Session
		}
	}
	return false
}

// question answers what is in no log.
func (c *Cluster) question(i int, r *wire.Request, code protocol.Code) []byte {
	if code == protocol.CodePing {
		return reply(r, 0, 0, nil)
	}
	if !c.loggedIn(r) {
		return deny(r, protocol.StatusUnauthenticated)
	}
	strict := protocol.Code(r.Code).IsLinearizable()
	onPartition := code == protocol.CodePoll || code == protocol.CodeGetOffset
	if strict && (onPartition && i != c.partitions || !onPartition && i != c.primary) {
		return deny(r, protocol.StatusNotAccepted)
	}
	var body protocol.Body
	status := protocol.StatusOK
	switch code { //nolint:exhaustive // The rest is unknown here.
	case protocol.CodeClusterMetadata:
		body = c.roster()
	case protocol.CodeFindPrimary:
		host, port := split(c.nodes[c.partitions].listener.Addr())
		body = &protocol.PrimaryFound{View: 1, Address: host, TCP: port}
	default:
		body, status = c.state.question(code, r.Body)
	}
	if status != 0 || body == nil {
		return reply(r, status, 0, nil)
	}
	return reply(r, 0, 0, protocol.MustAppend(nil, body))
}

// partition executes what enters a partition's log.
func (c *Cluster) partition(i int, r *wire.Request) []byte {
	switch {
	case !c.loggedIn(r):
		return deny(r, protocol.StatusUnauthenticated)
	case i != c.partitions:
		return deny(r, protocol.StatusNotAccepted)
	}
	body, status := c.state.partition(r.Operation, r.Body)
	if status != 0 {
		return deny(r, status)
	}
	return reply(r, 0, 1, body)
}

// metadata executes what the client table counts.
func (c *Cluster) metadata(i int, r *wire.Request) []byte {
	m := clienttable.Message{
		Kind: clienttable.Request, Client: r.Client, Session: r.Session, Number: r.Number,
		Checksum: r.RequestChecksum,
	}
	switch r.Operation { //nolint:exhaustive // Questions do not come here.
	case wire.OperationRegister:
		m.Kind = clienttable.Register
		login, err := protocol.DecodeLogin(r.Body)
		switch {
		case err != nil:
			return evict(r, wire.EvictedMalformedLogin)
		case login.User != User || login.Password != Password:
			return evict(r, wire.EvictedInvalidCredentials)
		}
	case wire.OperationLogout:
		m.Kind = clienttable.Logout
	default:
		if i != c.primary {
			return deny(r, protocol.StatusNotAccepted)
		}
	}
	a := c.table.Answer(m)
	if a.Kind == clienttable.Prepare {
		c.op++
		result := c.table.Execute(c.op, m)
		a = result.Answer
		switch result.Outcome {
		case clienttable.Execute:
			a = c.table.Complete(c.op, c.state.metadata(r.Operation, r.Body))
		case clienttable.LoggedOut:
			return reply(r, 0, c.op, nil)
		case clienttable.Ignored, clienttable.Bound, clienttable.Rebound, clienttable.Resized,
			clienttable.Passed:
		}
	}
	return c.tell(r, a)
}

// tell turns an answer of the table into a frame.
func (c *Cluster) tell(r *wire.Request, a clienttable.Answer) []byte {
	switch a.Kind {
	case clienttable.SessionGiven:
		login := &protocol.LoginReply{
			UserID: 1, Session: a.Session, ServerProtocol: protocol.ProtocolVersion,
			ServerVersion: "test",
			Standing:      &protocol.Standing{Born: a.Born, Watermark: a.Watermark},
		}
		return reply(r, 0, wire.Op(a.Session), protocol.MustAppend(make([]byte, 4), login))
	case clienttable.Replied:
		return reply(r, 0, a.Op, a.Body)
	case clienttable.Gone:
		return deny(r, protocol.StatusAlreadyApplied)
	case clienttable.Over:
		return evict(r, wire.EvictedSessionTooLow)
	case clienttable.Refused, clienttable.Taken, clienttable.Silent, clienttable.Prepare,
		clienttable.InFlight, clienttable.NotAccepted:
	}
	return nil
}
