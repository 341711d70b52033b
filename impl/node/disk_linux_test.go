package node_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallDisk mounts a disk of so many bytes.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	directory := t.TempDir()
	err := syscall.Mount("tmpfs", directory, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
	if err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(directory, syscall.MNT_DETACH)) })
	return directory
}
