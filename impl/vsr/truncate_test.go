package vsr

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// assignments lists the functions of this package that assign to a field of that name, and
// appendOnly those of them that do nothing but append to it.
func assignments(t *testing.T, field string) (all, appendOnly []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				assign, ok := n.(*ast.AssignStmt)
				if !ok {
					return true
				}
				for i, left := range assign.Lhs {
					if s, ok := left.(*ast.SelectorExpr); ok && s.Sel.Name == field {
						all = append(all, fn.Name.Name)
						if i < len(assign.Rhs) && isAppendTo(assign.Rhs[i], field) {
							appendOnly = append(appendOnly, fn.Name.Name)
						}
					}
				}
				return true
			})
		}
	}
	slices.Sort(all)
	slices.Sort(appendOnly)
	return all, appendOnly
}

func isAppendTo(e ast.Expr, field string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name, ok := call.Fun.(*ast.Ident)
	first, isField := call.Args[0].(*ast.SelectorExpr)
	return ok && isField && name.Name == "append" && first.Sel.Name == field
}

// One function shrinks a log (R7): all others that touch it are named here.
func TestOneFunctionShrinksTheLog(t *testing.T) {
	t.Parallel()
	all, _ := assignments(t, "log")
	require.Equal(t, []string{
		"Clone",              // a copy
		"adoptLog",           // the one
		"adoptMerged",        // a merged log: what it has become on its way to the disk
		"advanceTransition",  // what adoptLog is about to take, over the base as it is by now
		"descend", "descend", // adds below
		"finishTransfer", // a merged log: lets go what a checkpoint covers, nothing above
		"onRebased",      // the same
		"recover",        // what the disk holds
	}, all)
	all, appendOnly := assignments(t, "headers")
	require.Equal(t, []string{
		"detectStall",     // seed 000's defect
		"onPrepareStored", // appends
	}, all)
	require.Equal(t, []string{"onPrepareStored"}, appendOnly)
}

func TestAFunctionThatShrinksALogIsSeen(t *testing.T) {
	t.Parallel()
	all, _ := assignments(t, "pipeline")
	require.Contains(t, all, "takeEffect")
}
