package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzDecode gives any bytes to the body of any type: never a panic, and what is taken comes
// back to the byte.
func FuzzDecode(f *testing.F) {
	all := samples()
	for i, s := range all {
		body, err := Encode(s.body)
		require.NoError(f, err)
		f.Add(uint8(i), body)
		f.Add(uint8(i), body[:len(body)/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		_, _ = DecodeLogin(body)
		got := all[int(which)%len(all)].zero()
		if Decode(body, got) != nil {
			return
		}
		again, err := Encode(got)
		require.NoError(t, err)
		require.Equal(t, body, append([]byte{}, again...))
	})
}
