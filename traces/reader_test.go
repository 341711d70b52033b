package traces_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func TestReaderReadsTheExample(t *testing.T) {
	t.Parallel()
	text := headerLine + "\n" + eventLine + "\n"
	// One byte at a time: no line may depend on how the bytes arrive.
	header, events, err := readAll(iotest.OneByteReader(strings.NewReader(text)), "run.jsonl")
	require.NoError(t, err)
	assert.Equal(t, exampleHeader(), header)
	assert.Equal(t, []traces.Event{exampleEvent()}, events)
	assert.Equal(t, 2, events[0].Line())
}

func TestReaderAcceptsWhatTheFormatLeavesOpen(t *testing.T) {
	t.Parallel()
	finer := edit(t, eventLine, "BecomePrimary", "StoreState")
	for name, lines := range map[string][]string{
		"a header without events": {headerLine},
		"a foreign recorder":      {edit(t, headerLine, `"model"`, `"other system"`)},
		"unknown header fields": {
			edit(t, headerLine, `"seed"`, `"new":{"x":[1]},"seed"`), eventLine,
		},
		"unknown event fields": {
			headerLine, edit(t, eventLine, `"view":1`, `"view":1,"new":[{}]`),
		},
		"fields that are absent": {
			headerLine,
			`{"step":1,"replica":0,"action":"Restart","after":{"status":"recovering"}}`,
		},
		"a null list": {
			headerLine, edit(t, eventLine, `"hollow":[]`, `"hollow":null`),
		},
		"any name for a finer event": {
			headerLine, edit(t, finer, `"stutter":false`, `"stutter":true`),
		},
		"a group not in the list": {
			headerLine, edit(t, eventLine, `"group":"0"`, `"group":"8"`),
		},
		"a stop of another system": {
			headerLine, edit(t, eventLine, "CaughtUp", "PipelineHead"),
		},
		"carriage returns": {headerLine + "\r", eventLine + "\r"},
		"two events":       {headerLine, eventLine, edit(t, eventLine, `"step":1`, `"step":2`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Join(lines, "\n") + "\n"
			_, events, err := readAll(strings.NewReader(text), "run.jsonl")
			require.NoError(t, err)
			assert.Len(t, events, len(lines)-1)
		})
	}
}

func TestReaderRefusesBadHeaders(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		old, replacement string // An edit of headerLine; old "" replaces all of it.
		want             string
	}{
		"another format's name": {
			"viewstamp.trace", "other.trace",
			`expected "format":"viewstamp.trace", got "other.trace"`,
		},
		"no format": {
			`"format":"viewstamp.trace",`, "",
			`expected "format":"viewstamp.trace", got no format`,
		},
		"a newer version": {
			`"version":1`, `"version":2`,
			"expected version 1, got version 2, which this program does not know",
		},
		"a newer version whose other fields changed": {
			`"version":1,"source":"model","replicas":3`, `"version":2,"replicas":["a"]`,
			"expected version 1, got version 2, which this program does not know",
		},
		"no version": {`"version":1,`, "", "expected version 1, got no version"},
		"a version that is a text": {
			`"version":1`, `"version":"1"`, "expected version to be an integer, got string",
		},
		"no replicas": {
			`"replicas":3,`, "", "expected replicas of at least 1, got 0",
		},
		"a negative number of replicas": {
			`"replicas":3`, `"replicas":-3`, "expected replicas of at least 1, got -3",
		},
		"replicas as a text": {
			`"replicas":3`, `"replicas":"three"`,
			"expected replicas to be an integer, got string",
		},
		"a quorum beyond the replicas": {
			`"nack":2`, `"nack":4`, "expected quorum.nack from 0 to 3, got 4",
		},
		"a negative quorum": {
			`"view_change":2`, `"view_change":-1`,
			"expected quorum.view_change from 0 to 3, got -1",
		},
		"unknown commit drivers": {
			`"seed":7`, `"seed":7,"commit_drivers":"both"`,
			`expected commit_drivers "walk" or "walk_and_pipeline", got "both"`,
		},
		"a negative refused_at": {
			`"seed":7`, `"seed":7,"refused_at":-1`,
			"expected refused_at of at least 0, got -1",
		},
		"a negative seed": {
			`"seed":7`, `"seed":-7`,
			"expected seed to be an integer from 0 to 2^64-1, got number -7",
		},
		"groups that are not a list": {
			`[{"id":"0","plane":"metadata","durability":"persisted"}]`, `{}`,
			"expected groups to be a list, got object",
		},
		"text that is not JSON": {
			"", "step 1", "expected a header as one JSON object, " +
				"got bad JSON in column 1: invalid character 's' looking for beginning of value",
		},
		"a list": {"", "[1]", "expected a header as one JSON object, got array"},
		"null":   {"", "null", `expected "format":"viewstamp.trace", got no format`},
		"an empty line": {
			"", " ", "expected a header as one JSON object, got an empty line",
		},
		"an event instead": {
			"", eventLine, `expected "format":"viewstamp.trace", got no format`,
		},
		"bytes that are not UTF-8": {
			`"model"`, "\"mod\xffel\"", "expected UTF-8 text, got byte 0xff in column 54",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := tc.replacement
			if tc.old != "" {
				line = edit(t, headerLine, tc.old, tc.replacement)
			}
			_, _, err := readAll(strings.NewReader(line+"\n"), "run.jsonl")
			requireFormatError(t, err, 1, "run.jsonl:1: "+tc.want)
		})
	}
}

func TestReaderRefusesBadEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for name, tc := range map[string]struct {
		old, replacement string // An edit of eventLine; old "" replaces all of it.
		want             string
	}{
		"no step":           {`"step":1,`, "", "expected step 1, got no step"},
		"a first step of 2": {`"step":1`, `"step":2`, "expected step 1, got step 2"},
		"a negative step":   {`"step":1`, `"step":-1`, "expected step 1, got step -1"},
		"a fraction": {
			`"step":1`, `"step":1.5`, "expected step to be an integer, got number 1.5",
		},
		"no action": {
			`"action":"BecomePrimary",`, "",
			`expected the required field "action", got none`,
		},
		"no replica": {
			`"replica":1,`, "", `expected the required field "replica", got none`,
		},
		"no status": {
			`"status":"normal",`, "", `expected the required field "after.status", got none`,
		},
		"a replica beyond the last": {
			`"replica":1`, `"replica":3`, "expected a replica from 0 to 2, got 3",
		},
		"a negative replica": {
			`"replica":1`, `"replica":-1`, "expected a replica from 0 to 2, got -1",
		},
		"an unknown action": {
			"BecomePrimary", "BecomeKing",
			`expected an action of the schema, or "stutter":true, got action "BecomeKing"`,
		},
		"an action in another case": {
			"BecomePrimary", "becomePrimary",
			`expected an action of the schema, or "stutter":true, got action "becomePrimary"`,
		},
		"a long action is cut in the message": {
			"BecomePrimary", long,
			`expected an action of the schema, or "stutter":true, got action "` +
				long[:60] + `..."`,
		},
		"an unknown status": {
			`"normal"`, `"down"`,
			`expected after.status "normal", "view_change" or "recovering", got "down"`,
		},
		"a status with control characters": {
			`"normal"`, `"\u001b[2J"`,
			`expected after.status "normal", "view_change" or "recovering", got "\x1b[2J"`,
		},
		"a pipeline of one number": {
			"[21,21]", "[21]", "expected after.pipeline as [] or [first,last], got [21]",
		},
		"a pipeline of three numbers": {
			"[21,21]", "[21,22,23]",
			"expected after.pipeline as [] or [first,last], got [21,22,23]",
		},
		"a pipeline that runs backwards": {
			"[21,21]", "[22,21]", "expected after.pipeline as [] or [first,last], got [22,21]",
		},
		"hollow ops out of order": {
			`"hollow":[]`, `"hollow":[3,9,5]`,
			"expected after.hollow in ascending order, got 5 after 9",
		},
		"a hollow op twice": {
			`"hollow":[]`, `"hollow":[3,3]`,
			"expected after.hollow in ascending order, got 3 after 3",
		},
		"a quorum with a stranger": {
			"[1,2]", "[1,5]", "expected replicas from 0 to 2 in args.quorum, got 5",
		},
		"a message to a stranger": {
			`"quorum":[1,2]`, `"to":3`, "expected args.to from 0 to 2, got 3",
		},
		"a message from a stranger": {
			`"quorum":[1,2]`, `"from":-1`, "expected args.from from 0 to 2, got -1",
		},
		"a view beyond 32 bits": {
			`"view":1`, `"view":4294967296`,
			"expected after.view to be an integer from 0 to 2^32-1, got number 4294967296",
		},
		"a negative op": {
			`"op_head":21`, `"op_head":-21`,
			"expected after.op_head to be an integer from 0 to 2^64-1, got number -21",
		},
		"a checksum that is a number": {
			`"c9"`, "9", "expected after.head_checksum to be a text, got number",
		},
		"a truth value that is a number": {
			`"in_doubt":false`, `"in_doubt":0`,
			"expected after.in_doubt to be true or false, got number",
		},
		"a state that is a text": {
			"", `{"step":1,"replica":0,"action":"Restart","after":"normal"}`,
			"expected after to be an object, got string",
		},
		"half an object with a newline": {
			"", eventLine[:40],
			"expected an event as one JSON object, " +
				"got half an object of 40 bytes: the line is truncated",
		},
		"a bracket too many": {
			"", eventLine + "}",
			"expected an event as one JSON object, got bad JSON in column 355: " +
				"invalid character '}' after top-level value",
		},
		"two events in a line": {
			"", eventLine + eventLine,
			"expected an event as one JSON object, got bad JSON in column 355: " +
				"invalid character '{' after top-level value",
		},
		"an empty line": {"", "", "expected an event as one JSON object, got an empty line"},
		"null":          {"", "null", `expected the required field "replica", got none`},
		"a number":      {"", "12", "expected an event as one JSON object, got number"},
		"bytes that are not UTF-8": {
			`"step"`, "\"st\xc3ep\"", "expected UTF-8 text, got byte 0xc3 in column 5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := tc.replacement
			if tc.old != "" {
				line = edit(t, eventLine, tc.old, tc.replacement)
			}
			text := headerLine + "\n" + line + "\n"
			_, events, err := readAll(strings.NewReader(text), "run.jsonl")
			requireFormatError(t, err, 2, "run.jsonl:2: "+tc.want)
			assert.Empty(t, events)
		})
	}
}

func TestReaderSeesWhatIsMissing(t *testing.T) {
	t.Parallel()
	step := func(n string) string { return edit(t, eventLine, `"step":1`, `"step":`+n) + "\n" }
	three := headerLine + "\n" + step("1") + step("2") + step("3")
	for name, tc := range map[string]struct {
		text string
		read int // Events before the error.
		line int
		want string
	}{
		"an empty trace": {"", 0, 1, "run.jsonl:1: expected a header line, got an empty trace"},
		"a header without newline": {
			headerLine, 0, 1, "run.jsonl:1: expected a line that ends in a newline, " +
				"got the end after 221 bytes: the trace is truncated",
		},
		"a cut in the middle of the last line": {
			three[:len(three)-100], 2, 4, "run.jsonl:4: expected a line that ends in a newline, " +
				"got the end after 255 bytes: the trace is truncated",
		},
		"only the last newline is missing": {
			three[:len(three)-1], 2, 4, "run.jsonl:4: expected a line that ends in a newline, " +
				"got the end after 354 bytes: the trace is truncated",
		},
		"an event was dropped": {
			headerLine + "\n" + step("1") + step("3"), 1, 3,
			"run.jsonl:3: expected step 2, got step 3",
		},
		"an event was doubled": {
			headerLine + "\n" + step("1") + step("1"), 1, 3,
			"run.jsonl:3: expected step 2, got step 1",
		},
		"two events were swapped": {
			headerLine + "\n" + step("1") + step("3") + step("2"), 1, 3,
			"run.jsonl:3: expected step 2, got step 3",
		},
		"an empty line at the end": {
			three + "\n", 3, 5,
			"run.jsonl:5: expected an event as one JSON object, got an empty line",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, events, err := readAll(strings.NewReader(tc.text), "run.jsonl")
			requireFormatError(t, err, tc.line, tc.want)
			assert.Len(t, events, tc.read, "what stands before the error is read")
		})
	}
}

func TestReaderBoundsLines(t *testing.T) {
	t.Parallel()
	fill := func(size int) string { // A line of size bytes.
		start, end := `{"step":1,"unknown":"`, `","replica":0,"action":"Restart",`+
			`"after":{"status":"recovering"}}`
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	t.Run("the longest line is read", func(t *testing.T) {
		t.Parallel()
		text := headerLine + "\n" + fill(traces.LineMax) + "\n"
		_, events, err := readAll(strings.NewReader(text), "run.jsonl")
		require.NoError(t, err)
		assert.Len(t, events, 1)
	})
	t.Run("a longer one is refused", func(t *testing.T) {
		t.Parallel()
		text := headerLine + "\n" + fill(traces.LineMax+1) + "\n"
		_, _, err := readAll(strings.NewReader(text), "run.jsonl")
		requireFormatError(t, err, 2,
			"run.jsonl:2: expected at most 16777216 bytes in a line, got more")
	})
}

func TestReaderReportsTheSourcesOwnErrors(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("the disk is on fire")
	source := io.MultiReader(strings.NewReader(headerLine+"\n"), iotest.ErrReader(errDisk))
	reader, err := traces.NewReader(source, "run.jsonl")
	require.NoError(t, err)
	_, err = reader.Next()
	require.ErrorIs(t, err, errDisk)
	require.EqualError(t, err, "read trace run.jsonl:2: the disk is on fire")
	_, again := reader.Next()
	assert.Equal(t, err, again, "an error is final")
	assert.NoError(t, reader.Close())
}

// requireFormatError checks line and exact text of a FormatError.
func requireFormatError(t *testing.T, err error, line int, text string) {
	t.Helper()
	var bad *traces.FormatError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, text, err.Error())
	require.Equal(t, line, bad.Line)
	require.NotContains(t, text, "\n")
}
