package protocol

import (
	"encoding/hex"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden bytes; read the diff")

const golden = "testdata/bodies.txt"

// The golden bytes hold the formats still, also against a change of a layout that serves both
// directions alike.
func TestGoldenBodies(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, s := range samples() {
		body, err := Encode(s.body)
		require.NoError(t, err, s.name)
		fmt.Fprintf(&b, "%s %x\n", s.name, body)
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}

func TestBodiesComeBack(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			body, err := Encode(s.body)
			require.NoError(t, err)
			got := s.zero()
			require.NoError(t, Decode(body, got))
			assert.Equal(t, s.body, got)
			prefixed, err := Append([]byte("before"), s.body)
			require.NoError(t, err)
			assert.Equal(t, "before"+string(body), string(prefixed))
		})
	}
}

// A body that is cut must not pass for a whole one, unless what was cut is optional: items up
// to the end, and bytes that are not looked into.
func TestCutBodiesAreRefusedOrMeanLess(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			body, err := Encode(s.body)
			require.NoError(t, err)
			for n := range body {
				short := s.zero()
				err := Decode(body[:n], short)
				if err == nil {
					again, err := Encode(short)
					require.NoError(t, err)
					require.Equal(t, hex.EncodeToString(body[:n]), hex.EncodeToString(again))
					continue
				}
				var refused *BodyError
				require.ErrorAs(t, err, &refused)
				require.LessOrEqual(t, refused.Offset, n)
				require.NotEmpty(t, refused.Field)
				require.NotEmpty(t, refused.Want)
			}
		})
	}
}

// Every type with a layout has a sample, so that none goes without a golden body, and a
// place among the seeds of the fuzz target.
func TestEveryBodyHasASample(t *testing.T) {
	t.Parallel()
	sampled := map[string]bool{}
	for _, s := range samples() {
		sampled[nameOf(s.body)] = true
	}
	// Parts of others, that stand alone nowhere.
	for _, part := range []string{
		"Partitioning", "PartitionState", "GroupMember",
		"StreamPermissions", "TopicPermissions",
	} {
		sampled[part] = true
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	seen := 0
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "layout" || f.Recv == nil {
				continue
			}
			seen++
			receiver := f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			assert.True(t, sampled[receiver], "no sample of %s", receiver)
		}
	}
	assert.Greater(t, seen, 50)
}

// Encoding leaves the body alone: the race detector sees whoever writes to a shared one.
func TestOneBodyIsEncodedByManyAtOnce(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		want, err := Encode(s.body)
		require.NoError(t, err, s.name)
		var encoders sync.WaitGroup
		for range 4 {
			encoders.Go(func() {
				got, err := Encode(s.body)
				assert.NoError(t, err, s.name)
				assert.Equal(t, want, got, s.name)
			})
		}
		encoders.Wait()
	}
}
