package linearizability

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestGoldenHistoriesAreReadAndWrittenToTheByte(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"register.jsonl", "kv.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name)
			golden, err := os.ReadFile(path)
			require.NoError(t, err)
			h, err := ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, h.Validate())
			var written bytes.Buffer
			require.NoError(t, WriteHistory(&written, h))
			assert.Equal(t, string(golden), written.String())
		})
	}
}

func TestGoldenHistoryMeansWhatItSays(t *testing.T) {
	t.Parallel()
	h, err := ReadFile(filepath.Join("testdata", "register.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, Register, h.Model)
	assert.Equal(t, Nanoseconds, h.Unit)
	require.Len(t, h.Operations, 7)
	assert.Equal(t, Operation{Kind: Read, Return: 5}, h.Operations[0])
	assert.Equal(t, Operation{
		Client: 2, ID: 7, Key: "x", Kind: CAS, Input: Input{From: Text("1")},
		Output: Output{OK: true}, Call: 3, Return: 20,
	}, h.Operations[2])
	assert.Equal(t, Operation{
		Client: 1, ID: 1, Key: "x", Kind: Read, Output: Output{Unknown: true},
		Call: 11, Return: 400,
	}, h.Operations[4])
	assert.Equal(t, Operation{
		Client: 3, ID: 1<<64 - 1, Key: `ключ "k"`, Kind: Write, Input: Input{Value: Text("")},
		Call: 12, Open: true,
	}, h.Operations[5])
}

func TestBadLinesAreRefusedWithPlaceAndExpectation(t *testing.T) {
	t.Parallel()
	const (
		header = `{"format":"viewstamp.history","version":1,"model":"register","unit":"ns"}` + "\n"
		kv     = `{"format":"viewstamp.history","version":1,"model":"kv","unit":"ns"}` + "\n"
		// w is a good line, at 5 to 9.
		w = `{"client":1,"id":1,"kind":"write","key":"x","input":{"value":"1"},` +
			`"output":{},"call":5,"return":9}` + "\n"
	)
	with := func(from, to string) string { return header + strings.Replace(w, from, to, 1) }
	for name, tc := range map[string]struct {
		text string
		want string
	}{
		"an empty file": {"", `h:1: expected a header, got an empty file`},
		"a file that is something else": {
			"INFO jepsen\n", `h:1: expected a header {"format":"viewstamp.history","version":2,...}, ` +
				`got invalid character 'I' looking for beginning of value`,
		},
		"a header of another format": {
			`{"format":"viewstamp.trace","version":1}` + "\n",
			`h:1: expected a header {"format":"viewstamp.history","version":2,...}, ` +
				`got format "viewstamp.trace"`,
		},
		"an unknown version": {
			strings.Replace(header, `1`, `7`, 1), `h:1: expected version 1 or 2, got 7`,
		},
		"an unknown model": {
			strings.Replace(header, `"register"`, `"queue"`, 1),
			`h:1: expected model ` + modelNames() + `, got "queue"`,
		},
		"an unknown unit": {
			strings.Replace(header, `"ns"`, `"ms"`, 1), `h:1: expected unit "ns" or "step", got "ms"`,
		},
		"a version that is a text": {
			strings.Replace(header, `1`, `"1"`, 1),
			`h:1: expected "version" to be a whole number, got string`,
		},
		"malformed JSON": {
			with(`"id":1`, `"id":`), `h:2: expected an operation ` +
				`{"client":...,"id":...,"kind":...,...}, ` +
				`got invalid character ',' looking for beginning of value`,
		},
		"JSON that stops": {
			with("}\n", "\n"), `h:2: expected an operation {"client":...,"id":...,"kind":...,...}, ` +
				`got incomplete JSON`,
		},
		"an empty line": {
			header + "\n" + w,
			`h:2: expected an operation {"client":...,"id":...,"kind":...,...}, got an empty line`,
		},
		"two operations on a line": {
			header + strings.TrimSpace(w) + w,
			`h:2: expected an operation {"client":...,"id":...,"kind":...,...}, ` +
				`got something behind it on the same line`,
		},
		"a truncated last line": {
			header + w + w[:20], `h:3: expected a newline at the end of the last line, ` +
				`got the end of the file`,
		},
		"a last line without its newline": {
			header + strings.TrimSpace(w), `h:2: expected a newline at the end of the last line, ` +
				`got the end of the file`,
		},
		"bytes that are not UTF-8": {
			with(`"x"`, "\"\xff\""), `h:2: expected text in UTF-8, got other bytes`,
		},
		"a misspelt return": {
			with(`"return"`, `"retrun"`),
			`h:2: expected an operation {"client":...,"id":...,"kind":...,...}, ` +
				`got unknown field "retrun"`,
		},
		"no client":         {with(`"client":1,`, ``), `h:2: expected "client", got none`},
		"no id":             {with(`"id":1,`, ``), `h:2: expected "id", got none`},
		"no kind":           {with(`"kind":"write",`, ``), `h:2: expected "kind", got none`},
		"no call":           {with(`"call":5,`, ``), `h:2: expected "call", got none`},
		"a negative client": {with(`:1`, `:-1`), `h:2: expected a client from 0, got -1`},
		"a negative id": {
			with(`"id":1`, `"id":-1`), `h:2: expected "id" to be a whole number from 0, got number -1`,
		},
		"a broken time": {
			with(`"call":5`, `"call":5.5`), `h:2: expected "call" to be a whole number, got number 5.5`,
		},
		"an unknown kind": {
			with(`"write"`, `"delete"`), `h:2: expected a kind of "read", "write", "cas", got "delete"`,
		},
		"a kind of another model": {
			kv + w, `h:2: expected a kind of "get", "put", "append", got "write"`,
		},
		"a return before the call": {
			with(`"return":9`, `"return":4`), `h:2: expected a return at or after the call at 5, got 4`,
		},
		"a write without a value": {
			with(`{"value":"1"}`, `{}`), `h:2: expected an input {"value":...}, got {}`,
		},
		"a write without an input": {
			with(`"input":{"value":"1"},`, ``), `h:2: expected an input {"value":...}, got none`,
		},
		"a value that is a number": {
			with(`{"value":"1"}`, `{"value":1}`), `h:2: expected a value that is a text or null, got 1`,
		},
		"an input that is a text": {
			with(`{"value":"1"}`, `"1"`), `h:2: expected an input {"value":...}, got string`,
		},
		"an answered write without an output": {
			with(`"output":{},`, ``), `h:2: expected an output of an answered write, got none`,
		},
		"an answered write of unknown outcome": {
			with(`"output":{}`, `"output":null`),
			`h:2: expected an output of an answered write, got null`,
		},
		"an output without a return": {
			with(`,"return":9`, ``), `h:2: expected no output without a return, got {}`,
		},
		"a write that returns a value": {
			with(`"output":{}`, `"output":{"value":"1"}`),
			`h:2: expected an output {}, got {"value":"1"}`,
		},
		"a compare and set that does not say whether it took effect": {
			with(`"kind":"write","key":"x","input":{"value":"1"}`,
				`"kind":"cas","key":"x","input":{"from":null,"to":"1"}`),
			`h:2: expected an output {"ok":true} or {"ok":false}, got {}`,
		},
		"a null in the key-value model": {
			kv + strings.Replace(strings.Replace(w, "write", "put", 1), `"1"`, `null`, 1),
			`h:2: expected a text as input value, got null`,
		},
		"an id used twice by one client": {
			header + w + strings.Replace(w, `"call":5,"return":9`, `"call":15,"return":19`, 1),
			`h:3: expected an id that client 1 has not used, got 1 again`,
		},
		"a client with two operations at a time": {
			header + w + strings.Replace(strings.Replace(w, `"id":1`, `"id":2`, 1), `:5`, `:8`, 1),
			`h:3: expected client 1 to have one operation at a time, id 1 up to 9, got a call at 8`,
		},
		"... also when the file has them in another order": {
			header + strings.Replace(strings.Replace(w, `"id":1`, `"id":2`, 1), `:5`, `:8`, 1) + w,
			`h:2: expected client 1 to have one operation at a time, id 1 up to 9, got a call at 8`,
		},
		"a client that goes on after an unanswered request": {
			header + strings.Replace(w, `"output":{},"call":5,"return":9`, `"call":5`, 1) +
				strings.NewReplacer(`"id":1`, `"id":2`, `:5,"return":9`, `:20,"return":29`).Replace(w),
			`h:3: expected nothing more of client 1, whose id 1 is unanswered, got a call at 20`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := ReadHistory(strings.NewReader(tc.text), "h")
			require.EqualError(t, err, tc.want)
			assert.Nil(t, h)
			var format *FormatError
			require.ErrorAs(t, err, &format)
			assert.Equal(t, "h", format.Path)
		})
	}
}

func TestLinesThatAreTooLongAreRefused(t *testing.T) {
	t.Parallel()
	endless := strings.NewReader(strings.Repeat("x", lineBytesMax+1))
	_, err := ReadHistory(endless, "h")
	require.EqualError(t, err, "h:1: expected a line of at most 16777216 bytes, got more")
}

func TestAdditionalHeaderFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	text := `{"format":"viewstamp.history","version":1,"model":"kv","unit":"step","seed":7}` + "\n"
	h, err := ReadHistory(strings.NewReader(text), "h")
	require.NoError(t, err)
	assert.Equal(t, &History{Model: KV, Unit: Steps}, h)
}

func TestClosedIntervalsMayTouch(t *testing.T) {
	t.Parallel()
	h := registerHistory().during(0, 5, write("a")).during(5, 9, write("b")).history
	h.Operations[0].Client, h.Operations[0].ID = 1, 1
	require.NoError(t, h.Validate())
}

func TestCompressedHistoriesAreReadTransparently(t *testing.T) {
	t.Parallel()
	h := mustGenerate(t, GenerateOptions{
		Seed: 1, Model: KV, Operations: 500, Clients: 4, Keys: 3, Plant: PlantNone,
	})
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "h.jsonl"), filepath.Join(dir, "h.jsonl.zst")
	require.NoError(t, WriteFile(plain, h))
	require.NoError(t, WriteFile(packed, h))
	for _, path := range []string{plain, packed} {
		got, err := ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, h, got)
	}
	large, err := os.ReadFile(plain)
	require.NoError(t, err)
	small, err := os.ReadFile(packed)
	require.NoError(t, err)
	assert.Less(t, 5*len(small), len(large))

	t.Run("a truncated one is refused", func(t *testing.T) {
		t.Parallel()
		_, err := ReadHistory(bytes.NewReader(small[:len(small)/2]), "h.zst")
		var format *FormatError
		require.ErrorAs(t, err, &format)
		assert.Equal(t, "intact zstd data", format.Expected)
	})
	t.Run("a damaged one is refused", func(t *testing.T) {
		t.Parallel()
		damaged := bytes.Clone(small)
		damaged[len(damaged)-3] ^= 0xff // The frame's checksum.
		_, err := ReadHistory(bytes.NewReader(damaged), "h.zst")
		var format *FormatError
		require.ErrorAs(t, err, &format)
		assert.Equal(t, "intact zstd data", format.Expected)
	})
	t.Run("a bad line within is found by its number", func(t *testing.T) {
		t.Parallel()
		encoder, err := zstd.NewWriter(nil)
		require.NoError(t, err)
		bad := encoder.EncodeAll([]byte(strings.Replace(string(large), "\n", "\n\n", 1)), nil)
		_, err = ReadHistory(bytes.NewReader(bad), "h.zst")
		require.ErrorContains(t, err, "h.zst:2: expected an operation")
	})
}

func TestMissingFilesAreNoFormatErrors(t *testing.T) {
	t.Parallel()
	_, err := ReadFile(filepath.Join(t.TempDir(), "none.jsonl"))
	require.ErrorIs(t, err, os.ErrNotExist)
	var format *FormatError
	require.NotErrorAs(t, err, &format)
}

func TestWhatIsNotValidIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(h *History)
		want  string
	}{
		"an unknown model": {
			func(h *History) { h.Model = "queue" },
			`check history: expected model ` + modelNames() + `, got "queue"`,
		},
		"an unknown unit": {
			func(h *History) { h.Unit = "" },
			`check history: expected unit "ns" or "step", got ""`,
		},
		"a kind of another model": {
			func(h *History) { h.Operations[1].Kind = Put },
			`check history: operation 1: expected a kind of "read", "write", "cas", got "put"`,
		},
		"a return of an open operation": {
			func(h *History) { h.Operations[0].Open = true },
			`check history: operation 0: expected no return of an open operation, got 5`,
		},
		"an output of an open operation": {
			func(h *History) { h.Operations[1].Return, h.Operations[1].Open = 0, true },
			`check history: operation 1: expected no output of an open operation, got one`,
		},
		"a write of unknown outcome that returned": {
			func(h *History) { h.Operations[0].Output.Unknown = true },
			`check history: operation 0: expected a write of unknown outcome to stay open, ` +
				`got a return`,
		},
		"a read with an input": {
			func(h *History) { h.Operations[1].Input.From = Text("a") },
			`check history: operation 1: expected no from of this read, got "a"`,
		},
		"a write that says ok": {
			func(h *History) { h.Operations[0].Output.OK = true },
			`check history: operation 0: expected no ok of this write, got true`,
		},
		"a null with a text": {
			func(h *History) { h.Operations[0].Input.Value.Present = false },
			`check history: operation 0: expected no text in a null value, got "a"`,
		},
		"a key that is not UTF-8": {
			func(h *History) { h.Operations[0].Key = "\xff" },
			`check history: operation 0: expected a key in UTF-8, got "\xff"`,
		},
		"a value that is not UTF-8": {
			func(h *History) { h.Operations[0].Input.Value.Text = "\xff" },
			`check history: operation 0: expected input value in UTF-8, got "\xff"`,
		},
		"an id used twice": {
			func(h *History) { h.Operations[1].Client = 0 },
			`check history: operation 1: expected an id that client 0 has not used, got 0 again`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := registerHistory().during(0, 5, write("a")).during(6, 9, read("a")).history
			require.NoError(t, h.Validate())
			tc.spoil(&h)
			var written bytes.Buffer
			require.EqualError(t, WriteHistory(&written, &h), tc.want)
			assert.Zero(t, written.Len())
			_, err := Check(t.Context(), &h, CheckOptions{})
			require.EqualError(t, err, tc.want)
			require.EqualError(t, WriteHTML(&written, &h, Report{}), tc.want)
			path := filepath.Join(t.TempDir(), "h.jsonl")
			require.EqualError(t, WriteFile(path, &h), tc.want)
			assert.NoFileExists(t, path)
		})
	}
}

func TestWriterKeepsTheOrderOfItsCaller(t *testing.T) {
	t.Parallel()
	h := registerHistory().during(7, 9, read("a")).during(0, 5, write("a")).history
	var text bytes.Buffer
	w, err := NewWriter(&text, Header{Model: Register, Unit: Steps})
	require.NoError(t, err)
	for _, o := range h.Operations {
		require.NoError(t, w.Append(o))
	}
	require.ErrorContains(t, w.Append(Operation{Kind: Put}), "expected a kind of")
	require.NoError(t, w.Close())
	got, err := ReadHistory(&text, "h")
	require.NoError(t, err)
	assert.Equal(t, &h, got)

	var sorted bytes.Buffer
	require.NoError(t, WriteHistory(&sorted, &h))
	got, err = ReadHistory(&sorted, "h")
	require.NoError(t, err)
	assert.Equal(t, []Operation{h.Operations[1], h.Operations[0]}, got.Operations)
}

// TestRoundTrip writes arbitrary valid histories and reads them back.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	value := rapid.Custom(func(t *rapid.T) Value {
		if rapid.Bool().Draw(t, "null") {
			return Value{}
		}
		return Text(rapid.String().Draw(t, "text"))
	})
	rapid.Check(t, func(t *rapid.T) {
		h := History{Model: Register, Unit: rapid.SampledFrom([]Unit{Nanoseconds, Steps}).Draw(t, "unit")}
		for client := range rapid.IntRange(0, 5).Draw(t, "operations") {
			o := Operation{
				Client: client, ID: rapid.Uint64().Draw(t, "id"), Key: rapid.String().Draw(t, "key"),
				Kind: rapid.SampledFrom(registerSpecification.kinds).Draw(t, "kind"),
				Call: rapid.Int64().Draw(t, "call"), Open: rapid.Bool().Draw(t, "open"),
			}
			fields := o.Kind.fields()
			if fields.inputValue {
				o.Input.Value = value.Draw(t, "value")
			}
			if fields.fromTo {
				o.Input.From, o.Input.To = value.Draw(t, "from"), value.Draw(t, "to")
			}
			if !o.Open {
				o.Return = rapid.Int64Min(o.Call).Draw(t, "return")
				o.Output.OK = fields.outputOK && rapid.Bool().Draw(t, "ok")
				o.Output.Unknown = fields.outputValue && rapid.Bool().Draw(t, "unknown")
				if fields.outputValue && !o.Output.Unknown {
					o.Output.Value = value.Draw(t, "answer")
				}
			}
			h.Operations = append(h.Operations, o)
		}
		h.Sort()
		var text bytes.Buffer
		require.NoError(t, WriteHistory(&text, &h))
		first := text.String()
		got, err := ReadHistory(&text, "h")
		require.NoError(t, err)
		require.Equal(t, &h, got)
		var again bytes.Buffer
		require.NoError(t, WriteHistory(&again, got))
		require.Equal(t, first, again.String())
	})
}
