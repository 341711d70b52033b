package spec

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder is a copy of this one on disk, in which a word can be changed.
type folder string

func copyOnDisk(t *testing.T) folder {
	t.Helper()
	path := t.TempDir()
	require.NoError(t, os.CopyFS(path, embedded))
	return folder(path)
}

// altered returns the files with one word of a module changed. The folder is as before.
func (f folder) altered(t *testing.T, file, from, to string) map[string][]byte {
	t.Helper()
	path := filepath.Join(string(f), file)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), from, file)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600))
	files, err := filesOf(os.DirFS(string(f)))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return files
}

// One word of any module makes stale the golden files of the modules that it is part of,
// and no others; whoever asks is told their names.
func TestAChangedWordIsFoundInTheModulesThatHaveIt(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	require.Empty(t, changedSince(Files(), manifest, manifest.Cfgs), "run make golden first")
	disk := copyOnDisk(t)
	for _, module := range Modules() {
		files := disk.altered(t, module+moduleSuffix, " the ", " that ")
		var stale []string // Golden cfgs of modules that have the word.
		for _, cfg := range manifest.GoldenCfgs() {
			parts, err := moduleFiles(files, cfg.Module)
			require.NoError(t, err)
			if _, has := parts[module+moduleSuffix]; has {
				stale = append(stale, cfg.Name)
			}
		}
		var found []string
		changed := changedSince(files, manifest, manifest.GoldenCfgs())
		for _, c := range changed {
			found = append(found, c.Golden...)
		}
		assert.Equal(t, stale, found, "a word of %s", module)
		// They have no graphs: TLC checks that one holds, and follows traces by the other.
		if module == "Refinement" || module == "TraceVSR" {
			assert.Empty(t, stale)
			continue
		}
		require.NotEmpty(t, stale, module)
		cfg, err := manifest.Lookup(stale[0])
		require.NoError(t, err)
		_, err = readGolden(files, cfg)
		require.ErrorIs(t, err, ErrStale)
		require.ErrorContains(t, err, "made for "+cfg.Module+" of hash ")
	}
}

func TestAChangedModuleIsNamedByItsOwnCfgs(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	changed, err := ChangedSinceGolden(manifest.Cfgs)
	require.NoError(t, err)
	assert.Empty(t, changed, "nothing has changed")

	disk := copyOnDisk(t)
	// An action of one module, and a guard of another: a step that is no longer allowed.
	for _, tc := range []struct{ file, from, to, cfg, module string }{
		{"CommitWalk.tla", "< commit_max", "> commit_max", "refine-110", "Refinement"},
		{"JournalBoot.tla", " synced", " written", "journal-twin", "Journal"},
		{"Reads.tla", "view[r] = x.view", "view[r] >= x.view", "reads", "Reads"},
	} {
		files := disk.altered(t, tc.file, tc.from, tc.to)
		cfg, err := manifest.Lookup(tc.cfg)
		require.NoError(t, err)
		changed := changedSince(files, manifest, []Cfg{cfg, cfg})
		require.Len(t, changed, 1, tc.file)
		assert.Equal(t, tc.module, changed[0].Module)
		assert.NotEmpty(t, changed[0].Golden)
		for _, name := range changed[0].Golden {
			delete(files, goldenFile(name))
		}
		assert.Empty(t, changedSince(files, manifest, []Cfg{cfg}), "files yet to be made")
	}
}
