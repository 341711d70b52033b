package storage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheKernelHasOneBootID(t *testing.T) {
	t.Parallel()
	first, err := KernelBoot()
	require.NoError(t, err)
	again, err := KernelBoot()
	require.NoError(t, err)
	assert.Equal(t, first, again)

	id, err := parseKernelBoot("0a0b0c0d-0102-0304-0506-0708090a0bff\n")
	require.NoError(t, err)
	assert.Equal(t, [16]byte{10, 11, 12, 13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}, id)
	for _, text := range []string{"", "0a0b", "0a0b0c0d-0102-0304-0506-0708090a0bfg"} {
		_, err := parseKernelBoot(text)
		require.ErrorContains(t, err, "expected 32 hexadecimal digits")
	}
}
