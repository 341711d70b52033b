package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// Toolbox is TLC, or the reason why there is none.
type Toolbox struct {
	tools  *tlc.Tools
	status Status // Of a check that needs TLC, where there is none.
	reason string
}

// FindTLC looks for Java and TLC's jar, and fetches the jar on the first use. Where
// they are missing, checks that need them are skipped, or failed if the environment
// demands TLC ([tlc.EnvRequire]). A jar that is not the pinned one fails them.
func FindTLC(ctx context.Context) Toolbox {
	tools, err := tlc.Locate(ctx)
	var unavailable *tlc.Unavailable
	switch {
	case err == nil:
		return Toolbox{tools: tools}
	case !errors.As(err, &unavailable):
		return Toolbox{status: Failed, reason: OneLine(err.Error())}
	case tlc.Required():
		return Toolbox{status: Failed, reason: OneLine(fmt.Sprintf("%s=1 demands TLC: %s",
			tlc.EnvRequire, unavailable.Reason))}
	}
	return Toolbox{status: Skipped, reason: OneLine(unavailable.Reason)}
}

// NoTLC is a toolbox without TLC, for runs that do not want it.
func NoTLC(reason string) Toolbox { return Toolbox{status: Skipped, reason: reason} }

// String says in one line what runs, or why nothing does.
func (t Toolbox) String() string {
	if t.tools == nil {
		return "none: " + t.reason
	}
	return t.tools.String()
}

// without is the check that would need TLC where there is none.
func (t Toolbox) without(name string, cfg spec.Cfg) Check {
	return Check{
		Name: name, Engine: EngineTLC, Status: t.status, Reason: t.reason, Figures: Figures{},
		Reproduce: reproduceCfg(cfg, EngineTLC),
	}
}

// reproduceCfg is the command that checks one cfg with an engine.
func reproduceCfg(cfg spec.Cfg, engine string) string {
	return fmt.Sprintf("viewstamp check --cfg %s --engine %s", cfg.Name, engine)
}
