package faultmatrix

import "github.com/viewstamp/viewstamp/impl/storage"

// Forgetful is a disk whose owner leaves out a kind of flush: the negative control of a matrix,
// which must notice.
type Forgetful struct {
	storage.Disk
	// NoSync leaves out the flush of files, NoSyncDir that of directories.
	NoSync, NoSyncDir bool
	// Of says of which names; nil: of all.
	Of func(name string) bool
}

func (d Forgetful) concerns(name string) bool { return d.Of == nil || d.Of(name) }

// Create implements [storage.Disk].
func (d Forgetful) Create(name string) (storage.File, error) {
	f, err := d.Disk.Create(name)
	return forgetfulFile{f, d.NoSync && d.concerns(name)}, err
}

// Open implements [storage.Disk].
func (d Forgetful) Open(name string) (storage.File, error) {
	f, err := d.Disk.Open(name)
	return forgetfulFile{f, d.NoSync && d.concerns(name)}, err
}

// SyncDir implements [storage.Disk].
func (d Forgetful) SyncDir(name string) error {
	if d.NoSyncDir && d.concerns(name) {
		return nil
	}
	return d.Disk.SyncDir(name)
}

type forgetfulFile struct {
	storage.File
	noSync bool
}

func (f forgetfulFile) Sync() error {
	if f.noSync {
		return nil
	}
	return f.File.Sync()
}
