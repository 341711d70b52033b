package datadir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// Superblock is the directory of the superblock's files.
	Superblock = "."
	// Log is the directory of the write-ahead log.
	Log = "wal"

	groups    = "groups"
	snapshots = "snapshots"
	segments  = "segments"
	incoming  = "incoming"
	digits    = 16
)

// Identity is the key under which a superblock says which replica of how many the process is,
// and, as its commit max, up to which group the directory has replaced an earlier one. No log
// has it: partitions count up from 1, and the metadata has 0.
const Identity = ^wire.GroupID(0)

// Snapshots is the directory of a group's snapshots.
func Snapshots(group wire.GroupID) string { return of(group, snapshots) }

// Segments is the directory of a partition's segments.
func Segments(group wire.GroupID) string { return of(group, segments) }

// Incoming is the directory of the checkpoint that a group fetches. It is of no use after a boot.
func Incoming(group wire.GroupID) string { return of(group, incoming) }

func of(group wire.GroupID, what string) string {
	return fmt.Sprintf("%s/%0*x/%s", groups, digits, uint64(group), what)
}

// Known says whether a path can be a file, or a directory, of a data directory. What a file's
// name means is its owner's matter, except in the root.
func Known(name string, directory bool) bool {
	parts := strings.Split(name, "/")
	if directory {
		switch len(parts) {
		case 1:
			return name == "." || name == Log || name == groups
		case 2:
			return parts[0] == groups && isGroup(parts[1])
		}
		return len(parts) == 3 && Known(parts[0]+"/"+parts[1], true) &&
			(parts[2] == snapshots || parts[2] == segments || parts[2] == incoming)
	}
	if len(parts) == 1 {
		return name == superblock.FileA || name == superblock.FileB || name == "superblock.tmp"
	}
	return len(parts) == 2 && parts[0] == Log ||
		len(parts) == 4 && Known(strings.Join(parts[:3], "/"), true)
}

func isGroup(name string) bool {
	_, err := strconv.ParseUint(name, 16, 64)
	return err == nil && len(name) == digits
}
