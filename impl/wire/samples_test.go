package wire

import (
	"encoding/binary"
	"slices"
)

// place says where a header holds a value. The tables below are written by hand from the
// layout in doc.go, so that they check the code and not themselves.
type place struct {
	offset int
	value  any // fixed size, little-endian
}

// sample is one message of each command, with all its header fields set and distinct.
type sample struct {
	message Message
	places  []place
	body    []byte
}

var (
	sampleCluster = ClusterID{Lo: 0xc001, Hi: 0xc002}
	sampleClient  = ClientID{Lo: 0x1101, Hi: 0x1102}
)

const sampleGroup GroupID = 1<<63 | 5

func samplePrepare(op Op, body string) Prepare {
	p := Prepare{
		Header: PrepareHeader{
			Cluster:         sampleCluster,
			View:            3,
			Replica:         1,
			Group:           sampleGroup,
			Client:          sampleClient,
			Parent:          Checksum{Lo: 0x2201, Hi: 0x2202},
			RequestChecksum: Checksum{Lo: 0x3301, Hi: 0x3302},
			Op:              op,
			Commit:          op - 1,
			Timestamp:       0x7777,
			Request:         9,
			Session:         4,
			Operation:       160,
			UserID:          0x88,
		},
		Body: []byte(body),
	}
	p.Seal()
	return p
}

// shared are the fields that all headers have; the caller adds its own.
func shared(command uint8, size uint32, view uint32, replica uint8, more ...place) []place {
	return append([]place{
		{32, sampleCluster}, {48, size}, {52, view}, {60, command}, {61, replica},
	}, more...)
}

func sampleHeaders(from, to Op) []PrepareHeader {
	var headers []PrepareHeader
	for op := from; op <= to; op++ {
		headers = append(headers, samplePrepare(op, "body").Header)
	}
	return headers
}

func headerBytes(headers []PrepareHeader) []byte {
	var b []byte
	for i := range headers {
		b = AppendPrepareHeader(b, &headers[i])
	}
	return b
}

func samples() []sample {
	return slices.Concat(clientSamples(), normalSamples(), viewChangeSamples(), repairSamples(),
		checkpointSamples(), readSamples())
}

func clientSamples() []sample {
	request := &Request{
		Cluster: sampleCluster, Group: sampleGroup, Client: sampleClient, Session: 4, Number: 9,
		RequestChecksum: Checksum{Lo: 0x3301, Hi: 0x3302}, Timestamp: 0x7777,
		Operation: OperationNonReplicated, UserID: 0x88, Code: 0x99, Body: []byte("question"),
	}
	reply := &Reply{
		Cluster: sampleCluster, Group: sampleGroup, View: 3, Replica: 1, Client: sampleClient,
		Op: 21, Commit: 22, Timestamp: 0x7777, Number: 9, Operation: 160,
		RequestChecksum: Checksum{Lo: 0x3301, Hi: 0x3302}, Body: []byte("answer"),
	}
	denial := &Reply{
		Cluster: sampleCluster, Group: sampleGroup, View: 3, Replica: 1, Client: sampleClient,
		Number: 9, Operation: 160, Status: 58,
	}
	return []sample{
		{request, shared(5, 264, 0, 0, place{128, sampleClient},
			place{144, request.RequestChecksum}, place{160, uint64(0x7777)},
			place{168, uint64(9)}, place{176, uint8(2)}, place{184, uint64(4)},
			place{192, uint32(0x88)}, place{196, uint32(0x99)},
			place{248, sampleGroup}), request.Body},
		{reply, shared(8, 262, 3, 1, place{128, reply.RequestChecksum}, place{160, sampleClient},
			place{176, uint64(21)}, place{184, uint64(22)}, place{192, uint64(0x7777)},
			place{200, uint64(9)}, place{208, uint8(160)}, place{216, uint32(0)},
			place{248, sampleGroup}), reply.Body},
		{denial, shared(8, 256, 3, 1, place{128, Checksum{}}, place{160, sampleClient},
			place{176, uint64(0)}, place{184, uint64(0)}, place{192, uint64(0)},
			place{200, uint64(9)}, place{208, uint8(160)}, place{216, uint32(58)},
			place{248, sampleGroup}), nil},
	}
}

// sampleBatch are two requests of which the second has no body.
func sampleBatch() []*Request {
	return []*Request{
		{
			Client: sampleClient, Session: 4, Number: 9,
			RequestChecksum: Checksum{Lo: 0x3301, Hi: 0x3302}, Operation: 160, UserID: 0x88,
			Body: []byte("hello"),
		},
		{Client: ClientID{Lo: 0x1103}, Session: 5, Number: 10, Operation: 161},
	}
}

// sampleBatchBody is the same laid out by hand.
func sampleBatchBody() []byte {
	b := make([]byte, 8+64+5+64)
	put := func(offset int, value any) {
		_, err := binary.Encode(b[offset:], binary.LittleEndian, value)
		if err != nil {
			panic(err)
		}
	}
	put(0, uint32(2))
	put(8, sampleClient)
	put(8+16, Checksum{Lo: 0x3301, Hi: 0x3302})
	put(8+32, uint64(9))
	put(8+40, uint64(4))
	put(8+48, uint32(5))
	put(8+52, uint32(0x88))
	put(8+56, uint8(160))
	copy(b[8+64:], "hello")
	put(77, ClientID{Lo: 0x1103})
	put(77+32, uint64(10))
	put(77+40, uint64(5))
	put(77+56, uint8(161))
	return b
}

func sampleBatchPrepare() Prepare {
	p := Prepare{
		Header: PrepareHeader{
			Cluster: sampleCluster, View: 3, Replica: 1, Group: sampleGroup, Op: 21, Commit: 20,
			Parent: Checksum{Lo: 0x2201, Hi: 0x2202}, Timestamp: 0x7777, Operation: OperationBatch,
		},
		Body: AppendBatch(nil, sampleBatch()),
	}
	p.Seal()
	return p
}

func normalSamples() []sample {
	p, batch := samplePrepare(21, "hello"), sampleBatchPrepare()
	ok := &PrepareOK{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Op: 21,
		PrepareChecksum: Checksum{Lo: 0x4401, Hi: 0x4402}, Parent: Checksum{Lo: 0x2201, Hi: 0x2202},
		Commit: 20,
	}
	commit := &Commit{Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Commit: 20}
	return []sample{
		{&p, shared(6, 261, 3, 1, preparePlaces(&p)...), p.Body},
		{
			&batch, shared(6, 256+141, 3, 1, place{128, ClientID{}}, place{144, batch.Header.Parent},
				place{160, Checksum{}}, place{176, uint64(21)}, place{184, uint64(20)},
				place{192, uint64(0x7777)}, place{200, uint64(0)}, place{208, uint8(32)},
				place{216, sampleGroup}, place{224, uint32(0)}, place{232, uint64(0)}),
			sampleBatchBody(),
		},
		{ok, shared(7, 256, 6, 2, place{128, ok.Parent}, place{144, ok.PrepareChecksum},
			place{160, uint64(21)}, place{168, uint64(20)}, place{200, sampleGroup}), nil},
		{commit, shared(9, 256, 6, 2, place{152, uint64(20)}, place{168, sampleGroup}), nil},
	}
}

func preparePlaces(p *Prepare) []place {
	return []place{
		{128, sampleClient},
		{144, p.Header.Parent},
		{160, p.Header.RequestChecksum},
		{176, uint64(21)},
		{184, uint64(20)},
		{192, uint64(0x7777)},
		{200, uint64(9)},
		{208, uint8(160)},
		{216, sampleGroup},
		{224, uint32(0x88)},
		{232, uint64(4)},
	}
}

func viewChangeSamples() []sample {
	svc := &StartViewChange{Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2}
	headers := sampleHeaders(20, 22)
	dvc := &DoViewChange{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, LogView: 5, Commit: 19,
		Base: PrepareID{Op: 19, Checksum: Checksum{Lo: 0x7701, Hi: 0x7702}}, Headers: headers,
		Present: Bits{true, false, false}, Nack: Bits{false, true, false},
		Faulty: Bits{false, false, true}, Untrusted: true,
	}
	sv := &StartView{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Commit: 20,
		Incarnation: Incarnation{Lo: 0x5501, Hi: 0x5502},
		Base:        PrepareID{Op: 20, Checksum: Checksum{Lo: 0x7703, Hi: 0x7704}},
		Headers:     headers[1:],
	}
	rsv := &RequestStartView{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2,
		Incarnation: sv.Incarnation, Head: 19,
	}
	return []sample{
		{svc, shared(10, 256, 6, 2, place{128, sampleGroup}), nil},
		{
			dvc, shared(11, 256+3*256+3, 6, 2, place{128, uint64(22)}, place{136, uint64(19)},
				place{144, sampleGroup}, place{152, uint32(5)}, place{156, uint32(3)},
				place{160, uint8(1)},
				place{168, uint64(19)}, place{176, dvc.Base.Checksum}),
			append(headerBytes(headers), 0b001, 0b010, 0b100),
		},
		{sv, shared(12, 256+2*256, 6, 2, place{128, uint64(22)}, place{136, uint64(20)},
			place{144, sampleGroup}, place{152, uint64(20)}, place{160, sv.Base.Checksum},
			place{240, sv.Incarnation}), headerBytes(headers[1:])},
		{rsv, shared(17, 256, 6, 2, place{128, sampleGroup}, place{136, uint64(19)},
			place{240, sv.Incarnation}), nil},
	}
}

func repairSamples() []sample {
	ask := &RequestPrepares{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, FromOp: 20, ToOp: 21,
		Wanted: []Checksum{{}, {Lo: 0x6601, Hi: 0x6602}},
	}
	answer := &RepairPrepare{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2,
		Prepare: samplePrepare(21, "hello"),
	}
	wanted := make([]byte, 32)
	wanted[16], wanted[17], wanted[24], wanted[25] = 0x01, 0x66, 0x02, 0x66
	return []sample{
		{ask, shared(18, 256+32, 6, 2, place{144, uint64(20)}, place{152, uint64(21)},
			place{160, sampleGroup}), wanted},
		{answer, shared(19, 256+261, 6, 2, place{216, sampleGroup}), Encode(&answer.Prepare)},
	}
}

func checkpointSamples() []sample {
	id := PrepareID{Op: 21, Checksum: Checksum{Lo: 0x8801, Hi: 0x8802}}
	ask := &RequestCheckpoint{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Checkpoint: id, Offset: 99,
	}
	chunk := &CheckpointChunk{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Checkpoint: id,
		Snapshot: Checksum{Lo: 0x9901, Hi: 0x9902}, Total: 110, Offset: 99, Data: []byte("bytes"),
	}
	offer := &CheckpointChunk{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Checkpoint: id,
	}
	identity := []place{{128, sampleGroup}, {136, uint64(21)}, {144, id.Checksum}}
	return []sample{
		{ask, shared(24, 256, 6, 2, append(identity, place{160, uint64(99)})...), nil},
		{chunk, shared(25, 261, 6, 2, append(identity, place{160, chunk.Snapshot},
			place{176, uint64(110)}, place{184, uint64(99)})...), chunk.Data},
		{offer, shared(25, 256, 6, 2, append(identity, place{160, Checksum{}},
			place{176, uint64(0)}, place{184, uint64(0)})...), nil},
	}
}

func readSamples() []sample {
	ask := &ConfirmView{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2,
		Incarnation: Incarnation{Lo: 0x5501, Hi: 0x5502}, Round: 0x99,
	}
	answer := ConfirmViewOK(*ask)
	places := []place{
		{128, sampleGroup}, {136, ask.Round}, {240, ask.Incarnation},
	}
	return []sample{
		{ask, shared(40, 256, 6, 2, places...), nil},
		{&answer, shared(41, 256, 6, 2, places...), nil},
	}
}

// sampleFrame returns the sealed frame of the first sample of a command.
func sampleFrame(c Command) []byte {
	for _, s := range samples() {
		if s.message.Command() == c {
			return Encode(s.message)
		}
	}
	panic("no sample of " + c.String())
}
