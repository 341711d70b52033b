package spec

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A golden file ties TLC's state graph to the text of the modules. Whoever edits a
// module makes it anew in the same change, with "make golden".
func TestGoldenFilesAreCurrent(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	var expected []string
	for _, cfg := range manifest.GoldenCfgs() {
		expected = append(expected, goldenFile(cfg.Name))
		golden, err := ReadGolden(cfg)
		require.NoError(t, err)
		assert.Equal(t, cfg.Distinct, golden.Graph.States, cfg.Name)
		edges := 0
		for _, count := range golden.Graph.PerAction {
			edges += count
		}
		assert.Equal(t, golden.Graph.Edges, edges, "%s: edges per action add up", cfg.Name)
		text, err := golden.Text()
		require.NoError(t, err)
		assert.Equal(t, string(text), string(Files()[goldenFile(cfg.Name)]),
			"%s: written by the tool, not by hand", cfg.Name)
	}
	var found []string
	for _, name := range sortedNames(Files()) {
		if strings.HasPrefix(name, "golden/") {
			found = append(found, name)
		}
	}
	slices.Sort(expected)
	assert.Equal(t, expected, found, "golden files and golden cfgs of the manifest")
}

func TestGoldenIsStale(t *testing.T) {
	t.Parallel()
	cfg, err := Lookup("ci-110")
	require.NoError(t, err)
	golden, err := ReadGolden(cfg)
	require.NoError(t, err)

	t.Run("when the modules have changed", func(t *testing.T) {
		t.Parallel()
		stale := golden
		stale.SpecSHA256 = strings.Repeat("0", 64)
		err := stale.CheckCurrent(cfg)
		require.ErrorIs(t, err, ErrStale)
		require.ErrorContains(t, err, "golden/ci-110.json: made for VSR of hash 000000000000, "+
			"which is now "+short(SHA256("VSR"))+": spec changed, golden stale: run make golden")
	})
	t.Run("when the constants have changed", func(t *testing.T) {
		t.Parallel()
		stale := golden
		stale.Constants = bytes.Replace(golden.Constants, []byte("3"), []byte("5"), 1)
		err := stale.CheckCurrent(cfg)
		require.ErrorIs(t, err, ErrStale)
		require.ErrorContains(t, err, `constants {"N":5,`)
	})
	t.Run("when it is another module's", func(t *testing.T) {
		t.Parallel()
		stale := golden
		stale.Module = "PartitionLog"
		require.ErrorIs(t, stale.CheckCurrent(cfg), ErrStale)
	})
}

func TestReadGoldenRefuses(t *testing.T) {
	t.Parallel()
	cfg, err := Lookup("bug-no_nonce")
	require.NoError(t, err)
	_, err = ReadGolden(cfg)
	require.EqualError(t, err,
		"cfg bug-no_nonce: no file golden/bug-no_nonce.json, expected one: run make golden")

	for name, tc := range map[string]struct{ text, want string }{
		"an unknown field": {"{\n\"modul\": \"VSR\"}", `g.json:2: unknown field "modul"`},
		"a broken digest": {
			`{"graph": {"digest": "12"}}`, `g.json: digest "12", expected 64 hex digits`,
		},
		"broken syntax": {
			"{\n\n", `g.json:3: the text ends too early, expected the rest of the JSON value`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseGolden("g.json", []byte(tc.text))
			require.EqualError(t, err, tc.want)
		})
	}
}
