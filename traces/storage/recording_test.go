package storage_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/storage"
)

const boots = 6

func recording(t *testing.T, seed uint64) storage.Recording {
	t.Helper()
	r, err := storage.NewRecording(storage.Production(), seed%2 == 0, seed, boots)
	require.NoError(t, err)
	return r
}

func TestTheModelExplainsRecordings(t *testing.T) {
	t.Parallel()
	const seeds = 200
	var sum storage.Explained
	for seed := range uint64(seeds) {
		done, err := storage.Explain(recording(t, seed))
		require.NoError(t, err, "seed %d", seed)
		sum.Add(done)
	}
	t.Logf("%+v", sum)
	assert.Greater(t, sum.Boots, seeds)
	assert.Positive(t, sum.Trusting)
}

// doctors make a recording wrong, and say in which line; 0: it has nothing of the kind.
var doctors = map[string]func(lines []storage.Line) ([]storage.Line, int){
	"a synced batch was never appended": func(lines []storage.Line) ([]storage.Line, int) {
		for i := 1; i < len(lines); i++ {
			if lines[i-1].Do == storage.DoAppend && lines[i].Do == storage.DoSync {
				return slices.Delete(lines, i-1, i), i
			}
		}
		return lines, 0
	},
	"a flush that was none": func(lines []storage.Line) ([]storage.Line, int) {
		for i, l := range lines {
			if l.Do == storage.DoAppend {
				return lines, 0
			}
			if l.Do == storage.DoKill || l.Do == storage.DoPowerLoss {
				return slices.Insert(lines, i, storage.Line{Do: storage.DoSync}), i + 1
			}
		}
		return lines, 0
	},
	"an op too many": found(func(f *storage.LineFound) { f.Headers = append(f.Headers, 1) }),
	"no bodies":      found(func(f *storage.LineFound) { f.Bodies = [][]int{} }),
	"another view":   found(func(f *storage.LineFound) { f.View++ }),
	"no trust":       found(func(f *storage.LineFound) { f.InDoubt = true }),
	"trust": func(lines []storage.Line) ([]storage.Line, int) {
		for i, l := range lines {
			if l.Do == storage.DoBoot && l.Found.InDoubt {
				changed := *l.Found
				changed.InDoubt = false
				lines[i].Found = &changed
				return lines[:i+1], i + 1
			}
		}
		return lines, 0
	},
	"refused":    found(func(f *storage.LineFound) { *f = storage.LineFound{Refused: true} }),
	"a lost log": found(func(f *storage.LineFound) { f.LogLost = true }),
}

// found changes what the last boot found.
func found(change func(f *storage.LineFound)) func([]storage.Line) ([]storage.Line, int) {
	return func(lines []storage.Line) ([]storage.Line, int) {
		last := len(lines) - 1
		changed := *lines[last].Found
		change(&changed)
		lines[last].Found = &changed
		return lines, last + 1
	}
}

func TestADoctoredRecordingIsNotExplained(t *testing.T) {
	t.Parallel()
	const seeds = 300
	for name, doctor := range doctors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				r := recording(t, seed)
				lines, at := doctor(slices.Clone(r.Lines))
				if at == 0 {
					continue
				}
				r.Lines = lines
				_, err := storage.Explain(r)
				var unexplained *storage.Unexplained
				if err == nil { // What was changed may be true of another run.
					continue
				}
				require.ErrorAs(t, err, &unexplained)
				require.GreaterOrEqual(t, unexplained.Line, at)
				return
			}
			assert.Fail(t, "every doctored recording was explained")
		})
	}
}

func TestARecordingIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := recording(t, seed)
		var b bytes.Buffer
		require.NoError(t, r.Write(&b))
		again, err := storage.Read(&b)
		require.NoError(t, err)
		var a, c bytes.Buffer
		require.NoError(t, r.Write(&a))
		require.NoError(t, again.Write(&c))
		require.Equal(t, a.String(), c.String())
		_, err = storage.Explain(again)
		require.NoError(t, err)
	}
}

func TestABadRecordingIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	const head = `{"format":"viewstamp storage recording 1","persisted":true}` + "\n"
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":          {"", "no lines"},
		"another format":   {`{"format":"x"}`, `line 1: format "x", expected`},
		"no JSON":          {head + "x", "line 2: "},
		"an unknown field": {head + `{"do":"sync","x":1}`, "line 2: "},
		"an unknown deed":  {head + `{"do":"dance"}`, `line 2: do is "dance", expected view`},
		"an empty append":  {head + `{"do":"append"}`, "line 2: append without a batch"},
		"an empty boot":    {head + `{"do":"boot"}`, "line 2: boot without what it found"},
		"a long log": {
			head + `{"do":"append","batch":[{"log_view":0,"views":[0,0,0]}]}`,
			"line 2: a log of 3 ops, expected at most 2",
		},
		"two records": {
			head + `{"do":"append","batch":[{"views":[0]},{"views":[0]}]}`,
			"line 2: a batch of 2 records, expected at most 1",
		},
		"a high view": {
			head + `{"do":"append","batch":[{"log_view":0,"views":[9]}]}`,
			"line 2: view 9, expected 0 to 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := storage.Read(strings.NewReader(tc.text))
			require.ErrorContains(t, err, tc.want)
		})
	}
}
