package mutants

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Folder is where the patches are, relative to the root of the tree, with slashes.
const Folder = "traces/testdata/mutants"

const (
	suffix     = ".patch"
	moduleLine = "module github.com/viewstamp/viewstamp"
)

// Unavailable says why no mutant can be built here: it is no failure of anything.
type Unavailable struct{ Reason string }

// Error is the reason.
func (u *Unavailable) Error() string { return u.Reason }

// FindTree returns the root of the source tree that a folder lies in.
//
// Errors: [*Unavailable] if it lies in none; the file system's.
func FindTree(from string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", fmt.Errorf("find the source tree: %w", err)
	}
	for at := from; ; at = filepath.Dir(at) {
		content, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(content), moduleLine+"\n") {
			return at, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("find the source tree: %w", err)
		}
		if at == filepath.Dir(at) {
			return "", &Unavailable{"mutants of the code are built from its source, and the " +
				"current folder is in no source tree of viewstamp"}
		}
	}
}

// Read returns the patches of a tree, by name.
//
// Errors: a file that is no patch; a folder without any; the file system's.
func Read(root string) ([]Patch, error) {
	folder := filepath.Join(root, filepath.FromSlash(Folder))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read mutants: %w", err)
	}
	var patches []Patch
	for _, entry := range entries {
		name, found := strings.CutSuffix(entry.Name(), suffix)
		if !found {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read mutants: %w", err)
		}
		p, err := Parse(name, string(text))
		if err != nil {
			return nil, fmt.Errorf("read mutants: %w", err)
		}
		patches = append(patches, p)
	}
	if len(patches) == 0 {
		return nil, fmt.Errorf("read mutants: no file *%s in %s, expected some", suffix, Folder)
	}
	return patches, nil
}
