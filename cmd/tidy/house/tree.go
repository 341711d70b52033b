package house

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// textMaxBytes bounds what is read of a file; larger ones break file-size anyway.
const textMaxBytes = 4 << 20

// File is one file of the tree.
type File struct {
	// Path is relative to the root, with slashes.
	Path string
	// SizeBytes is the size on disk.
	SizeBytes int64

	text []byte
}

// lines splits the text; a last line without newline counts, an empty rest does not.
func (f *File) lines() []string {
	text := strings.TrimSuffix(string(f.text), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// inTestdata reports whether the file is input or expected output of tests.
func (f *File) inTestdata() bool {
	return slices.Contains(strings.Split(f.Path, "/"), "testdata")
}

// Tree is a checkout: its files and what was parsed of them.
type Tree struct {
	// Module is the module path in go.mod.
	Module string
	// Files are all files that git does not ignore, sorted by path.
	Files []*File

	byPath  map[string]*File
	folders map[string]bool
	golang  golang
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// FindRoot returns the nearest folder with a go.mod, from dir upwards.
func FindRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find root of %s: %w", dir, err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s: no go.mod here or above, expected a repository", dir)
		}
	}
}

// Load reads the checkout at root: what git tracks or could track, and everything
// but the folders .git and bin where there is no git.
func Load(root string) (*Tree, error) {
	names, err := listFiles(root)
	if err != nil {
		return nil, err
	}
	t := &Tree{byPath: map[string]*File{}, folders: map[string]bool{".": true}}
	for _, name := range names {
		f, err := readFile(root, name)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue // Tracked and deleted, or no regular file.
		}
		t.Files = append(t.Files, f)
		t.byPath[name] = f
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			t.folders[dir] = true
		}
	}
	if mod := t.byPath["go.mod"]; mod != nil {
		if match := moduleLine.FindSubmatch(mod.text); match != nil {
			t.Module = string(match[1])
		}
	}
	if t.Module == "" {
		return nil, fmt.Errorf("%s: no module line in go.mod, expected the repository's root", root)
	}
	t.golang = parseGo(t.Files)
	return t, nil
}

func readFile(root, name string) (*File, error) {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	f := &File{Path: name, SizeBytes: info.Size()}
	if f.SizeBytes <= textMaxBytes {
		if f.text, err = os.ReadFile(full); err != nil {
			return nil, fmt.Errorf("read tree: %w", err)
		}
	}
	return f, nil
}

// listFiles returns the paths of the tree's files, sorted.
func listFiles(root string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		git := exec.Command("git", "-C", root, "ls-files", "-z",
			"--cached", "--others", "--exclude-standard")
		if out, err := git.Output(); err == nil {
			return splitNames(out), nil
		}
	}
	var names []string
	err := filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		if d.IsDir() && (name == ".git" || name == "bin") {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", root, err)
	}
	slices.Sort(names)
	return names, nil
}

func splitNames(out []byte) []string {
	var names []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// file returns the file of that path, nil if there is none.
func (t *Tree) file(name string) *File { return t.byPath[name] }

// exists reports whether path names a file or a folder of the tree.
func (t *Tree) exists(name string) bool {
	name = path.Clean(name)
	return t.byPath[name] != nil || t.folders[name]
}
