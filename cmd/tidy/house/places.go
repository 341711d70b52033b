package house

import (
	"path"
	"regexp"
	"strings"
)

var (
	machinePath = regexp.MustCompile(`(?:^|[^\w./~-])(/(?:work|root)/)`)
	// A package is named, not the host that serves it: which one does is a setting of
	// the machine.
	registryHost = regexp.MustCompile(
		`https?://[\w.-]*\b(?:proxy|registry|repo\d*|mirrors?|artifactory|nexus)\.[\w.-]+` +
			`|\bproxy\.golang\.org|\bsum\.golang\.org|\brepo1?\.maven\.`)
)

// placeExtensions are the files that are read; of files without one, those in
// placeNames.
var (
	placeExtensions = map[string]bool{
		".md": true, ".go": true, ".tla": true, ".cfg": true, ".json": true, ".yml": true,
		".yaml": true, ".toml": true, ".mod": true, ".sh": true, ".txt": true,
	}
	placeNames = map[string]bool{"Makefile": true, ".ci/run": true, ".gitignore": true}
)

// checkPlaces reads documents, configuration, and Go outside of tests, comments
// included. Input of tests may come from anywhere.
func checkPlaces(t *Tree, report report) {
	for _, f := range t.Files {
		if !placeExtensions[path.Ext(f.Path)] && !placeNames[f.Path] ||
			strings.HasSuffix(f.Path, "_test.go") || f.inTestdata() {
			continue
		}
		for i, line := range f.lines() {
			if match := machinePath.FindStringSubmatch(line); match != nil {
				report(f.Path, i+1, "names %s, a place on some machine, expected a relative path",
					match[1])
			}
			if host := registryHost.FindString(line); host != "" {
				report(f.Path, i+1, "names %s, expected the package's name alone", host)
			}
		}
	}
}
