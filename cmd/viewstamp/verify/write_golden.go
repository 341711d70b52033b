package verify

import (
	"context"
	"strings"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
)

// WriteGolden writes the golden files of all golden cfgs, or of the one that is named,
// into a folder: each only if TLC's graph and the Go model's are equal. The first one
// that is not ends it with a failed check.
func WriteGolden(ctx context.Context, toolbox Toolbox, folder, cfg string) []Check {
	reproduce := "viewstamp check --write-golden " + folder
	if toolbox.tools == nil {
		return []Check{{
			Name: "golden/write", Engine: EngineTLC, Status: toolbox.status, Reason: toolbox.reason,
			Figures: Figures{}, Reproduce: reproduce,
		}}
	}
	var cfgs []spec.Cfg
	if cfg != "" {
		found, err := spec.Lookup(cfg)
		if err != nil {
			return []Check{Errored("golden/write", EngineTLC, reproduce, err)}
		}
		cfgs = append(cfgs, found)
	}
	outcomes, err := check.WriteGolden(ctx, toolbox.tools, folder, cfgs...)
	var checks []Check
	for _, o := range outcomes {
		c := FromOutcome(o.Outcome)
		c.Name = strings.Replace(c.Name, "graph/", "graphs/", 1)
		checks = append(checks, c)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		checks = append(checks, interrupted(ctx, Check{
			Name: "golden/write", Engine: EngineTLC, Reproduce: reproduce, Figures: Figures{},
		}, err))
	case err != nil:
		checks = append(checks, Errored("golden/write", EngineTLC, reproduce, err))
	}
	return checks
}
