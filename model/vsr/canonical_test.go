package vsr

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The text is what package tlaval makes of the state that TLC prints.
func TestCanonicalText(t *testing.T) {
	t.Parallel()
	c := bound(1, 1, 1, Walk)
	first := `["acknowledged":[],"answers":[0:{},1:{},2:{}],"bodies":[0:{},1:{},2:{}],` +
		`"commit_max":[0:0,1:0,2:0],"commit_min":[0:0,1:0,2:0],"commits":[0:0,1:0],` +
		`"do_view_changes":[0:{},1:{}],"headers":[0:[],1:[],2:[]],"log_view":[0:0,1:0,2:0],` +
		`"log_view_durable":[0:0,1:0,2:0],"merged":[0:[],1:[],2:[]],"pipeline":[0:[],1:[],2:[]],` +
		`"prepare_oks":[0:{},1:{}],"prepares":[0:{},1:{}],"requests":0,"restarts":0,` +
		`"start_view_changes":[0:{},1:{}],"start_views":[0:{},1:{}],` +
		`"status":[0:"normal",1:"normal",2:"normal"],"view":[0:0,1:0,2:0]]`
	assert.Equal(t, first, string(Canonical(nil, c, Init(c))))
	assert.Equal(t, "x"+first, string(Canonical([]byte("x"), c, Init(c))), "it appends")

	e := `["op":1,"request":1,"view":0]`
	vote := func(r, present string) string {
		return `["commit":0,"log":[1:` + e + `],"log_view":0,"present":{` + present +
			`},"replica":` + r + `]`
	}
	s := follow(t, c, "ClientRequest(0)", "Restart(2)", "AnswerProbe(0,2)", "Recover(2,0)",
		"ReceivePrepare(1)", "StartViewChange(1)", "ReceiveStartViewChange(2,1)",
		"SendDoViewChange(1)", "SendDoViewChange(2)", "MergeVotes(1,{1,2})")
	text := string(Canonical(nil, c, s))
	for _, part := range []string{
		`"bodies":[0:{` + e + `},1:{` + e + `},2:{}]`,
		`"do_view_changes":[0:{},1:{` + vote("1", e) + `,` + vote("2", "") + `}]`,
		`"merged":[0:[],1:[1:["commit":0,"log":[1:` + e + `]]],2:[]]`,
		`"prepare_oks":[0:{[1:1,2:` + e + `]},1:{}]`,
		`"prepares":[0:{` + e + `},1:{}]`,
		`"pipeline":[0:[1:` + e + `],1:[],2:[]]`,
		`"restarts":1,"start_view_changes":[0:{},1:{1,2}]`,
		`"status":[0:"normal",1:"view_change",2:"view_change"]`,
	} {
		assert.Contains(t, text, part)
	}

	s = follow(t, c, "ClientRequest(0)", "Restart(2)", "AnswerProbe(0,2)", "StartViewChange(1)",
		"ReceiveStartViewChange(0,1)", "SendDoViewChange(0)", "SendDoViewChange(1)",
		"MergeVotes(1,{0,1})", "RepairPrepare(1,1)", "BecomePrimary(1)")
	text = string(Canonical(nil, c, s))
	assert.Contains(t, text, `"answers":[0:{},1:{},2:{["commit":0,"log":[1:`+e+`],"view":0]}]`)
	assert.Contains(t, text, `"start_views":[0:{},1:{["commit":0,"log":[1:`+e+`]]}]`)
}

// Domains and members are sorted as texts: 10 comes before 2.
func TestCanonicalTextSortsNumbersAsTexts(t *testing.T) {
	t.Parallel()
	c := bound(Unbounded, Unbounded, 0, Walk)
	s := Init(c)
	for range 11 {
		s = take(t, c, s, "ClientRequest(0)")
	}
	for range 10 {
		s = take(t, c, s, "StartViewChange(1)")
	}
	text := string(Canonical(nil, c, s))
	assert.Contains(t, text, `"commits":[0:0,1:0,10:0,2:0,3:0,`)
	headers := text[strings.Index(text, `"headers":[0:[1:`):]
	require.Contains(t, headers, `10:["op":10,"request":10,"view":0]`)
	order := []string{`[1:[`, `,10:[`, `,11:[`, `,2:[`, `,3:[`}
	for i := 1; i < len(order); i++ {
		assert.Less(t, strings.Index(headers, order[i-1]), strings.Index(headers, order[i]))
	}
	bodies := text[strings.Index(text, `"bodies":[0:{`):]
	assert.Less(t, strings.Index(bodies, `"op":10,`), strings.Index(bodies, `"op":2,`))
}

func TestFormatHasTheSameNamesInEveryState(t *testing.T) {
	t.Parallel()
	c := bound(1, 1, 1, Walk)
	states := reachable(t, c, 3000)
	names := func(s State) []string {
		var names []string
		for _, line := range Format(s) {
			name, value, found := strings.Cut(line, " = ")
			require.True(t, found && name != "" && value != "", "%q", line)
			names = append(names, name)
		}
		return names
	}
	want := map[View][]string{}
	for _, s := range states {
		highest := max(s.view[0], s.view[1], s.view[2])
		if want[highest] == nil {
			want[highest] = names(s)
		}
		require.Equal(t, want[highest], names(s))
	}
	s := follow(t, c, "ClientRequest(0)", "ReceivePrepare(1)", "StartViewChange(1)",
		"ReceiveStartViewChange(2,1)", "SendDoViewChange(1)")
	assert.Subset(t, Format(s), []string{
		"headers[1] = <1.0.1>", "bodies[2] = {}", "merged[1] = none",
		"prepare_oks[0] of r1 = {1.0.1}", "start_view_changes[1] = {1,2}",
		"do_view_changes[1] = {r1 log_view 0 commit 0 log <1.0.1> present {1.0.1}}",
		"requests = 1", "acknowledged = <>",
	})
	assert.Contains(t, Format(Init(lazy(c))), "log_view_durable[0] = 0")
}
