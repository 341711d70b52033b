package main

import (
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/spec"
)

// warnOfChanges says on stderr which modules are no longer those that the Go model was
// compared with, where the Go model is about to be explored: it passes all the same, since
// it has not changed. What compares graphs says so itself, and --json prints nothing else.
func (t *tool) warnOfChanges(f checkFlags, manifest *spec.Manifest) error {
	if f.json || f.golden || f.graphs || f.engine == verify.EngineTLC {
		return nil
	}
	changed, err := spec.ChangedSinceGolden(manifest.Select(func(c spec.Cfg) bool {
		return f.cfg == "" || f.names(c)
	}))
	if err != nil {
		return err
	}
	writeChanges(t.stderr, changed)
	return nil
}

func writeChanges(to io.Writer, changed []spec.Changed) {
	for _, c := range changed {
		fmt.Fprintf(to, "viewstamp: module %s changed since its golden files: the Go model is "+
			"checked, and may differ from it; 'viewstamp check --graphs --cfg %s' compares them, "+
			"'make golden' renews the files\n", c.Module, c.Golden[0])
	}
}
