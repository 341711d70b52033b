package mutants

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixture is a tree of one package, whose function the patches of these tests break.
var fixture = map[string]string{
	"go.mod":      moduleLine + "\n\ngo 1.26\n",
	"impl/x/x.go": "package x\n\nfunc Double(n int) int {\n\treturn 2 * n\n}\n",
	"impl/x/x_test.go": `package x

import (
	"os"
	"os/exec"
	"testing"
)

func TestDouble(t *testing.T) {
	t.Run("of two", func(t *testing.T) {
		if got := Double(2); got != 4 {
			t.Errorf("got %d, want 4", got)
		}
	})
	t.Run("of zero", func(t *testing.T) {
		if got := Double(0); got != 0 {
			t.Errorf("got %d, want 0", got)
		}
	})
}

func TestFails(t *testing.T) { t.Error("as ever") }

// TestHangs starts a process that writes to a pipe and lives on; it ends if Double is right.
func TestHangs(t *testing.T) {
	if Double(2) == 4 {
		return
	}
	pipe, err := os.OpenFile("pipe", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sh", "-c", "echo begun; sleep 1000")
	child.Stdout = pipe
	t.Fatal(child.Run())
}
`,
}

func newFixture(t *testing.T) *Runner {
	t.Helper()
	root := t.TempDir()
	for name, text := range fixture {
		at := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
	}
	r, err := NewRunner(root)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// mutant is the example with some of its text replaced.
func mutant(t *testing.T, replace ...string) Patch {
	t.Helper()
	p, err := Parse("x", strings.NewReplacer(replace...).Replace(example))
	require.NoError(t, err)
	return p
}

// What counts as caught is caught for the reason that the patch gives, and by nothing else.
func TestAMutantIsCaughtForTheReasonThatItsPatchGives(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	for _, tc := range []struct {
		name    string
		replace []string
		want    Outcome
		reason  string
	}{
		{"the very test fails", nil, Caught, ""},
		{"another test fails", []string{"of_two", "of_zero"}, Survived, "it survived"},
		{
			"it fails, and says something else",
			[]string{"expect: want 4", "expect: want 5"},
			Elsewhere, `does not say "want 5"`,
		},
		{"the mutant passes", []string{"3 * n", "n * 2"}, Survived, "expected a failure"},
		{
			"it does not compile", []string{"3 * n", "3 * m"}, Broken, "undefined: m",
		},
		{
			"the test fails anyway",
			[]string{"TestDouble/of_two", "TestFails"},
			Broken, "without the patch",
		},
		{
			"there is no such test",
			[]string{"TestDouble/of_two", "TestTriple"},
			Broken, "runs no test TestTriple",
		},
		{"the patch is stale", []string{"-\treturn 2 * n", "-\treturn 4 * n"}, Broken, "stale"},
	} {
		v := r.Try(t.Context(), mutant(t, tc.replace...))
		require.Equal(t, tc.want, v.Outcome, "%s: %+v", tc.name, v)
		require.Contains(t, v.Reason, tc.reason, tc.name)
		require.Equal(t, tc.want == Caught, v.Reason == "", tc.name)
	}
	require.Positive(t, r.CPU())
	text, err := os.ReadFile(filepath.Join(r.root, "impl/x/x.go"))
	require.NoError(t, err)
	require.Equal(t, fixture["impl/x/x.go"], string(text), "the tree is never changed")
	built, err := os.ReadDir(r.temporary)
	require.NoError(t, err)
	require.Len(t, built, 1, "of each mutant nothing stays, only the program without a patch")
}

func TestNothingIsTriedAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	v := r.Try(ctx, mutant(t))
	require.Equal(t, Ended, v.Outcome)
	require.Contains(t, v.Reason, "canceled")
}
