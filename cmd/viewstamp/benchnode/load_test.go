package benchnode

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counting acknowledges each second payload.
type counting struct {
	asked atomic.Int64
	last  uint64
}

func (c *counting) Submit(_ context.Context, payload []byte) error {
	c.asked.Add(1)
	if n := binary.LittleEndian.Uint64(payload[8:]); n != c.last+1 {
		return errors.New("a payload comes twice, or is left out")
	}
	c.last++
	if c.last%2 == 0 {
		return errors.New("refused")
	}
	return nil
}

func (c *counting) Close() {}

func TestALoadCountsWhatIsAcknowledged(t *testing.T) {
	t.Parallel()
	a, b := &counting{}, &counting{}
	r := Load(t.Context(), []Client{a, b}, 32, 0, 20*time.Millisecond)
	asked := a.asked.Load() + b.asked.Load()
	acknowledged := int64(r.PerSecond*0.02 + 0.5)
	assert.Positive(t, acknowledged)
	assert.InDelta(t, asked, 2*acknowledged, 4)
	assert.InDelta(t, asked, 2*int64(r.Failed), 4)
	assert.LessOrEqual(t, r.P50, r.P99)
}

func TestSharesAreMediansOfTheRoundsRatios(t *testing.T) {
	t.Parallel()
	speeds := func(all ...float64) (results []Result) {
		for _, s := range all {
			results = append(results, Result{PerSecond: s})
		}
		return results
	}
	c := compare("other", speeds(10, 100, 40), speeds(20, 50, 40))
	assert.InDelta(t, 1, c.Share, 1e-9, "of 0.5, 2 and 1")
	assert.InDelta(t, 40, c.PerSecond, 1e-9)
}

// A peer's protocol: requests have ids, and what is not an answer to one is refused.
func TestAPeerIsAskedInItsProtocol(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		for n := byte(0); n < 3; n++ { // ok, a failure, the wrong id
			head := make([]byte, 4+peerHeadBytes)
			if _, err := io.ReadFull(conn, head); err != nil {
				return
			}
			body := make([]byte, binary.LittleEndian.Uint32(head)-peerHeadBytes)
			if _, err := io.ReadFull(conn, body); err != nil {
				return
			}
			if n == 2 {
				head[4]++
			}
			head[12] = n % 2
			if _, err := conn.Write(append(head, body...)); err != nil {
				return
			}
		}
	}()
	c, err := dialPeer(t.Context(), listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	body, err := c.ask(t.Context(), peerSubmit, []byte("ab"))
	require.NoError(t, err)
	assert.Equal(t, "ab", string(body))
	require.ErrorContains(t, c.Submit(t.Context(), nil), "status 1")
	require.ErrorContains(t, c.Submit(t.Context(), nil), "reply to request")
}

func TestAPeerThatIsNotThereSaysSo(t *testing.T) {
	t.Parallel()
	_, err := buildPeer(t.Context(), t.TempDir(), t.TempDir(), peerKinds[0])
	require.ErrorContains(t, err, "no peer-ref in")
}
