package linearizability

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainLines are the operations of generated histories of a model, as they stand in files.
func plainLines(t require.TestingT, model Model, seed uint64) []string {
	h, err := Generate(GenerateOptions{
		Seed: seed, Model: model, Operations: 200, Clients: 5, Keys: 2, UnknownShare: 0.1,
		Plant: PlantNone,
	})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, WriteHistory(&text, h))
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	return lines[1 : len(lines)-1]
}

func TestPlainLinesAreReadByHandAsTheDecoderReadsThem(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		spec, _ := model.specification()
		fast := 0
		lines := plainLines(t, model, 5)
		for _, line := range lines {
			want, f := decodeSlowly(spec, []byte(line))
			require.Nil(t, f, line)
			got, ok := decodeFast(spec, []byte(line))
			if ok {
				fast++
				require.Equal(t, want, got, line)
			}
		}
		assert.Equal(t, len(lines), fast, model)
	}
}

// Whatever a line is, reading by hand says nothing that the decoder does not say.
func TestNoLineIsReadOtherwiseByHand(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			spec, _ := model.specification()
			lines := plainLines(t, model, 6)
			rapid.Check(t, func(t *rapid.T) {
				line := []byte(rapid.SampledFrom(lines).Draw(t, "line"))
				for range rapid.IntRange(1, 3).Draw(t, "changes") {
					line = spoil(t, line)
				}
				got, ok := decodeFast(spec, line)
				if !ok {
					return
				}
				want, f := decodeSlowly(spec, line)
				require.Nil(t, f, string(line))
				require.Equal(t, want, got, string(line))
			})
		})
	}
}

// spoil changes, drops, doubles or inserts something.
func spoil(t *rapid.T, line []byte) []byte {
	if len(line) == 0 {
		return line
	}
	at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
	pieces := []string{
		`"`, `,`, `:`, `{`, `}`, `[`, `]`, `0`, `-`, `1`, `.`, ` `, `null`, `true`, `\u0061`, `\`,
		`"id":7,`, `"call":null,`, `"output":{}`, `"output":null`, `"return":3,`,
		`"value":"x"`, `"Key":"y",`,
	}
	switch rapid.IntRange(0, 3).Draw(t, "how") {
	case 0:
		return append(line[:at:at], line[at+1:]...)
	case 1:
		line = bytes.Clone(line)
		line[at] = rapid.SampledFrom([]byte(`"{}[]:,0123456789-eE.tfn `)).Draw(t, "byte")
		return line
	case 2:
		end := rapid.IntRange(at, len(line)).Draw(t, "end")
		return append(line[:end:end], line[at:]...)
	}
	piece := rapid.SampledFrom(pieces).Draw(t, "piece")
	return fmt.Appendf(nil, "%s%s%s", line[:at], piece, line[at:])
}
