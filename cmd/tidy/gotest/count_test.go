package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		events  []string
		passed  int
		failed  int
		skips   []string
		printed []string
		silent  []string // Must not be printed.
	}{
		"passing tests print nothing but the package": {
			events: []string{
				`{"Action":"run","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA/sub","Elapsed":0.1}`,
				`{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}`,
				`{"Action":"pass","Package":"p","Elapsed":0.25}`,
			},
			passed: 2, printed: []string{"ok  \tp\t0.2s\n"}, silent: []string{"chatter"},
		},
		"a failing test prints its output": {
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
				`{"Action":"pass","Package":"p","Test":"TestB"}`,
				`{"Action":"fail","Package":"p","Elapsed":1}`,
			},
			passed: 1, failed: 1,
			printed: []string{"a_test.go:3: no", "FAIL\tp\t1.0s"}, silent: []string{"=== RUN"},
		},
		"a skipped test gives its reason": {
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"a.go:3: no Java\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA\n"}`,
				`{"Action":"skip","Package":"p","Test":"TestA"}`,
				`{"Action":"skip","Package":"p","Test":"TestB"}`,
			},
			skips: []string{"p TestA: no Java", "p TestB: no reason given"},
		},
		"a package without tests is no skipped test": {
			events: []string{`{"Action":"skip","Package":"p","Elapsed":0}`},
		},
		"a package that does not build counts as one failed": {
			events: []string{
				`{"ImportPath":"p","Action":"build-output","Output":"p.go:1: undefined: x\n"}`,
				`{"ImportPath":"p","Action":"build-fail"}`,
				`{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}`,
				`{"Action":"fail","Package":"p","FailedBuild":"p"}`,
			},
			failed: 1, printed: []string{"undefined: x", "[build failed]"},
		},
		"a panic prints what the unfinished test had printed": {
			events: []string{
				`{"Action":"run","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: boom\n"}`,
				`{"Action":"output","Package":"q","Test":"TestZ","Output":"of another package\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			failed: 1, printed: []string{"panic: boom"}, silent: []string{"of another"},
		},
		"a line that is no event is printed": {
			events:  []string{`warning: ignored`, `{"unrelated":1}`},
			printed: []string{"warning: ignored\n", `{"unrelated":1}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			got, err := count(strings.NewReader(strings.Join(tc.events, "\n")), &out)
			require.NoError(t, err)
			assert.Equal(t, tally{passed: tc.passed, failed: tc.failed, skips: tc.skips}, got)
			for _, text := range tc.printed {
				assert.Contains(t, out.String(), text)
			}
			for _, text := range tc.silent {
				assert.NotContains(t, out.String(), text)
			}
		})
	}
}

// The whole program on a module that passes, one that fails and none at all.
func TestRunClosesWithTheCounts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		test string
		want int
		last string
	}{
		"a test that passes": {`func TestA(t *testing.T) {}`, 0, "1 passed, 0 failed, 0 skipped"},
		"a test that fails": {
			`func TestA(t *testing.T) { t.Fatal("no") }`, 1, "0 passed, 1 failed, 0 skipped",
		},
		"no test at all": {`var _ testing.TB`, 1, "0 passed, 0 failed, 0 skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			write("go.mod", "module example.test/tiny\n\ngo 1.26\n")
			write("a_test.go", "package tiny\n\nimport \"testing\"\n\n"+tc.test+"\n")
			var out, errs bytes.Buffer
			status := run([]string{"-vet=off", "./..."}, dir, &out, &errs)
			assert.Equal(t, tc.want, status, errs.String())
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			assert.Equal(t, tc.last, lines[len(lines)-1])
		})
	}
	t.Run("wrong arguments", func(t *testing.T) {
		t.Parallel()
		var out, errs bytes.Buffer
		assert.Equal(t, 1, run([]string{"-no-such-flag"}, ".", &out, &errs))
		assert.Contains(t, out.String(), "0 passed, 1 failed, 0 skipped")
	})
}
