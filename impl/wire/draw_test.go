package wire

import "pgregory.net/rapid"

// Generators of legal messages: what Encode writes of them, Decode must take.

func drawUint128(t *rapid.T, label string) Uint128 {
	return Uint128{Lo: rapid.Uint64().Draw(t, label), Hi: rapid.Uint64().Draw(t, label)}
}

func drawBody(t *rapid.T) []byte {
	b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body")
	if len(b) == 0 {
		return nil
	}
	return b
}

func drawOp(t *rapid.T, label string, from, to Op) Op {
	return Op(rapid.Uint64Range(uint64(from), uint64(to)).Draw(t, label))
}

// envelope is what all replica messages share.
type envelope struct {
	cluster ClusterID
	group   GroupID
	view    View
	replica ReplicaID
}

func drawEnvelope(t *rapid.T) envelope {
	return envelope{
		cluster: ClusterID(drawUint128(t, "cluster")),
		group:   GroupID(rapid.Uint64().Draw(t, "group")),
		view:    View(rapid.Uint32().Draw(t, "view")),
		replica: ReplicaID(rapid.Uint8Range(0, 254).Draw(t, "replica")),
	}
}

func drawPrepare(t *rapid.T, e envelope, op Op) *Prepare {
	p := &Prepare{
		Header: PrepareHeader{
			Cluster:         e.cluster,
			View:            View(rapid.Uint32().Draw(t, "prepare view")),
			Replica:         ReplicaID(rapid.Uint8Range(0, 254).Draw(t, "primary")),
			Group:           e.group,
			Client:          ClientID(drawUint128(t, "client")),
			Parent:          Checksum(drawUint128(t, "parent")),
			RequestChecksum: Checksum(drawUint128(t, "request_checksum")),
			Op:              op,
			Commit:          drawOp(t, "prepare commit", 0, op-1),
			Timestamp:       rapid.Uint64().Draw(t, "timestamp"),
			Request:         RequestNumber(rapid.Uint64().Draw(t, "request")),
			Session:         SessionNumber(rapid.Uint64().Draw(t, "session")),
			Operation:       Operation(rapid.Uint8Range(1, 255).Draw(t, "operation")),
			UserID:          rapid.Uint32().Draw(t, "user_id"),
		},
		Body: drawBody(t),
	}
	if p.Header.Operation == OperationBatch || rapid.IntRange(0, 3).Draw(t, "batch") == 0 {
		makeBatch(t, p)
	}
	p.Seal()
	return p
}

// makeBatch makes a prepare one of several requests.
func makeBatch(t *rapid.T, p *Prepare) {
	h := &p.Header
	h.Operation, h.Client, h.Session, h.Request = OperationBatch, ClientID{}, 0, 0
	h.RequestChecksum, h.UserID = Checksum{}, 0
	var requests []*Request
	for range rapid.IntRange(1, 4).Draw(t, "requests") {
		m := drawRequest(t)
		if m.Operation != OperationNonReplicated && MayShareOp(m.Operation) {
			requests = append(requests, m)
		}
	}
	if len(requests) == 0 {
		requests = append(requests, sampleBatch()...)
	}
	p.Body = AppendBatch(nil, requests)
}

// drawLog draws a base, consecutive headers above it and a commit point between base and head.
func drawLog(t *rapid.T, e envelope) (PrepareID, []PrepareHeader, Op) {
	base := PrepareID{Op: drawOp(t, "base", 0, 1<<40)}
	if base.Op > 0 {
		base.Checksum = Checksum(drawUint128(t, "base_checksum"))
	}
	var headers []PrepareHeader
	for i := range rapid.IntRange(0, 10).Draw(t, "headers") {
		headers = append(headers, drawPrepare(t, e, base.Op+1+Op(i)).Header)
	}
	return base, headers, drawOp(t, "commit", base.Op, headOp(headers, base))
}

// drawKnowledge draws what a vote says about each op: present, nack, faulty or nothing.
func drawKnowledge(t *rapid.T, m *DoViewChange) {
	n := len(m.Headers)
	if n == 0 {
		return
	}
	m.Present, m.Nack, m.Faulty = NewBits(n), NewBits(n), NewBits(n)
	for i := range n {
		switch rapid.IntRange(0, 3).Draw(t, "knowledge") {
		case 1:
			m.Present[i] = true
		case 2:
			m.Nack[i] = true
		case 3:
			m.Faulty[i] = true
		}
	}
}

func drawRequest(t *rapid.T) *Request {
	e := drawEnvelope(t)
	client := drawUint128(t, "client")
	client.Lo |= 1
	m := &Request{
		Cluster:         e.cluster,
		Group:           e.group,
		Client:          ClientID(client),
		Number:          RequestNumber(rapid.Uint64Range(1, 1<<63).Draw(t, "number")),
		RequestChecksum: Checksum(drawUint128(t, "request_checksum")),
		Timestamp:       rapid.Uint64().Draw(t, "timestamp"),
		Operation:       Operation(rapid.Uint8Range(1, 255).Draw(t, "operation")),
		UserID:          rapid.Uint32().Draw(t, "user_id"),
		Body:            drawBody(t),
	}
	if m.Operation == OperationBatch {
		m.Operation++ // no request's
	}
	if m.Operation != OperationRegister {
		m.Session = SessionNumber(rapid.Uint64Range(1, 1<<63).Draw(t, "session"))
	}
	if m.Operation == OperationNonReplicated {
		m.Code = rapid.Uint32().Draw(t, "code")
	}
	return m
}

func drawReply(t *rapid.T) *Reply {
	e := drawEnvelope(t)
	m := &Reply{
		Cluster:         e.cluster,
		Group:           e.group,
		View:            e.view,
		Replica:         e.replica,
		Client:          ClientID(drawUint128(t, "client")),
		Commit:          drawOp(t, "commit", 0, 1<<63),
		Timestamp:       rapid.Uint64().Draw(t, "timestamp"),
		Number:          RequestNumber(rapid.Uint64().Draw(t, "number")),
		Operation:       Operation(rapid.Uint8().Draw(t, "operation")),
		Status:          rapid.Uint32Range(0, 2).Draw(t, "status"),
		RequestChecksum: Checksum(drawUint128(t, "request_checksum")),
	}
	if m.Status == 0 {
		m.Op = drawOp(t, "op", 0, 1<<63)
		m.Body = drawBody(t)
	}
	return m
}

func drawMessage(t *rapid.T, c Command) Message {
	e := drawEnvelope(t)
	op := drawOp(t, "op", 1, 1<<63)
	switch c {
	case CommandRequest:
		return drawRequest(t)
	case CommandReply:
		return drawReply(t)
	case CommandPrepare:
		return drawPrepare(t, e, op)
	case CommandPrepareOK:
		return &PrepareOK{
			Cluster: e.cluster, Group: e.group, View: e.view, Replica: e.replica, Op: op,
			PrepareChecksum: Checksum(drawUint128(t, "prepare_checksum")),
			Parent:          Checksum(drawUint128(t, "parent")),
			Commit:          drawOp(t, "commit", 0, 1<<63),
		}
	case CommandCommit:
		return &Commit{e.cluster, e.group, e.view, e.replica, op}
	case CommandStartViewChange:
		return &StartViewChange{e.cluster, e.group, e.view, e.replica}
	case CommandDoViewChange:
		base, headers, commit := drawLog(t, e)
		m := &DoViewChange{
			Cluster: e.cluster, Group: e.group, View: e.view, Replica: e.replica,
			LogView: View(rapid.Uint32Range(0, uint32(e.view)).Draw(t, "log_view")),
			Commit:  commit, Base: base, Headers: headers, Untrusted: rapid.Bool().Draw(t, "untrusted"),
		}
		drawKnowledge(t, m)
		return m
	case CommandStartView:
		base, headers, commit := drawLog(t, e)
		return &StartView{
			e.cluster, e.group, e.view, e.replica, commit,
			Incarnation(drawUint128(t, "incarnation")), base, headers,
		}
	case CommandRequestStartView:
		return &RequestStartView{
			e.cluster, e.group, e.view, e.replica, Incarnation(drawUint128(t, "incarnation")),
			drawOp(t, "head", 0, 1<<63),
		}
	case CommandRequestPrepares:
		m := &RequestPrepares{
			Cluster: e.cluster, Group: e.group, View: e.view, Replica: e.replica, FromOp: op,
		}
		for range rapid.IntRange(1, 9).Draw(t, "ops") {
			m.Wanted = append(m.Wanted, Checksum(drawUint128(t, "wanted")))
		}
		m.ToOp = op + Op(len(m.Wanted)) - 1
		return m
	case CommandConfirmView, CommandConfirmViewOK:
		m := ConfirmView{
			e.cluster, e.group, e.view, e.replica, Incarnation(drawUint128(t, "incarnation")),
			rapid.Uint64Range(1, 1<<63).Draw(t, "round"),
		}
		m.Incarnation.Lo |= 1
		if c == CommandConfirmView {
			return &m
		}
		ok := ConfirmViewOK(m)
		return &ok
	case CommandRepairPrepare:
		return &RepairPrepare{e.cluster, e.group, e.view, e.replica, *drawPrepare(t, e, op)}
	case CommandRequestCheckpoint:
		return &RequestCheckpoint{
			e.cluster, e.group, e.view, e.replica,
			PrepareID{op, Checksum(drawUint128(t, "id"))},
			rapid.Uint64().Draw(t, "offset"),
		}
	case CommandCheckpointChunk:
		return drawChunk(t, e, PrepareID{op, Checksum(drawUint128(t, "id"))})
	}
	panic("draw " + c.String())
}

func drawAny(t *rapid.T) Message {
	return drawMessage(t, rapid.SampledFrom(Commands()).Draw(t, "command"))
}

// drawChunk draws an offer, or a chunk somewhere within its total.
func drawChunk(t *rapid.T, e envelope, id PrepareID) *CheckpointChunk {
	m := &CheckpointChunk{
		Cluster: e.cluster, Group: e.group, View: e.view, Replica: e.replica, Checkpoint: id,
	}
	if m.Data = drawBody(t); len(m.Data) > 0 {
		m.Snapshot = Checksum(drawUint128(t, "snapshot"))
		m.Offset = rapid.Uint64Range(0, 1<<40).Draw(t, "offset")
		m.Total = m.Offset + uint64(len(m.Data)) + rapid.Uint64Range(0, 9).Draw(t, "rest")
	}
	return m
}
