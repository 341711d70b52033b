package storage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/storage"
)

// What an observer says of a boot is what the model's boot does.
func TestAnObserverSeesWhatBootDoes(t *testing.T) {
	t.Parallel()
	c := journalCfg(t, "journal-graph-misdirect")
	observer := storage.NewJournalObserver(c)
	boots := 0
	err := explore.EachCover(context.Background(), storage.Journal(c), 0,
		func(path []explore.Step[journalState, journalAction]) error {
			for i := range path {
				if path[i].Action.Kind != storage.JournalBoot {
					continue
				}
				boots++
				s, after := path[i-1].State, path[i].State
				require.Equal(t, after, observer.Boot(s))
				if after.Status != storage.JournalRunning {
					continue
				}
				scan := observer.Scan(s)
				require.Equal(t, after.Written+1, scan.End)
				require.False(t, scan.Uses(scan.End))
				if scan.Rot || observer.Misplaced(s) {
					require.True(t, after.InDoubt)
				}
			}
			return nil
		})
	require.NoError(t, err)
	assert.Positive(t, boots)
}

func TestALogIsMadeOfItsViews(t *testing.T) {
	t.Parallel()
	logs := 0
	storage.EachJournalLog(func(l storage.JournalLog) {
		logs++
		require.Equal(t, l, storage.JournalLogOf(l.Views()...))
	})
	assert.Equal(t, 21, logs)
	assert.Equal(t, uint8(2), storage.NewJournalObserver(journalCfg(t, "journal")).Unknown())
}
