package explore

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrintShowsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	m := jugs()
	m.Always = []Property[jugsState]{neverFour()}
	r, err := Check(t.Context(), m, Options{})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, Print(&b, m, r.Violation))
	assert.Equal(t, `jugs: NeverFour is violated in state 7: the big jug holds 4
   1  initial state
        small = 0
        big = 0
   2  FillBig
        big = 5  (was 0)
   3  BigToSmall
        small = 3  (was 0)
        big = 2  (was 5)
   4  EmptySmall
        small = 0  (was 3)
   5  BigToSmall
        small = 2  (was 0)
        big = 0  (was 2)
   6  FillBig
        big = 5  (was 0)
   7  BigToSmall
        small = 3  (was 2)
        big = 4  (was 5)
`, b.String())
}

func TestPrintPathOfStatesWithLinesThatComeAndGo(t *testing.T) {
	t.Parallel()
	m := doubling()
	m.Format = func(s uint64) []string {
		lines := []string{fmt.Sprintf("parity = %d", s%2)}
		if s < 4 {
			lines = append(lines, "young")
		} else {
			lines = append(lines, "name = "+strings.Repeat("x", int(s)*10))
		}
		return lines
	}
	path := []Step[uint64, label]{
		{State: 1},
		{label{name: "Right"}, 3},
		{label{name: "Right"}, 7},
		{label{name: "Left"}, 14},
	}
	var b bytes.Buffer
	require.NoError(t, PrintPath(&b, m, path))
	assert.Equal(t, `   1  initial state
        parity = 1
        young
   2  Right
        (no change)
   3  Right
        name = `+strings.Repeat("x", 70)+`  (new)
        young  (gone)
   4  Left
        parity = 0  (was 1)
        name = `+strings.Repeat("x", 140)+`
`, b.String())
	m.Format = nil
	b.Reset()
	require.NoError(t, PrintPath(&b, m, path[:2]))
	assert.Equal(t, "   1  initial state\n   2  Right\n", b.String())
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestPrintReportsAFailedWrite(t *testing.T) {
	t.Parallel()
	err := Print(brokenPipe{}, jugs(), &Violation[jugsState, label]{})
	require.ErrorContains(t, err, "broken pipe")
}
