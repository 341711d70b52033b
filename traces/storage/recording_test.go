package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/storage"
)

func TestTheModelExplainsRecordings(t *testing.T) {
	t.Parallel()
	var sum storage.Explained
	for seed := range uint64(1000) {
		r, err := storage.NewRecording(storage.Production(), seed%2 == 0, seed, 6)
		require.NoError(t, err)
		done, err := storage.Explain(r)
		if err != nil {
			for i, l := range r.Lines {
				t.Log(i+1, l.String())
			}
		}
		require.NoError(t, err, "seed %d", seed)
		sum.Lines += done.Lines
		sum.Boots += done.Boots
		sum.Trusting += done.Trusting
		sum.States = max(sum.States, done.States)
	}
	t.Logf("%+v", sum)
}
