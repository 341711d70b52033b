package house

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// goFile is a Go file that parses.
type goFile struct {
	*File
	syntax *ast.File
	isTest bool
}

// goPackage is the Go files of one folder, tests included.
type goPackage struct {
	dir   string
	files []*goFile
}

// golang is what was parsed of the tree's Go files.
type golang struct {
	fileSet  *token.FileSet
	files    []*goFile
	packages map[string]*goPackage
	errors   []syntaxError
}

type syntaxError struct {
	path string
	line int
	text string
}

// isGoSource reports whether the Go tool would build the file in some package: those
// in testdata and in folders that start with a dot or an underscore it leaves alone.
func isGoSource(f *File) bool {
	if path.Ext(f.Path) != ".go" || f.inTestdata() {
		return false
	}
	return !slices.ContainsFunc(strings.Split(f.Path, "/"), func(element string) bool {
		return strings.HasPrefix(element, ".") || strings.HasPrefix(element, "_")
	})
}

func parseGo(files []*File) golang {
	g := golang{fileSet: token.NewFileSet(), packages: map[string]*goPackage{}}
	for _, f := range files {
		if !isGoSource(f) {
			continue
		}
		syntax, err := parser.ParseFile(g.fileSet, f.Path, f.text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			g.errors = append(g.errors, locate(f.Path, err))
			continue
		}
		parsed := &goFile{File: f, syntax: syntax, isTest: strings.HasSuffix(f.Path, "_test.go")}
		g.files = append(g.files, parsed)
		dir := path.Dir(f.Path)
		if g.packages[dir] == nil {
			g.packages[dir] = &goPackage{dir: dir}
		}
		g.packages[dir].files = append(g.packages[dir].files, parsed)
	}
	return g
}

func locate(name string, err error) syntaxError {
	if list := scanner.ErrorList(nil); errors.As(err, &list) && len(list) > 0 {
		return syntaxError{name, list[0].Pos.Line, list[0].Msg}
	}
	return syntaxError{name, 1, err.Error()}
}

func checkSyntax(t *Tree, report report) {
	for _, e := range t.golang.errors {
		report(e.path, e.line, "%s", e.text)
	}
}

// sortedPackages returns the packages by folder.
func (g *golang) sortedPackages() []*goPackage {
	packages := make([]*goPackage, 0, len(g.packages))
	for _, p := range g.packages {
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b *goPackage) int { return strings.Compare(a.dir, b.dir) })
	return packages
}

// line is where a node starts.
func (g *golang) line(node ast.Node) int { return g.fileSet.Position(node.Pos()).Line }

// isCommand reports whether the package is a main package.
func (p *goPackage) isCommand() bool {
	return slices.ContainsFunc(p.files, func(f *goFile) bool {
		return !f.isTest && f.syntax.Name.Name == "main"
	})
}

// symbols returns what the package declares outside of tests: functions, types,
// constants and variables by name, methods as "Type.Name" and as "Name".
func (p *goPackage) symbols() map[string]bool {
	names := map[string]bool{}
	for _, f := range p.files {
		if f.isTest {
			continue
		}
		for _, decl := range f.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				names[decl.Name.Name] = true
				if receiver := receiverName(decl); receiver != "" {
					names[receiver+"."+decl.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					for _, name := range specNames(spec) {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// specNames returns the identifiers that a spec declares; imports declare none.
func specNames(spec ast.Spec) []*ast.Ident {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{spec.Name}
	case *ast.ValueSpec:
		return spec.Names
	}
	return nil
}

// receiverName is the receiver's type without pointer and type parameters.
func receiverName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return ""
	}
	expr := decl.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// constant is one constant of a package.
type constant struct {
	name string
	// typeName is the declared type, carried over the lines of an iota block; empty
	// for an untyped constant.
	typeName string
	// text is the value of a constant that is a string literal.
	text string
	path string
	line int
}

// constants returns the package's constants outside of tests, in the order of the
// text.
func (g *golang) constants(p *goPackage) []constant {
	var found []constant
	for _, f := range p.files {
		for _, decl := range f.syntax.Decls {
			block, ok := decl.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST || f.isTest {
				continue
			}
			typeName := ""
			for _, spec := range block.Specs {
				value := spec.(*ast.ValueSpec)
				if value.Type != nil || len(value.Values) > 0 {
					typeName = identName(value.Type)
				}
				for i, name := range value.Names {
					c := constant{
						name: name.Name, typeName: typeName, path: f.Path, line: g.line(name),
					}
					if i < len(value.Values) {
						c.text = stringLiteral(value.Values[i])
					}
					found = append(found, c)
				}
			}
		}
	}
	return found
}

func identName(expr ast.Expr) string {
	if ident, ok := expr.(*ast.Ident); ok {
		return ident.Name
	}
	return ""
}

func stringLiteral(expr ast.Expr) string {
	if literal, ok := expr.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		if text, err := strconv.Unquote(literal.Value); err == nil {
			return text
		}
	}
	return ""
}
