package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/cmd/tidy/house"
)

func TestRun(t *testing.T) {
	t.Parallel()
	bad := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(bad, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.test/m\n")
	write("README.md", "# M\n\n[gone](GONE.md)\n")
	for name, tc := range map[string]struct {
		args   []string
		dir    string
		want   int
		stdout string
		stderr string
	}{
		"findings are printed and counted": {
			dir: bad, want: exitFindings,
			stdout: "README.md:3: links: the link GONE.md leads to GONE.md, which does not exist",
		},
		"the last line has the counts": {
			dir: bad, want: exitFindings, stdout: "tidy: 2 files, ",
		},
		"the rules can be listed": {
			args: []string{"-rules"}, dir: bad, want: exitClean, stdout: house.Rules()[0].Expects,
		},
		"an argument is refused": {
			args: []string{"./..."}, dir: bad, want: exitUsage,
			stderr: `argument "./...": expected none`,
		},
		"an unknown flag is refused": {
			args: []string{"-fix"}, dir: bad, want: exitUsage, stderr: "-fix",
		},
		"no repository": {
			dir: string(filepath.Separator), want: exitUsage,
			stderr: "tidy: /: no go.mod here or above",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, tc.want, run(tc.args, tc.dir, &stdout, &stderr))
			assert.Contains(t, stdout.String(), tc.stdout)
			assert.Contains(t, stderr.String(), tc.stderr)
			if tc.want == exitFindings {
				lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
				last := lines[len(lines)-1]
				assert.Regexp(t, `^tidy: 2 files, \d+ rules, [1-9]\d* findings$`, last)
			}
		})
	}
}
