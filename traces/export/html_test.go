package export_test

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/export"
)

func pageOf(t *testing.T, trace *traces.Trace) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, export.WriteHTML(&out, trace))
	return out.String()
}

func TestThePageNeedsNothingElse(t *testing.T) {
	t.Parallel()
	for name, trace := range samples(t) {
		page := pageOf(t, trace)
		assert.Contains(t, page, "default-src 'none'", name)
		for _, address := range regexp.MustCompile(`\w+://[^"' ]+`).FindAllString(page, -1) {
			assert.Equal(t, "http://www.w3.org/2000/svg", address, "the name of SVG loads nothing")
		}
		assert.NotRegexp(t, `(?i)<(link|img|iframe)|\b(src|href)=|@import|url\((?:[^#]|$)`,
			strings.Replace(page, "src=x", "", 1))
		assert.Equal(t, 2, strings.Count(page, "</script>"), "no text ends a script")
		assert.NotContains(t, page, "{{")
	}
}

// browser is a headless browser, or the test is skipped.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("skipped: no chromium, chromium-browser or google-chrome is installed")
	return ""
}

// browserTimeout is ample: a page takes two or three seconds, most of it the start.
const browserTimeout = "60"

// visit opens a page, runs a script in it as a user would act, and returns what the script
// left in result.
func visit(t *testing.T, page, fragment, script string, result any) {
	t.Helper()
	chromium, folder := browser(t), t.TempDir()
	file := filepath.Join(folder, "page.html")
	page = strings.Replace(page, "</body>", `<script>
const click = (e) => e.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const one = (q) => document.querySelector(q), all = (q) => [...document.querySelectorAll(q)];
const search = (text) => { one("#search").value = text; one("#search").oninput(); };
const result = {};
`+script+`
document.body.dataset.result = JSON.stringify(result);
</script></body>`, 1)
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	command := exec.CommandContext(t.Context(), "timeout", browserTimeout, chromium, "--headless",
		"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(folder, "profile"), "--window-size=1500,900",
		"--dump-dom", "file://"+file+fragment)
	command.WaitDelay = time.Second
	dom, err := command.Output()
	require.NoError(t, err)
	require.Regexp(t, `data-ready="\d+"`, string(dom), "the page's own script has run to its end")
	found := regexp.MustCompile(`data-result="([^"]*)"`).FindSubmatch(dom)
	require.NotNil(t, found, "the test's script has run to its end")
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), result))
}

func TestABrowserShowsSelectsAndSearches(t *testing.T) {
	t.Parallel()
	trace := walk(t, 1, 150)
	trace.Header.RefusedAt = 3
	primary := 0
	for _, e := range trace.Events {
		if e.Action == traces.ActionBecomePrimary {
			primary++
		}
	}
	var r struct {
		Heads                        []string
		Rows, Arrows, Refused        int
		Selected, Detail, Address    string
		Changed                      []string
		Found, Counted, After, Words string
		Only                         []string
		None                         int
	}
	visit(t, pageOf(t, trace), "#5", `
result.heads = all("#heads span").map((e) => e.textContent);
result.selected = one("#detail").dataset.step;
result.rows = all(".event").length;
result.arrows = all(".message").length;
result.refused = all(".event.refused[data-step='3']").length;
click(one(".event[data-step='1']"));
result.detail = one("#detail h2").textContent;
result.changed = all("#detail thead th").map((e) => e.textContent);
result.address = location.hash;
document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
result.after = one("#detail h2").textContent;
search("becomeprimary");
result.counted = one("#found").textContent;
click(one("#next"));
result.found = one("#detail h2").textContent;
result.words = one("#found").textContent;
one("#only").checked = true; one("#only").onchange();
result.only = all(".event tspan, .event text:not(.step)").map((e) => e.firstChild.data);
search("op=nothing");
result.none = all(".event").length;`, &r)
	assert.Equal(t, []string{"client", "replica 0", "replica 1", "replica 2"}, r.Heads)
	assert.Equal(t, "5", r.Selected, "the address selects a step")
	assert.Greater(t, r.Rows, 20)
	assert.Less(t, r.Rows, 80, "only what is in sight is drawn")
	assert.Positive(t, r.Arrows)
	assert.Equal(t, 1, r.Refused)
	assert.Equal(t, "1. "+trace.Events[0].Action, r.Detail)
	assert.Equal(t, "#1", r.Address)
	assert.Equal(t, "2. "+trace.Events[1].Action, r.After)
	assert.Equal(t, []string{"", "r0", "r1", "r2"}, r.Changed)
	require.Positive(t, primary)
	assert.Equal(t, number(primary), r.Counted)
	assert.Contains(t, r.Found, traces.ActionBecomePrimary)
	assert.Equal(t, "1 of "+number(primary), r.Words)
	shown := 0
	for _, text := range r.Only {
		if text == traces.ActionBecomePrimary {
			shown++
		}
	}
	assert.Equal(t, primary, shown)
	assert.Zero(t, r.None)
}

func number(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestABrowserTakesHostileTextAsText(t *testing.T) {
	t.Parallel()
	var r struct {
		Images, Events, Groups int
		Title                  string
	}
	visit(t, pageOf(t, hostile()), "#2", `
result.images = all("img, b").length;
result.events = all(".event").length;
result.groups = all("#group option").length;
result.title = one("#detail h2").textContent;`, &r)
	assert.Zero(t, r.Images)
	assert.Equal(t, 3, r.Events, "those of the first group")
	assert.Equal(t, 2, r.Groups)
	assert.Equal(t, "2. <img src=x>\n", r.Title)
}

// Ten thousand events: the page is up, searched and scrolled to its end in no time.
func TestABrowserTakesTenThousandEvents(t *testing.T) {
	t.Parallel()
	part := walk(t, 1, 150)
	long := &traces.Trace{Header: part.Header}
	for len(long.Events) < 10_000 {
		e := part.Events[len(long.Events)%len(part.Events)]
		e.Step = len(long.Events) + 1
		long.Events = append(long.Events, e)
	}
	var r struct {
		Start, Search, Select, Matches float64
		Drawn                          int
		Last                           string
	}
	visit(t, pageOf(t, long), "", `
result.start = performance.now();
search("receiveprepare");
result.matches = Number(one("#found").textContent);
result.search = performance.now() - result.start;
const begin = performance.now();
location.hash = "#10000"; window.onhashchange();
result.select = performance.now() - begin;
result.last = one("#detail h2").textContent;
result.drawn = all(".event").length;`, &r)
	t.Logf("up after %.0f ms, search %.0f ms, to the end %.0f ms", r.Start, r.Search, r.Select)
	assert.Positive(t, r.Matches)
	assert.Equal(t, "10000. "+long.Events[9_999].Action, r.Last)
	assert.Less(t, r.Drawn, 100)
	assert.Less(t, r.Start, 10_000.0)
	assert.Less(t, r.Search, 2_000.0)
	assert.Less(t, r.Select, 2_000.0)
}
