package storage

import (
	"io"
	"os"
)

// FileOf makes any file of the operating system a [File].
func FileOf(f *os.File) File { return osFile{File: f, path: f.Name()} }

// FileAround is FileOf with a second descriptor, or the reason why there is none.
func FileAround(f *os.File, second interface {
	io.WriterAt
	io.Closer
}, err error,
) File {
	reopen := func() (aroundFile, error) { return second, err }
	return osFile{File: f, path: f.Name(), around: &around{reopen: reopen}}
}

// GoesAround says whether a file has a way around the page cache, and still uses it.
func GoesAround(f File) bool {
	a := f.(osFile).around //nolint:forcetypeassert // Of this package only.
	return a != nil && a.take() != nil
}
