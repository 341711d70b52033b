package clienttable

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// What MemoryBytes counts with is what the compiler lays out.
func TestSizesInMemory(t *testing.T) {
	t.Parallel()
	assert.LessOrEqual(t, unsafe.Sizeof(row{}), uintptr(rowBytes))
	assert.LessOrEqual(t, unsafe.Sizeof(Reply{}), uintptr(replyBytes))
	assert.LessOrEqual(t, unsafe.Sizeof((*row)(nil)), uintptr(slotBytes))
}
