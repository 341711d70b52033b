package verify

import "github.com/viewstamp/viewstamp/impl/storage"

// WriteAround implements [storage.AroundWriter].
func (f countingFile) WriteAround(p []byte, offset int64) (int, error) {
	n, err := storage.WriteAround(f.File, p, offset)
	f.written.Add(int64(n))
	return n, err
}
