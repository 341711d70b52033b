package spec

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed *.tla cfg/*.cfg manifest.json golden/*.json
var embedded embed.FS

// moduleSuffix ends the name of a module file.
const moduleSuffix = ".tla"

// Files returns every embedded file by its slash-separated path in spec/:
// "VSR.tla", "cfg/ci-110.cfg", "manifest.json", "golden/ci-110.json". The caller
// owns the map and its bytes.
func Files() map[string][]byte {
	files, err := filesOf(embedded)
	if err != nil {
		panic(fmt.Sprintf("spec: embedded files: %v", err)) // Part of the binary: cannot fail.
	}
	return files
}

// filesOf returns every file of a folder, by its path there.
func filesOf(folder fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		files[name] = text
		return err
	})
	return files, err
}

// Modules returns the names of all modules, without ".tla", sorted.
func Modules() []string {
	var names []string
	for name := range Files() {
		if module, ok := strings.CutSuffix(name, moduleSuffix); ok {
			names = append(names, module)
		}
	}
	slices.Sort(names)
	return names
}

// ModuleFiles returns the files that a model checker needs for module, by file
// name: its own and, of all modules that it extends or instantiates, directly or not,
// those of this folder. Standard modules come with the model checker. The error names the modules
// that exist.
func ModuleFiles(module string) (map[string][]byte, error) {
	return moduleFiles(Files(), module)
}

func moduleFiles(all map[string][]byte, module string) (map[string][]byte, error) {
	if _, ok := all[module+moduleSuffix]; !ok {
		return nil, fmt.Errorf("module %q: no such module, expected %s",
			module, strings.Join(Modules(), ", "))
	}
	files := map[string][]byte{}
	for pending := []string{module}; len(pending) > 0; pending = pending[1:] {
		name := pending[0] + moduleSuffix
		text, ours := all[name]
		if _, seen := files[name]; seen || !ours {
			continue
		}
		files[name] = text
		pending = append(append(pending, extends(text)...), instances(text)...)
	}
	return files, nil
}

// SHA256 returns the hash, in hex, of the module's text and of all modules that it
// extends or instantiates (the form is in the package comment); empty if there is no such module.
// The header "spec" of a trace holds SHA256("VSR").
func SHA256(module string) string { return sha256In(Files(), module) }

func sha256In(all map[string][]byte, module string) string {
	files, err := moduleFiles(all, module)
	if err != nil {
		return ""
	}
	return hashFiles(files)
}

func hashFiles(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	whole := sha256.New()
	for _, name := range names {
		sum := sha256.Sum256(files[name])
		fmt.Fprintf(whole, "%x  %s\n", sum, name)
	}
	return hex.EncodeToString(whole.Sum(nil))
}

// configFile is the path of a cfg's file, goldenFile of its golden file.
func configFile(cfg string) string { return path.Join("cfg", cfg+".cfg") }
func goldenFile(cfg string) string { return path.Join("golden", cfg+".json") }
