package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/reads"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// readsSubject is the subject of a cfg of module Reads.
func readsSubject(cfg spec.Cfg) (subject, error) {
	config, err := ReadsConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[reads.State, reads.Action]{model: reads.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[reads.State, reads.Action]) {}
	for _, call := range reads.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// ReadsConfig returns the constants of a cfg of module Reads as the Go model takes them.
func ReadsConfig(cfg spec.Cfg) (reads.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := reads.Config{
		N: r.number("N"), MaxOp: r.number("MaxOp"), MaxView: r.number("MaxView"),
		MaxRead: r.number("MaxRead"), MaxTick: r.number("MaxTick"), Local: r.truth("Local"),
		Asking: r.truth("Asking"),
	}
	for _, name := range r.bugs() {
		bug, err := reads.ParseBug(name)
		if r.err == nil {
			r.err = err
		}
		config.Bugs = append(config.Bugs, bug)
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return reads.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
