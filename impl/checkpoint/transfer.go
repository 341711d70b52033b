package checkpoint

import (
	"encoding/binary"
	"fmt"
	"path"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// HeadBytes is how many bytes of a snapshot [Size] looks at.
const HeadBytes = headerBytes

// Size returns how many bytes the snapshot has that begins with p: what follows in a transfer is
// not its own. False: p is too short, or no beginning of a snapshot.
func Size(p []byte) (uint64, bool) {
	if len(p) < headerBytes || string(p[atMagic:atVersion]) != magic {
		return 0, false
	}
	size := uint64(headerBytes)
	for _, at := range []int{atState, atClients, atMark} {
		part := binary.LittleEndian.Uint64(p[at:])
		if part > 1<<48 {
			return 0, false
		}
		size += part
	}
	return size, true
}

// Decode reads a snapshot that came from another replica, and returns the pairing with it.
//
// Errors: the bytes are no snapshot of this cluster and group.
func Decode(
	p []byte, cluster wire.ClusterID, group wire.GroupID,
) (Snapshot, wire.PrepareID, error) {
	s, sum, why := decode(p)
	switch {
	case why != 0:
		return Snapshot{}, wire.PrepareID{}, fmt.Errorf("decode snapshot of group %d: %s", group, why)
	case s.Cluster != cluster || s.Group != group:
		return Snapshot{}, wire.PrepareID{}, fmt.Errorf(
			"decode snapshot: of group %d of cluster %s, expected group %d of cluster %s", s.Group,
			s.Cluster, group, cluster)
	}
	return s, wire.PrepareID{Op: s.Prepare.Op, Checksum: sum}, nil
}

// Load returns the bytes of the snapshot at op, as they are sent to another replica.
//
// Errors: the disk's; fs.ErrNotExist if there is no such snapshot any more.
func Load(disk storage.Disk, directory string, op wire.Op) ([]byte, error) {
	content, err := read(disk, path.Join(directory, fileName(op)))
	if err != nil {
		return nil, fmt.Errorf("load snapshot at op %d: %w", op, err)
	}
	return content, nil
}
