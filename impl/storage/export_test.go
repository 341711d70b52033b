package storage

import "os"

// FileOf makes any file of the operating system a [File].
func FileOf(f *os.File) File { return osFile{File: f, path: f.Name()} }
