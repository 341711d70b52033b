//go:build !linux

package node_test

import "testing"

// smallDisk needs a system whose way to mount one is known.
func smallDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("no small disk can be mounted on this system")
	return ""
}
