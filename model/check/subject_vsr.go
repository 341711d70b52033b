package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/atomic"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
)

// HasTraces reports whether the behaviours of a cfg's module can be written as traces:
// those of VSR, whatever is checked of them.
func HasTraces(cfg spec.Cfg) bool { return cfg.Module == "VSR" || cfg.Module == "Refinement" }

// vsrSubject is the subject of a cfg of module VSR, or of module Refinement, which is VSR
// with one property more.
func vsrSubject(cfg spec.Cfg) (subject, error) {
	config, err := VSRConfig(cfg)
	if err != nil {
		return nil, err
	}
	model := vsr.Model(config)
	s := &typed[vsr.State, vsr.Action]{
		model: model,
		liveness: liveness[vsr.State, vsr.Action]{
			fairness: vsr.Fairness(config), properties: vsr.Liveness(config),
		},
	}
	if cfg.Module == "Refinement" {
		if config.N != atomic.N {
			return nil, fmt.Errorf("cfg %s: constant N is %d, expected %d: module "+
				"AtomicViewChange has no other group", cfg.Name, config.N, atomic.N)
		}
		s.refinement = refinementOf(Refines, model, atomic.Model(atomic.Abstract(config)),
			func(state vsr.State) atomic.State { return atomic.Image(config, state) })
	}
	s.keep = func(c *Counterexample, path []explore.Step[vsr.State, vsr.Action]) {
		c.VSR, c.VSRConfig = path, config
	}
	for _, call := range vsr.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// atomicSubject is the subject of a cfg of module AtomicViewChange.
func atomicSubject(cfg spec.Cfg) (subject, error) {
	r := reader{constants: cfg.Config.Constants}
	config := atomic.Config{
		MaxRequest: r.number("MaxRequest"), MaxView: r.number("MaxView"),
		LazyLogView: r.truth("LazyLogView"),
	}
	if n := r.number("N"); r.err == nil && n != atomic.N {
		r.err = fmt.Errorf("constant N is %d, expected %d: the Go model has no other group",
			n, atomic.N)
	}
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, atomic.Bug(bug))
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return nil, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	s := &typed[atomic.State, atomic.Action]{model: atomic.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[atomic.State, atomic.Action]) {}
	for _, call := range atomic.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}
