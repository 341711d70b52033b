//go:build unix

package mutants

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A mutant that hangs is no catch, and at the end of its time all that it has started is gone.
func TestAMutantThatHangsLeavesNoProcessBehind(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.runMax = 2 * time.Second
	at := filepath.Join(r.root, "impl", "x", "pipe")
	require.NoError(t, syscall.Mkfifo(at, 0o600))
	pipe, err := os.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	v := r.Try(t.Context(), mutant(t, "TestDouble/of_two", "TestHangs"))
	require.Equal(t, Ended, v.Outcome, "%+v", v)
	require.Contains(t, v.Reason, "without an end")
	said, err := io.ReadAll(pipe) // Until nobody can write to it any more.
	require.NoError(t, err)
	require.Equal(t, "begun\n", string(said))
	require.NoError(t, pipe.Close())
}
