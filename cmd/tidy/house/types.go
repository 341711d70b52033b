package house

import (
	"go/ast"
	"go/types"
	"path"
	"regexp"
	"strings"
)

// typeWorld resolves the types of this module's packages from their source. Packages
// from elsewhere are empty: what comes out of them has no type here, and an
// expression without a type is nobody's finding.
type typeWorld struct {
	tree     *Tree
	packages map[string]*types.Package
	infos    map[string]*types.Info
}

func newTypeWorld(t *Tree) *typeWorld {
	return &typeWorld{
		tree: t, packages: map[string]*types.Package{}, infos: map[string]*types.Info{},
	}
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// Import is [types.Importer].
func (w *typeWorld) Import(imported string) (*types.Package, error) {
	if known := w.packages[imported]; known != nil {
		return known, nil
	}
	if within(imported, w.tree.Module) {
		dir := path.Join(".", strings.TrimPrefix(strings.TrimPrefix(imported, w.tree.Module), "/"))
		if p := w.tree.golang.packages[dir]; p != nil {
			w.check(p)
			return w.packages[imported], nil
		}
	}
	name := path.Base(imported)
	if majorVersion.MatchString(name) {
		name = path.Base(path.Dir(imported))
	}
	outside := types.NewPackage(imported, name)
	outside.MarkComplete()
	w.packages[imported] = outside
	return outside, nil
}

// check resolves a package outside of its tests. Errors are expected, since nothing
// outside of the module is known: they are dropped, whatever remains typed is used.
func (w *typeWorld) check(p *goPackage) *types.Info {
	if info := w.infos[p.dir]; info != nil {
		return info
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	w.infos[p.dir] = info // An import cycle, which the compiler refuses, ends here.
	name := path.Join(w.tree.Module, p.dir)
	w.packages[name] = types.NewPackage(name, path.Base(name))
	var sources []*ast.File
	for _, f := range p.files {
		if !f.isTest {
			sources = append(sources, f.syntax)
		}
	}
	config := types.Config{Importer: w, FakeImportC: true, Error: func(error) {}}
	checked, _ := config.Check(name, w.tree.golang.fileSet, sources, info)
	w.packages[name] = checked
	return info
}
