package house

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"unicode/utf8"
)

// The limits of sizes. A reader should see one idea at a time.
const (
	fileLinesMax     = 800
	fileLinesAim     = 500 // A note above it, no finding.
	functionLinesMax = 70
	columnsMax       = 100
	fileBytesMax     = 100_000
)

func checkFileLines(t *Tree, report report) {
	for _, f := range t.golang.files {
		if n := len(f.lines()); n > fileLinesMax {
			report(f.Path, 1, "has %d lines, expected at most %d", n, fileLinesMax)
		}
	}
}

// longFiles notes the files that may have but should not have so many lines.
func longFiles(t *Tree) []Finding {
	var notes []Finding
	for _, f := range t.golang.files {
		if n := len(f.lines()); n > fileLinesAim && n <= fileLinesMax {
			notes = append(notes, Finding{
				Path: f.Path, Line: 1, Rule: "file-lines", Note: true,
				Text: fmt.Sprintf("has %d lines, aim for at most %d", n, fileLinesAim),
			})
		}
	}
	return notes
}

// checkFunctionLines counts as the linter funlen does: the lines between the braces
// without those that are comments.
func checkFunctionLines(t *Tree, report report) {
	for _, f := range t.golang.files {
		if f.isTest {
			continue
		}
		lines := f.lines()
		for _, decl := range f.syntax.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			first := t.golang.fileSet.Position(function.Body.Lbrace).Line
			last := t.golang.fileSet.Position(function.Body.Rbrace).Line
			count := 0
			for i := first; i < last-1; i++ {
				if !strings.HasPrefix(strings.TrimSpace(lines[i]), "//") {
					count++
				}
			}
			if count > functionLinesMax {
				report(f.Path, t.golang.line(function), "%s has %d lines, expected at most %d",
					function.Name.Name, count, functionLinesMax)
			}
		}
	}
}

func checkColumns(t *Tree, report report) {
	for _, f := range t.Files {
		if ext := path.Ext(f.Path); ext != ".tla" && ext != ".go" || f.inTestdata() {
			continue
		}
		for i, line := range f.lines() {
			if strings.HasPrefix(line, "//go:") {
				continue // A directive cannot be broken.
			}
			if n := utf8.RuneCountInString(line); n > columnsMax {
				report(f.Path, i+1, "%d columns, expected at most %d", n, columnsMax)
			}
		}
	}
}

func checkFileSize(t *Tree, report report) {
	for _, f := range t.Files {
		if base := path.Base(f.Path); base == "go.sum" {
			continue
		}
		if f.SizeBytes > fileBytesMax {
			report(f.Path, 1, "has %d bytes, expected at most %d: generate it, or pack it (.zst)",
				f.SizeBytes, fileBytesMax)
		}
		if ext := path.Ext(f.Path); (ext == ".go" || ext == ".md") && !utf8.Valid(f.text) {
			report(f.Path, 1, "is not UTF-8 text")
		}
	}
}
