package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// chained returns n prepares, each the parent of the next, in log view 0.
func chained(n int) []*wire.Prepare {
	prepares := make([]*wire.Prepare, n)
	parent := wire.Checksum{}
	for i := range prepares {
		p := &wire.Prepare{Header: wire.PrepareHeader{
			Cluster: ClusterID, Op: wire.Op(i + 1), Parent: parent, Operation: 240,
		}}
		p.Seal()
		prepares[i], parent = p, p.Header.Checksum
	}
	return prepares
}

func headersOf(prepares []*wire.Prepare) []wire.PrepareHeader {
	headers := make([]wire.PrepareHeader, len(prepares))
	for i, p := range prepares {
		headers[i] = p.Header
	}
	return headers
}

func TestWhatIsNotDurableIsLost(t *testing.T) {
	t.Parallel()
	p := chained(3)
	var d disk
	first := d.beginPrepare(vsr.StorePrepare{Prepare: p[0]})
	d.beginPrepare(vsr.StorePrepare{Prepare: p[1]})
	third := d.beginPrepare(vsr.StorePrepare{Prepare: p[2]})
	d.finish(third)
	d.finish(first)
	placed := d.placed()
	assert.True(t, placed.at(p[0].Header.ID()))
	assert.False(t, placed.at(p[1].Header.ID()), "it is under way")
	assert.False(t, placed.at(p[2].Header.ID()), "it lies above a gap")

	d.lose()
	recovered, discarded, err := d.recover()
	require.NoError(t, err)
	assert.Equal(t, headersOf(p[:1]), recovered.Headers)
	assert.Equal(t, 1, discarded, "durable, but not chained to the log")
	assert.True(t, recovered.Formatted)
	assert.Nil(t, d.read(p[2].Header.ID()), "what is discarded is gone for good")
	assert.Nil(t, d.read(p[1].Header.ID()))
}

func TestAStateRecordReplacesTheLog(t *testing.T) {
	t.Parallel()
	p := chained(4)
	var d disk
	d.booted = true
	for _, prepare := range p[:3] {
		d.finish(d.beginPrepare(vsr.StorePrepare{Prepare: prepare}))
	}
	d.finish(d.beginState(&vsr.StateRecord{LogView: 2, Headers: headersOf(p[:2])}))
	// A prepare of the old log view is no part of the new log, one of the new view is.
	d.finish(d.beginPrepare(vsr.StorePrepare{Prepare: p[2]}))
	d.finish(d.beginPrepare(vsr.StorePrepare{LogView: 2, Prepare: p[2]}))
	d.finish(d.beginPrepare(vsr.StorePrepare{LogView: 2, Fill: true, Prepare: p[3]}))
	recovered, discarded, err := d.recover()
	require.NoError(t, err)
	assert.Equal(t, wire.View(2), recovered.LogView)
	assert.Equal(t, headersOf(p[:3]), recovered.Headers, "a fill adds a body, not an op")
	assert.Equal(t, 1, discarded)
	assert.Contains(t, recovered.Stored, p[3].Header.ID())
	assert.Equal(t, wire.View(2), d.view(), "the log counts where it is ahead of the superblock")

	d.finish(d.beginSuperblock(vsr.Superblock{View: 3, LogView: 3}))
	_, _, err = d.recover()
	require.EqualError(t, err, "superblock log view 3: expected at most 2, the WAL's")
}

// What the checks believe to be on disk is what a boot finds there, whatever is written in
// whatever order and wherever the crash comes.
func TestPlacementIsWhatABootFinds(t *testing.T) {
	t.Parallel()
	prepares := chained(8)
	rapid.Check(t, func(t *rapid.T) {
		var d disk
		var under []write
		view := wire.View(0)
		t.Repeat(map[string]func(*rapid.T){
			"prepare": func(t *rapid.T) {
				under = append(under, d.beginPrepare(vsr.StorePrepare{
					LogView: view, Fill: rapid.IntRange(0, 3).Draw(t, "fill") == 0,
					Prepare: rapid.SampledFrom(prepares).Draw(t, "prepare"),
				}))
			},
			"next": func(*rapid.T) {
				placed := d.placed()
				if n := len(placed.checksums); n < len(prepares) {
					under = append(under, d.beginPrepare(vsr.StorePrepare{
						LogView: placed.logView, Prepare: prepares[n],
					}))
				}
			},
			"state": func(t *rapid.T) {
				view++
				n := rapid.IntRange(0, len(prepares)).Draw(t, "head")
				under = append(under, d.beginState(&vsr.StateRecord{
					LogView: view, Headers: headersOf(prepares[:n]),
				}))
			},
			"finish": func(t *rapid.T) {
				if len(under) == 0 {
					return
				}
				i := rapid.IntRange(0, len(under)-1).Draw(t, "which")
				d.finish(under[i])
				under = append(under[:i], under[i+1:]...)
			},
			"crash": func(*rapid.T) { d.lose(); under = nil },
			"": func(t *rapid.T) {
				crashed := d
				crashed.records = append([]*walRecord(nil), d.records...)
				crashed.lose()
				recovered, _, err := crashed.recover()
				require.NoError(t, err)
				placed := d.placed()
				require.Equal(t, recovered.LogView, placed.logView)
				require.Len(t, placed.checksums, len(recovered.Headers))
				for i := range recovered.Headers {
					require.True(t, placed.at(recovered.Headers[i].ID()))
				}
			},
		})
	})
}
