package house

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"unicode"
)

// bannedWords gives for each word that identifiers must not contain the word or the
// habit to use instead. Plurals count as well.
var bannedWords = map[string]string{
	"leader":   "primary",
	"follower": "backup",
	"term":     "view",
	"epoch":    "view or incarnation",
	"ack":      "prepare_ok",
	"util":     "the name of what it does",
	"common":   "the name of what is shared",
	"helper":   "the name of what it does",
	"impls":    "the name of what is implemented",
	"manager":  "the name of what it owns",
}

// wordFolders are the folders whose identifiers are checked.
var wordFolders = []string{"cmd", "impl", "linearizability", "model", "spec", "traces"}

func checkWords(t *Tree, report report) {
	mutants := t.allMutants()
	for _, f := range t.golang.files {
		if !withinAny(f.Path, wordFolders) {
			continue
		}
		seen := map[string]bool{}
		check := func(line int, name string) {
			if seen[name] {
				return
			}
			seen[name] = true
			if word := bannedWord(name, mutants); word != "" {
				report(f.Path, line, "%s contains %q, expected %s", name, word, bannedWords[word])
			}
		}
		check(1, strings.TrimSuffix(path.Base(f.Path), ".go"))
		check(t.golang.line(f.syntax.Name), f.syntax.Name.Name)
		for _, ident := range declared(f.syntax) {
			if !f.isTest || ident.Name != "Helper" { // A stand-in for testing.T must have it.
				check(t.golang.line(ident), ident.Name)
			}
		}
	}
}

// bannedWord returns the banned word in an identifier, empty if there is none. The
// names of the spec's mutants may contain one, and so may identifiers made of them.
func bannedWord(name string, mutants []string) string {
	words := splitWords(name)
	snake := strings.Join(words, "_")
	for _, mutant := range mutants {
		if strings.Contains(snake, mutant) {
			return ""
		}
	}
	for _, word := range words {
		for _, form := range []string{word, strings.TrimSuffix(word, "s")} {
			if _, banned := bannedWords[form]; banned {
				return form
			}
		}
	}
	return ""
}

// splitWords returns the words of an identifier in camel or snake case, in lower
// case: "DVCDropsHollow" and "dvc_drops_hollow" are dvc, drops, hollow.
func splitWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			flush()
			continue
		}
		startsWord := unicode.IsUpper(r) && i > 0 &&
			(!unicode.IsUpper(runes[i-1]) ||
				i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if startsWord {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// declared returns the identifiers that a file declares: functions, types, constants,
// variables, fields, parameters, labels and names of imports.
func declared(file *ast.File) []*ast.Ident {
	var found []*ast.Ident
	add := func(exprs ...ast.Expr) {
		for _, expr := range exprs {
			if ident, ok := expr.(*ast.Ident); ok {
				found = append(found, ident)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			found = append(found, node.Name)
		case *ast.TypeSpec:
			found = append(found, node.Name)
		case *ast.ValueSpec:
			found = append(found, node.Names...)
		case *ast.Field:
			found = append(found, node.Names...)
		case *ast.LabeledStmt:
			found = append(found, node.Label)
		case *ast.ImportSpec:
			if node.Name != nil {
				found = append(found, node.Name)
			}
		case *ast.AssignStmt:
			if node.Tok == token.DEFINE {
				add(node.Lhs...)
			}
		case *ast.RangeStmt:
			if node.Tok == token.DEFINE {
				add(node.Key, node.Value)
			}
		}
		return true
	})
	return found
}
