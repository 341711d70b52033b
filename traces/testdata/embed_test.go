package testdata_test

import (
	"io/fs"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/testdata"
)

// A scenario that is not embedded would never be run by the tool, and nobody would know.
func TestEveryScenarioIsEmbedded(t *testing.T) {
	t.Parallel()
	list := func(files fs.FS) []string {
		var names []string
		require.NoError(t, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && path.Ext(name) == ".txt" {
				names = append(names, name)
			}
			return err
		}))
		return names
	}
	embedded := list(testdata.Files())
	require.NotEmpty(t, embedded)
	require.Equal(t, list(os.DirFS(".")), embedded)
}
