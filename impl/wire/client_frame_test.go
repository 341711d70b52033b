package wire

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sampleClientRequest() *Request {
	return &Request{
		Cluster: sampleCluster, Group: sampleGroup, // left out of the frame
		Client: sampleClient, Session: 4, Number: 9,
		RequestChecksum: Checksum{Lo: 0x3301, Hi: 0x3302}, Timestamp: 0x7777, Operation: 160,
		UserID: 0x88, Body: []byte("body"),
	}
}

func sampleClientReply() *Reply {
	return &Reply{
		Cluster: sampleCluster, Group: sampleGroup, // left out of the frame
		View: 3, Replica: 1, Client: sampleClient, Op: 7, Commit: 8, Timestamp: 0x7777, Number: 9,
		Operation: 160, RequestChecksum: Checksum{Lo: 0x3301, Hi: 0x3302}, Body: []byte("body"),
	}
}

func sampleEviction() *Eviction {
	return &Eviction{
		Client: sampleClient, Reason: EvictedIncompatibleProtocol, ProtocolMax: 0x2c00,
		ProtocolMin: 0x2800,
	}
}

// The layouts of client-protocol sections 2 to 5, by hand, as in samples.
func TestClientFramesStandWhereTheLayoutSays(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		frame  []byte
		places []place
		body   string
	}{
		"client_request": {
			AppendClientRequest(nil, sampleClientRequest()),
			[]place{
				{48, uint32(260)},
				{60, uint8(5)},
				{128, sampleClient},
				{144, Checksum{Lo: 0x3301, Hi: 0x3302}},
				{160, uint64(0x7777)},
				{168, uint64(9)},
				{176, uint8(160)},
				{184, uint64(4)},
				{192, uint32(0x88)},
			},
			"body",
		},
		"client_reply": {
			AppendClientReply(nil, sampleClientReply()),
			[]place{
				{48, uint32(260)},
				{52, uint32(3)},
				{60, uint8(8)},
				{61, uint8(1)},
				{128, Checksum{Lo: 0x3301, Hi: 0x3302}},
				{160, sampleClient},
				{176, uint64(7)},
				{184, uint64(8)},
				{192, uint64(0x7777)},
				{200, uint64(9)},
				{208, uint8(160)},
			},
			"body",
		},
		"eviction": {
			AppendEviction(nil, sampleEviction()),
			[]place{
				{48, uint32(256)},
				{60, uint8(13)},
				{128, sampleClient},
				{144, uint32(0x2c00)},
				{148, uint32(0x2800)},
				{255, uint8(14)},
			},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, used := layOut(t, sample{places: tc.places, body: []byte(tc.body)})
			clear(want[:32]) // No seal.
			for i := range want {
				require.Equal(t, want[i], tc.frame[i], "byte %d", i)
			}
			path := filepath.Join("testdata", name+".hex")
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(dump(tc.frame)), 0o644))
			}
			golden, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(golden), dump(tc.frame))
			if name == "client_request" {
				return // What a node makes of it is below.
			}
			for offset := range HeaderBytes {
				// Size and command decide how the rest is read.
				if used[offset] {
					continue
				}
				damaged := append([]byte{}, tc.frame...)
				damaged[offset] = 0x80
				_, err := DecodeFromNode(damaged)
				// A reply may name its cluster and group, and status denies what has an op.
				if name == "client_reply" && (offset >= 32 && offset < 48 || offset >= 248) {
					require.NoError(t, err, "byte %d", offset)
					continue
				}
				require.Error(t, err, "byte %d", offset)
			}
		})
	}
}

func TestClientFramesComeBack(t *testing.T) {
	t.Parallel()
	request, err := Decode(AppendClientRequest(nil, sampleClientRequest()))
	require.NoError(t, err)
	wantRequest := sampleClientRequest()
	wantRequest.Cluster, wantRequest.Group = ClusterID{}, 0
	assert.Equal(t, wantRequest, request)

	from, err := DecodeFromNode(AppendClientReply([]byte("x"), sampleClientReply())[1:])
	require.NoError(t, err)
	wantReply := sampleClientReply()
	wantReply.Cluster, wantReply.Group = ClusterID{}, 0
	assert.Equal(t, FromNode{Reply: wantReply}, from)

	from, err = DecodeFromNode(AppendEviction(nil, sampleEviction()))
	require.NoError(t, err)
	assert.Equal(t, FromNode{Eviction: sampleEviction()}, from)

	sealed, err := DecodeFromNode(Encode(sampleClientReply()))
	require.NoError(t, err)
	assert.Equal(t, FromNode{Reply: sampleClientReply()}, sealed)
}

func TestFramesThatNoNodeSends(t *testing.T) {
	t.Parallel()
	eviction := func(change func(*Eviction)) []byte {
		m := sampleEviction()
		change(m)
		return AppendEviction(nil, m)
	}
	damagedSeal := Encode(sampleClientReply())
	damagedSeal[0] ^= 1
	for name, tc := range map[string]struct {
		frame []byte
		want  Reason
	}{
		"nothing":                 {nil, ReasonShort},
		"less than it says":       {AppendClientReply(nil, sampleClientReply())[:258], ReasonSize},
		"a request":               {AppendClientRequest(nil, sampleClientRequest()), ReasonCommand},
		"a prepare":               {Encode(&Commit{Cluster: sampleCluster}), ReasonCommand},
		"a damaged seal":          {damagedSeal, ReasonChecksum},
		"an eviction of nobody":   {eviction(func(m *Eviction) { m.Client = ClientID{} }), ReasonRange},
		"... without a reason":    {eviction(func(m *Eviction) { m.Reason = 0 }), ReasonRange},
		"... with a stray window": {eviction(func(m *Eviction) { m.Reason = 1 }), ReasonRange},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := DecodeFromNode(tc.frame)
			assert.Equal(t, tc.want, requireRefused(t, err).Reason)
		})
	}
}

func FuzzDecodeFromNode(f *testing.F) {
	f.Add(AppendClientReply(nil, sampleClientReply()))
	f.Add(AppendEviction(nil, sampleEviction()))
	f.Fuzz(func(t *testing.T, frame []byte) {
		from, err := DecodeFromNode(frame)
		if err != nil {
			return
		}
		if from.Eviction != nil && unsealed(frame) {
			assert.Equal(t, frame, AppendEviction(nil, from.Eviction))
		}
		assert.NotEqual(t, from.Reply == nil, from.Eviction == nil)
	})
}
