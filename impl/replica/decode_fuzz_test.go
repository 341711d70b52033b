package replica

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// fuzzedPrepare is a prepare with a body.
func fuzzedPrepare(op wire.Op, body string) *wire.Prepare {
	p := &wire.Prepare{Body: []byte(body), Header: wire.PrepareHeader{
		Cluster: wire.ClusterID{Lo: 1}, Op: op, Operation: 240, Client: wire.ClientID{Lo: 1},
	}}
	if op > 1 {
		p.Header.Parent = wire.Checksum{Lo: 9}
	}
	p.Seal()
	return p
}

// Whatever a record that verifies holds: no panic, and what is accepted is written the same way
// again.
func FuzzDecodeState(f *testing.F) {
	one, two := fuzzedPrepare(1, "x"), fuzzedPrepare(2, "")
	for _, s := range []vsr.StateRecord{
		{},
		{LogView: 3, Headers: []wire.PrepareHeader{one.Header}},
		{
			LogView: 4, Headers: []wire.PrepareHeader{one.Header, two.Header},
			Doubtful: []wire.PrepareID{two.Header.ID()},
		},
	} {
		f.Add(uint32(s.LogView), stateRecord(5, &s).Body)
	}
	f.Add(uint32(1), []byte{})
	f.Fuzz(func(t *testing.T, view uint32, b []byte) {
		s, err := decodeState(wire.View(view), b)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.Equal(t, wire.View(view), s.LogView)
		require.Equal(t, b, stateRecord(5, &s).Body)
	})
}

func FuzzDecodePrepare(f *testing.F) {
	f.Add(wire.Encode(fuzzedPrepare(1, "a body")))
	f.Add(wire.Encode(&wire.Commit{Cluster: wire.ClusterID{Lo: 1}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := decodePrepare(b); err == nil {
			require.Equal(t, b, wire.Encode(p))
		}
	})
}

func FuzzParseSessionBody(f *testing.F) {
	f.Add(SessionBody(clienttable.Answer{Session: 5, Born: 3, Watermark: 7}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		session, born, watermark, ok := ParseSessionBody(b)
		require.Equal(t, len(b) == 24, ok)
		if ok {
			require.Equal(t, b, SessionBody(clienttable.Answer{
				Session: session, Born: born, Watermark: watermark,
			}))
		}
	})
}
