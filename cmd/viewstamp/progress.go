package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/model/check"
)

// progress is a bar on a terminal, or nothing: all its methods then do nothing.
type progress struct {
	to  io.Writer
	bar *progressbar.ProgressBar
}

// newProgress returns a bar if the writer is a terminal.
func newProgress(to io.Writer) *progress {
	file, ok := to.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &progress{to: to}
}

// show says how far the work has come: done of total, -1 if that is not known. The bar
// also tells how long the rest may take.
func (p *progress) show(what string, done, total int) {
	if p == nil {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.to),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24),
			progressbar.OptionShowCount(), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionSetPredictTime(true))
	}
	p.bar.Describe(what)
	if total > 0 {
		if p.bar.GetMax() != total {
			p.bar.ChangeMax(total)
		}
		_ = p.bar.Set(min(done, total-1)) // A bar that cannot be drawn is not worth an error.
		return
	}
	_ = p.bar.Add(0)
}

// jobs is for verify.Observer.Begun. A single job tells by itself how far it is.
func (p *progress) jobs(name string, done, total int) {
	if total > 1 {
		p.show(name, done, total)
	}
}

// clear takes the bar away, so that a line can be printed. The next show draws it again.
func (p *progress) clear() {
	if p == nil || p.bar == nil {
		return
	}
	_ = p.bar.Clear()
}

// states is for check.Options.Progress. The total is the manifest's, or an estimate.
func (p *progress) states(at check.Progress) {
	what := fmt.Sprintf("%s: depth %d, %d states waiting", at.Cfg, at.Depth, at.Queue)
	if at.Estimate > 0 {
		p.show(what, at.Distinct, max(at.Estimate, at.Distinct+at.Queue))
		return
	}
	p.show(fmt.Sprintf("%s, %d states", what, at.Distinct), 0, -1)
}

// swarm is for runs of many seeds.
func (p *progress) swarm(at seeds.Progress) {
	p.show(fmt.Sprintf("%d failed", at.Failed), int(at.Done), int(at.Total))
}
