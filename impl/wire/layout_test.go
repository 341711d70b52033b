package wire

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/blake3"
)

var update = flag.Bool("update", false, "rewrite the golden frames; read the diff")

// layOut builds a frame from the hand-written tables alone. It returns the frame and which
// header bytes the format uses.
func layOut(t *testing.T, s sample) ([]byte, [HeaderBytes]bool) {
	t.Helper()
	frame := append(make([]byte, HeaderBytes), s.body...)
	var used [HeaderBytes]bool
	for _, p := range s.places {
		b, err := binary.Append(nil, binary.LittleEndian, p.value)
		require.NoError(t, err)
		for i := range b {
			require.False(t, used[p.offset+i], "two fields at byte %d", p.offset+i)
			used[p.offset+i] = true
		}
		copy(frame[p.offset:], b)
	}
	body := blake3.Sum256(s.body)
	copy(frame[16:32], body[:16])
	header := blake3.Sum256(frame[16:256])
	copy(frame[:16], header[:16])
	for i := range 32 {
		used[i] = true
	}
	return frame, used
}

func TestEveryCommandHasASample(t *testing.T) {
	t.Parallel()
	seen := map[Command]bool{}
	for _, s := range samples() {
		seen[s.message.Command()] = true
	}
	for _, c := range Commands() {
		assert.True(t, seen[c], "no sample of %s", c)
	}
	assert.Len(t, seen, len(Commands()))
}

func TestFieldsStandWhereTheLayoutSays(t *testing.T) {
	t.Parallel()
	for i, s := range samples() {
		t.Run(fmt.Sprintf("%d %s", i, s.message.Command()), func(t *testing.T) {
			t.Parallel()
			want, _ := layOut(t, s)
			got := Encode(s.message)
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, want[i], got[i], "byte %d", i)
			}
			m, err := Decode(want)
			require.NoError(t, err)
			assert.Equal(t, s.message, m)
		})
	}
}

// A byte that no field uses could carry anything past a checker; so each must be zero.
func TestReservedBytesMustBeZero(t *testing.T) {
	t.Parallel()
	for i, s := range samples() {
		t.Run(fmt.Sprintf("%d %s", i, s.message.Command()), func(t *testing.T) {
			t.Parallel()
			frame, used := layOut(t, s)
			reserved := 0
			for offset := range HeaderBytes {
				if used[offset] && !blankInRequest(s.message, offset) {
					continue
				}
				reserved++
				frame[offset] = 0x80
				seal(frame)
				_, err := Decode(frame)
				refused := requireRefused(t, err)
				require.Equal(t, ReasonReserved, refused.Reason, "byte %d: %v", offset, err)
				require.Equal(t, fmt.Sprintf("reserved byte %d", offset), refused.Field)
				frame[offset] = 0
			}
			assert.Greater(t, reserved, 66)
		})
	}
}

// blankInRequest: view and replica are shared fields, but a request has none.
func blankInRequest(m Message, offset int) bool {
	return m.Command() == CommandRequest && (offset >= 52 && offset < 56 || offset == 61)
}

// The golden frames hold the format still across changes of both code and tables.
func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, s := range samples() {
		name := s.message.Command().String()
		seen[name]++
		if n := seen[name]; n > 1 {
			name = fmt.Sprintf("%s_%d", name, n)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name+".hex")
			got := dump(Encode(s.message))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
			m, err := Decode(undump(t, string(want)))
			require.NoError(t, err)
			assert.Equal(t, s.message, m)
		})
	}
}

// dump writes 16 bytes a line behind their offset; lines of zeros are left out, the last line
// is the length.
func dump(frame []byte) string {
	var b strings.Builder
	for at := 0; at < len(frame); at += 16 {
		line := frame[at:min(at+16, len(frame))]
		if strings.Trim(string(line), "\x00") != "" {
			fmt.Fprintf(&b, "%04d %x\n", at, line)
		}
	}
	fmt.Fprintf(&b, "%04d end\n", len(frame))
	return b.String()
}

func undump(t *testing.T, text string) []byte {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var size int
	_, err := fmt.Sscanf(lines[len(lines)-1], "%d end", &size)
	require.NoError(t, err)
	frame := make([]byte, size)
	for _, line := range lines[:len(lines)-1] {
		var at int
		var data []byte
		_, err := fmt.Sscanf(line, "%d %x", &at, &data)
		require.NoError(t, err, line)
		copy(frame[at:], data)
	}
	return frame
}

func requireRefused(t require.TestingT, err error) *FrameError {
	var refused *FrameError
	require.ErrorAs(t, err, &refused)
	return refused
}
