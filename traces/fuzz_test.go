package traces_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

// FuzzReader feeds the reader anything: it never panics, every refusal is one line
// with a place, and what it accepts can be written, read and shown.
func FuzzReader(f *testing.F) {
	good := headerLine + "\n" + eventLine + "\n"
	for _, seed := range []string{
		"", "\n", "null\n", headerLine, good, good[:len(good)-9], good + "{}\n",
		headerLine + "\n" + `{"step":1,"replica":0,"action":"x","stutter":true,` +
			`"after":{"status":"recovering","hollow":[1,2],"pipeline":[]}}` + "\n",
		strings.Replace(good, `"version":1`, `"version":1e0`, 1),
		strings.Replace(good, "CaughtUp", `\ud800`, 1),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		header, read, err := readAll(bytes.NewReader(raw), "run.jsonl")
		if err != nil {
			var bad *traces.FormatError
			require.ErrorAs(t, err, &bad)
			require.Positive(t, bad.Line)
			require.LessOrEqual(t, bad.Line, bytes.Count(raw, []byte("\n"))+1)
			require.NotContains(t, err.Error(), "\n")
			require.True(t, strings.HasPrefix(err.Error(), "run.jsonl:"))
		}
		if header.Replicas == 0 {
			require.Error(t, err)
			require.Empty(t, read)
			return
		}
		text := written(t, header, read)
		header2, read2, err := readAll(bytes.NewReader(text), "again")
		require.NoError(t, err)
		require.Equal(t, header, header2)
		require.Equal(t, read, read2)
		trace := &traces.Trace{Header: header, Events: read}
		for _, filter := range []traces.Filter{
			{Replica: traces.AllReplicas}, {Op: 1, Replica: traces.AllReplicas}, {},
		} {
			require.NoError(t, traces.Show(io.Discard, trace, filter))
		}
		for _, event := range read {
			require.NotContains(t, traces.Describe(event), "\n")
		}
	})
}
