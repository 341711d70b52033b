package linearizability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a user writes by hand: each case is a history, and whether it can be.
func TestShapedModelsDecide(t *testing.T) {
	t.Parallel()
	const (
		appendA = `"kind":"append","input":{"value":"a"},"output":{"offset":0},"call":0,"return":1`
		appendB = `"kind":"append","input":{"value":"b"},"output":{"offset":1},"call":2,"return":3`
		polls   = `"kind":"poll","input":{"offset":0,"max":9},"output":`
		stale   = `"kind":"poll","input":{"offset":0,"max":9,"level":"serializable"},"output":`
		store5  = `"kind":"store_offset","input":{"offset":5},"output":{},"call":0,"return":1`
		store7  = `"kind":"store_offset","input":{"offset":7},"output":{},"call":2,"return":3`
		create  = `"kind":"create","input":{"name":"x"},"output":{"id":3},"call":0,"return":1`
		deleted = `"kind":"delete","input":{"name":"x"},"output":{"ok":true},"call":2,"return":3`
		lookup  = `"kind":"lookup","input":{"name":"x"},"output":`
		nameOf3 = `"kind":"name_of","input":{"id":3},"output":`
		openNew = `"kind":"create","input":{"name":"x"},"call":0`
		openAgo = `"kind":"create","input":{"name":"x"},"call":4`
		again   = `"kind":"execute","input":{"session":"s","request":1},"output":`
		execute = again + `{"position":0},"call":0,"return":1`
		openSix = `"kind":"execute","input":{"session":"t","request":6},"call":0`
		counts  = `"kind":"count","output":`
		late    = `,"call":8,"return":9`
		later   = `,"call":10,"return":11`
	)
	for name, tc := range map[string]struct {
		model   Model
		want    Verdict
		lines   []string // A digit before the line is the client.
		witness int
	}{
		"a poll shows what was appended": {
			Partition, Linearizable, []string{
				appendA,
				appendB,
				polls + `{"values":["a","b"]}` + late,
			}, 0,
		},
		"a poll misses an append": {
			Partition, Violation, []string{
				appendA,
				appendB,
				polls + `{"values":["a"]}` + late,
			}, 3,
		},
		"... and may if it is serializable": {
			Partition, Linearizable, []string{
				appendA,
				appendB,
				stale + `{"values":["a"]}` + late,
			}, 0,
		},
		"... but must not go back": {
			Partition, Violation, []string{
				appendA,
				appendB,
				"5" + polls + `{"values":["a","b"]}` + late,
				"5" + stale + `{"values":["a"]}` + later,
			}, 4,
		},
		"... which another client may": {
			Partition, Linearizable, []string{
				appendA,
				appendB,
				polls + `{"values":["a","b"]}` + late,
				stale + `{"values":["a"]}` + later,
			}, 0,
		},
		"... nor show what is not there": {
			Partition, Violation, []string{
				appendA,
				stale + `{"values":["a","b"]}` + late,
			}, 2,
		},
		"an append is lost": {
			Partition, Violation, []string{
				appendA,
				strings.Replace(appendB, `"offset":1`, `"offset":0`, 1),
			}, 2,
		},
		"offsets are reordered": {
			Partition, Violation, []string{
				strings.Replace(appendA, `"offset":0`, `"offset":1`, 1),
				strings.Replace(appendB, `"offset":1`, `"offset":0`, 1),
			}, 2,
		},
		"equal records need a search": {
			Partition, Violation, []string{
				appendA,
				strings.Replace(appendB, `"b"`, `"a"`, 1),
				polls + `{"values":["a"]}` + late,
			}, 3,
		},
		"an offset is what was stored": {
			Offsets, Linearizable, []string{
				store5,
				store7,
				`"kind":"get_offset","output":{"offset":7}` + late,
			}, 0,
		},
		"a stale offset": {
			Offsets, Violation, []string{
				store5,
				store7,
				`"kind":"get_offset","output":{"offset":5}` + late,
			}, 3,
		},
		"a deletion of what is there": {
			Offsets, Linearizable, []string{
				store5,
				`"kind":"delete_offset","output":{"ok":true}` + late,
				`"kind":"get_offset","output":{"offset":null}` + later,
			}, 0,
		},
		"a deletion fails without reason": {
			Offsets, Violation, []string{
				store5,
				`"kind":"delete_offset","output":{"ok":false}` + late,
			}, 2,
		},
		"an unanswered store may come late": {
			Offsets, Linearizable, []string{
				`"kind":"store_offset","input":{"offset":9},"call":0`,
				store7,
				`"kind":"get_offset","output":{"offset":9}` + late,
			}, 0,
		},
		"a name that was created is there": {
			Metadata, Linearizable, []string{
				create,
				lookup + `{"id":3}` + late,
				nameOf3 + `{"name":"x"}` + later,
			}, 0,
		},
		"a resurrected name": {
			Metadata, Violation, []string{
				create,
				deleted,
				lookup + `{"id":3}` + late,
			}, 3,
		},
		"a name is created anew with a new id": {
			Metadata, Linearizable, []string{
				create,
				deleted,
				openAgo,
				lookup + `{"id":4}` + late,
			}, 0,
		},
		"... and not with the old one": {
			Metadata, Violation, []string{
				create,
				deleted,
				openAgo,
				lookup + `{"id":3}` + late,
			}, 4,
		},
		"an unanswered creation has some id": {
			Metadata, Linearizable, []string{
				openNew,
				nameOf3 + `{"name":"x"}` + late,
				lookup + `{"id":3}` + later,
			}, 0,
		},
		"... and only one": {
			Metadata, Violation, []string{
				openNew,
				nameOf3 + `{"name":"x"}` + late,
				lookup + `{"id":4}` + later,
			}, 3,
		},
		"... none that was nobody's": {
			Metadata, Violation, []string{
				openNew,
				lookup + `{"id":4}` + late,
				nameOf3 + `{"name":"x"}` + later,
			}, 3,
		},
		"a request sent again has its answer": {
			Sessions, Linearizable, []string{
				execute,
				again + `{"position":0}` + late,
				counts + `{"count":1}` + later,
			}, 0,
		},
		"a duplicate execution": {
			Sessions, Violation, []string{
				execute,
				again + `{"position":1}` + late,
			}, 2,
		},
		"a duplicate execution is counted": {
			Sessions, Violation, []string{
				execute,
				again + `{"position":0}` + late,
				counts + `{"count":2}` + later,
			}, 3,
		},
		"an unanswered request may count": {
			Sessions, Linearizable, []string{
				execute,
				openSix,
				counts + `{"count":2}` + late,
			}, 0,
		},
		"... once": {
			Sessions, Violation, []string{
				execute,
				openSix,
				counts + `{"count":3}` + late,
			}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := `{"format":"viewstamp.history","version":1,"model":"` + string(tc.model) +
				`","unit":"step"}` + "\n"
			for i, line := range tc.lines {
				client := string(rune('0' + i))
				if line[0] != '"' {
					client, line = line[:1], line[1:]
				}
				text += `{"client":` + client + `,"id":` + string(rune('0'+i)) + `,` + line + "}\n"
			}
			h, err := ReadHistory(strings.NewReader(text), "h")
			require.NoError(t, err)
			report := mustCheck(t, h, CheckOptions{})
			require.Equal(t, tc.want, report.Verdict, report.Summary())
			if tc.witness > 0 {
				require.LessOrEqual(t, len(report.Witness.Operations), tc.witness)
			}
			var page strings.Builder
			require.NoError(t, WriteHTML(&page, h, report))
			assert.Contains(t, page.String(), string(h.Operations[0].Kind))
		})
	}
}

func TestBadShapedLinesAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		model Model
		line  string
		want  string
	}{
		"a poll from before the log": {
			Partition, `"kind":"poll","input":{"offset":-1,"max":1}`,
			`expected "offset" to be a whole number from 0 to 2305843009213693951, got -1`,
		},
		"a poll of nothing": {
			Partition, `"kind":"poll","input":{"offset":0,"max":0}`,
			`expected "max" to be a whole number from 1 to 2147483647, got 0`,
		},
		"a poll of another level": {
			Partition, `"kind":"poll","input":{"offset":0,"max":1,"level":"eventual"}`,
			`expected "level" to be "serializable" or left out, got "eventual"`,
		},
		"an append answered without an offset": {
			Partition, `"kind":"append","input":{"value":"a"},"output":{},"return":9`,
			`expected an output {"offset":...}, got {}`,
		},
		"an append that gave up": {
			Partition, `"kind":"append","input":{"value":"a"},"output":null,"return":9`,
			`expected an output of an answered append, got null`,
		},
		"a field that nobody knows": {
			Offsets, `"kind":"store_offset","input":{"offset":1,"partition":2}`,
			`expected an input {"offset":...}, got {"offset":1,"partition":2}`,
		},
		"a name of no text": {
			Metadata, `"kind":"create","input":{"name":7}`, `expected "name" to be a text, got 7`,
		},
		"an offset of no number": {
			Offsets, `"kind":"store_offset","input":{"offset":"1"}`,
			`expected "offset" to be a whole number from 0, got "1"`,
		},
		"a kind of another model": {
			Sessions, `"kind":"write","input":{"value":"a"}`,
			`expected a kind of "count", "execute", got "write"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadHistory(strings.NewReader(
				`{"format":"viewstamp.history","version":1,"model":"`+string(tc.model)+
					`","unit":"step"}`+"\n"+`{"client":0,"id":0,"call":0,`+tc.line+"}\n"), "h")
			require.EqualError(t, err, "h:2: "+tc.want)
		})
	}
}
