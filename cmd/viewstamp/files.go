package main

import (
	"errors"
	"fmt"
	"io/fs"
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

// writable returns why a file cannot be written, nil if it can. The file stays as it is:
// one that does not exist is made and removed again. What is no file, such as a pipe, is
// not tried.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	fresh := err == nil
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err != nil {
		return bare(err)
	}
	err = file.Close()
	if fresh {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// replaceable returns why a file cannot be replaced by one that is written beside it, nil
// if it can.
func replaceable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return errors.New("no file but a device or pipe, expected a file")
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return bare(err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// bare is an error of a file without the path, which the flag's message has.
func bare(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("cannot be written: %w", of.Err)
	}
	return err
}
