package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/explore"
)

func TestOnlyATerminalHasABar(t *testing.T) {
	t.Parallel()
	assert.Nil(t, newProgress(&bytes.Buffer{}))
	file, err := os.Create(t.TempDir() + "/x")
	require.NoError(t, err)
	assert.Nil(t, newProgress(file), "a file is no terminal")
	require.NoError(t, file.Close())
	var none *progress
	none.states(check.Progress{})
	none.jobs("x", 1, 2)
	none.clear()
}

func TestABarSaysHowFarASearchIs(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	p := &progress{to: &screen}
	p.states(check.Progress{Cfg: "ci-1", Progress: explore.Progress{Depth: 3, Distinct: 9, Queue: 4}})
	assert.Contains(t, screen.String(), "ci-1: depth 3, 4 states waiting, 9 states")
	screen.Reset()
	p.states(check.Progress{Cfg: "ci-1", Progress: explore.Progress{
		Depth: 7, Distinct: 50, Queue: 9, Estimate: 200,
	}})
	assert.Contains(t, screen.String(), "50/200")
	assert.Equal(t, int64(200), p.bar.GetMax64())
	p.states(check.Progress{Progress: explore.Progress{Distinct: 300, Queue: 5, Estimate: 200}})
	assert.Equal(t, int64(305), p.bar.GetMax64(), "an estimate that was too low")
	p.clear()
}
