package check

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// RatioMin is how many times TLC's distinct states per CPU second the Go model must
// reach at the same cfg.
const RatioMin = 10

// Keys of the figures of [Bench], beside FigureDistinct.
const (
	FigureGoPerCPUSecond  = "go_states_per_cpu_second"
	FigureTLCPerCPUSecond = "tlc_states_per_cpu_second"
	// FigureRatio is the first over the second.
	FigureRatio = "ratio"
	// FigureOverhead is the memory, in bytes, that the search of the Go model needs for
	// a state beyond the state itself.
	FigureOverhead = "overhead_bytes_per_state"
)

// Bench explores cfg with the Go model and then with TLC, o.Workers threads each, and
// compares distinct states per CPU second, user and system. TLC's CPU time is that of
// its process, so that a cfg must be large for the start of Java not to count. The
// outcome has Failed if one of the two does not find what the manifest says, or if the
// ratio is below [RatioMin].
//
// Nil tools mean that TLC is not available: the outcome is Skipped. Errors: those of [Go]
// and [TLC].
func Bench(ctx context.Context, tools *tlc.Tools, cfg spec.Cfg, o Options) (Outcome, error) {
	outcome := Outcome{
		Name: "bench/" + cfg.Name, Engine: EngineTLC, Figures: map[string]float64{},
		Reproduce: "viewstamp bench check --cfg " + cfg.Name,
	}
	if tools == nil {
		outcome.skip(o)
		return outcome, nil
	}
	byGo, err := Go(ctx, cfg, o)
	if err != nil {
		return Outcome{}, err
	}
	if byGo.Status != Passed {
		outcome.Status, outcome.Reason = byGo.Status, "Go model: "+byGo.Reason
		return outcome, nil
	}
	byTLC, err := TLC(ctx, tools, cfg, o)
	if err != nil {
		return Outcome{}, err
	}
	if byTLC.Status != Passed {
		outcome.Status, outcome.Reason = byTLC.Status, "TLC: "+byTLC.Reason
		return outcome, nil
	}
	outcome.Figures[FigureDistinct] = byGo.Figures[FigureDistinct]
	outcome.Figures[FigureOverhead] = byGo.overhead
	outcome.compareSpeed(byGo.Figures[FigureStatesPerCPUSecond],
		byTLC.Figures[FigureStatesPerCPUSecond])
	return outcome, nil
}

// compareSpeed judges the two figures.
func (o *Outcome) compareSpeed(byGo, byTLC float64) {
	o.Figures[FigureGoPerCPUSecond], o.Figures[FigureTLCPerCPUSecond] = byGo, byTLC
	if byGo <= 0 || byTLC <= 0 {
		o.Status = Undecided
		o.Reason = fmt.Sprintf("this system does not tell CPU times: %.0f and %.0f states per CPU "+
			"second, expected more than 0", byGo, byTLC)
		return
	}
	ratio := byGo / byTLC
	o.Figures[FigureRatio] = float64(int(ratio*10)) / 10
	o.Status = Passed
	if ratio < RatioMin {
		o.Status = Failed
		o.Reason = fmt.Sprintf("%.1f times TLC's distinct states per CPU second, expected at "+
			"least %d times", ratio, RatioMin)
	}
}
