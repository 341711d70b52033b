package house

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goodTree is a repository in small that no rule complains about, by path.
func goodTree(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(filepath.Join("testdata", "good"))
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		files[name] = string(text)
		return err
	}))
	return files
}

// plant writes a tree and loads it.
func plant(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	root := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(files[name]), 0o600))
	}
	tree, err := Load(root)
	require.NoError(t, err)
	return tree
}

// edit returns the good tree with one replacement in one file.
func edit(t *testing.T, name, old, replacement string) map[string]string {
	t.Helper()
	files := goodTree(t)
	require.Contains(t, files[name], old, name)
	files[name] = strings.Replace(files[name], old, replacement, 1)
	return files
}

// with returns the good tree with further files, given as name, text, name, text.
func with(t *testing.T, pairs ...string) map[string]string {
	t.Helper()
	files := goodTree(t)
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = pairs[i+1]
	}
	return files
}

// without returns the good tree without the named files.
func without(t *testing.T, names ...string) map[string]string {
	t.Helper()
	files := goodTree(t)
	for _, name := range names {
		delete(files, name)
	}
	return files
}

// found returns the findings as text, without the notes.
func found(tree *Tree) []string {
	var lines []string
	for _, f := range Run(tree, Rules()) {
		if !f.Note {
			lines = append(lines, f.String())
		}
	}
	return lines
}
