package conform

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// What was put aside comes back as it was, whatever the checksums look like.
func TestSettledOpsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var ops settledOps
		var log vsr.Log
		named := map[string]vsr.Entry{}
		last := vsr.Entry{}
		for op := range vsr.Op(rapid.IntRange(1, 60).Draw(t, "ops")) {
			e := follows(last)
			e.Op = op + 1
			if rapid.IntRange(0, 4).Draw(t, "break") == 0 {
				e.View, e.Request = e.View+1, e.Request+5
			}
			ops.extend(last, e)
			log, last = append(log, e), e
		}
		for i, e := range log {
			text := fmt.Sprintf("%032x", i*7919)
			switch rapid.IntRange(0, 3).Draw(t, "text") {
			case 0:
				continue
			case 1:
				text = e.String()
			case 2:
				text = fmt.Sprintf("%032X", 0xabcdef+i)
			}
			ops.name(text, e)
			named[text] = e
		}
		ops.name("cut", vsr.Entry{Op: 1, View: 99, Request: 1})
		named["cut"] = vsr.Entry{Op: 1, View: 99, Request: 1}
		require.Equal(t, log, ops.log())
		back := map[string]vsr.Entry{}
		ops.each(func(checksum string, e vsr.Entry) { back[checksum] = e })
		require.Equal(t, named, back)
		for text, e := range named {
			got, known := ops.entry(text)
			require.True(t, known)
			require.Equal(t, e, got)
		}
		_, known := ops.entry("never seen")
		assert.False(t, known)

		n := vsr.Op(rapid.IntRange(1, len(log)).Draw(t, "forgotten"))
		less := ops.withoutFirst(n)
		if n == ops.head {
			require.Nil(t, less)
			return
		}
		for i, e := range less.log() {
			require.Equal(t, log[int(n)+i].Lowered(n), e)
		}
		require.Len(t, less.log(), len(log)-int(n))
		for text, e := range named {
			got, known := less.entry(text)
			require.Equal(t, e.Op > n, known)
			if known {
				require.Equal(t, e.Lowered(n), got)
			}
		}
	})
}
