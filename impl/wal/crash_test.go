package wal_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// crashes is what TestNothingPromisedIsLost and its negative controls share: the log
// against a model of two variables, under kills and power losses. It returns the
// first promise that was broken.
type crashes struct {
	disk     *memdisk.Disk
	log      *wal.Log
	recovery wal.Recovery
	appended []wal.Record // The model: all of it survives a kill,
	synced   int          // appended[:synced] survives power loss too.
}

func newCrashes(t *rapid.T, recovery wal.Recovery) *crashes {
	c := &crashes{disk: memdisk.New(rapid.Uint64().Draw(t, "seed")), recovery: recovery}
	c.reopen(t)
	return c
}

func (c *crashes) reopen(t *rapid.T) wal.Report {
	l, report, err := wal.Open(c.disk, path, wal.WithRecovery(c.recovery))
	require.NoError(t, err)
	c.log = l
	return report
}

func (c *crashes) append(t *rapid.T) {
	n := rapid.IntRange(1, 3).Draw(t, "records")
	var batch []wal.Record
	for i := range n {
		size := rapid.IntRange(0, 700).Draw(t, "bytes")
		body := rapid.SliceOfN(rapid.Byte(), 1, 1).Draw(t, "letter")
		batch = append(batch, wal.Record{
			Op: wire.Op(len(c.appended) + i + 1), Body: slices.Repeat(body, size),
		})
	}
	require.NoError(t, c.log.Append(batch...))
	c.appended = append(c.appended, batch...)
}

// broken says which promise the log breaks now; empty if none.
func (c *crashes) broken() string {
	for i, h := range c.log.Records() {
		if i >= len(c.appended) {
			return "a prepare came from nowhere"
		}
		body, err := c.log.Read(h.ID())
		if err != nil || h.Op != c.appended[i].Op || !slices.Equal(body, c.appended[i].Body) {
			return "another prepare than was appended"
		}
	}
	return ""
}

// kill crashes the process, power the machine; both say which promise was broken.
func (c *crashes) kill(t *rapid.T) string {
	c.disk.Kill()
	c.reopen(t)
	if len(c.log.Records()) < len(c.appended) {
		return "a written prepare was lost"
	}
	c.synced = len(c.appended) // Open syncs what it keeps.
	return c.broken()
}

func (c *crashes) power(t *rapid.T) string {
	c.disk.PowerLoss(nil)
	c.reopen(t)
	if why := c.broken(); why != "" {
		return why
	}
	n := len(c.log.Records())
	if n < c.synced {
		return "a synced prepare was lost"
	}
	c.appended, c.synced = c.appended[:n], n
	return ""
}

func TestNothingPromisedIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newCrashes(t, wal.RecoverVerified)
		t.Repeat(map[string]func(*rapid.T){
			"append": c.append,
			"sync": func(t *rapid.T) {
				require.NoError(t, c.log.Sync())
				c.synced = len(c.appended)
			},
			"publish": func(t *rapid.T) {
				require.NoError(t, c.log.PublishFrontier())
				c.synced = len(c.appended)
			},
			"cut": func(t *rapid.T) {
				n := rapid.IntRange(0, len(c.appended)).Draw(t, "keep")
				require.NoError(t, c.log.CutAbove(wire.Op(n)))
				c.appended, c.synced = c.appended[:n], min(c.synced, n)
			},
			"kill":       func(t *rapid.T) { require.Empty(t, c.kill(t)) },
			"power loss": func(t *rapid.T) { require.Empty(t, c.power(t)) },
			"": func(t *rapid.T) {
				require.Empty(t, c.broken())
				require.Len(t, c.log.Records(), len(c.appended))
				require.GreaterOrEqual(t, int(c.log.Synced()), c.synced)
			},
		})
	})
}

// Negative controls: the same crashes catch both mutants.
func TestTheCrashesCatchEachMutant(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		recovery wal.Recovery
		crash    func(*crashes, *rapid.T) string
		want     string
	}{
		"cutting to the frontier loses what was written": {
			wal.RecoverToFrontier, (*crashes).kill, "a written prepare was lost",
		},
		"adopting a torn record serves another prepare": {
			wal.RecoverTorn, (*crashes).power, "another prepare than was appended",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caught := map[string]int{}
			// A torn record is rare among what a power loss leaves: a hundred crashes may
			// miss it, some thousands do not.
			for round := 0; round < 50 && caught[tc.want] == 0; round++ {
				rapid.Check(t, func(t *rapid.T) {
					c := newCrashes(t, tc.recovery)
					c.append(t)
					c.append(t)
					caught[tc.crash(c, t)]++
				})
			}
			require.Positive(t, caught[tc.want], "the mutant survived: %v", caught)
		})
	}
}
