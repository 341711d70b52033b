package statemachine

import "io"

// Segmented is a machine that keeps a part of its state in files of its own: a checkpoint has
// more steps then, and a snapshot alone does not bring another replica up to date.
//
// A checkpoint (R17) is Persist, then AppendSnapshot with no op in between; the snapshot is made
// durable, then its pairing, and then Paired is called. Ops may be executed meanwhile. A
// transfer (R21) sends the snapshot and then the image that it names; who receives it calls
// Install with both, makes the snapshot durable, then its pairing, and then calls Restore.
type Segmented interface {
	Snapshotter
	// Persist makes durable what the next snapshot names in files.
	//
	// Errors: storage.ErrFull, and it may be called again; any other is the disk's, and the
	// process has to boot anew.
	Persist() error
	// Paired lets go of the files that only checkpoints before the last Persist needed.
	//
	// Errors: the disk's; the process has to boot anew.
	Paired() error
	// OpenImage opens the files that a snapshot names: that of the newest paired checkpoint, or
	// of one since. They stay until the next one is paired.
	//
	// Errors: the bytes are no snapshot of such a machine; the disk's.
	OpenImage(snapshot []byte) (Image, error)
	// Install verifies an image, bytes from up to, and not including, to, and makes it durable
	// beside what is in force. It changes nothing in memory; Restore does that.
	//
	// Errors: the bytes are no snapshot of such a machine, or not its image; the disk's. What
	// was in force still is.
	Install(snapshot []byte, image io.ReaderAt, from, to int64) error
	// Close releases the files.
	Close() error
}

// Image is the part of a checkpoint that lies in files.
type Image interface {
	io.ReaderAt
	io.Closer
	// Bytes is its size.
	Bytes() int64
}
