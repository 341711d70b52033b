package main

import (
	"os"
	"path/filepath"
)

// sameFile reports whether two paths are one file, so that writing one would destroy the
// other. A file that does not exist yet is known by its path.
func sameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	if errOne == nil && errOther == nil {
		return os.SameFile(one, other)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}
