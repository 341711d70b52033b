package check

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/retention"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// retentionSubject is the subject of a cfg of module Retention.
func retentionSubject(cfg spec.Cfg) (subject, error) {
	config, err := RetentionConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[retention.State, retention.Action]{model: retention.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[retention.State, retention.Action]) {}
	for _, call := range retention.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// RetentionConfig returns the constants of a cfg of module Retention as the Go model takes
// them.
func RetentionConfig(cfg spec.Cfg) (retention.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := retention.Config{
		N: r.number("N"), Segment: r.number("Segment"), Age: r.number("Age"),
		Size: r.number("Size"), Hold: r.truth("Hold"), Consumers: r.number("Consumers"),
		MaxOp: r.number("MaxOp"), MaxPurge: r.number("MaxPurge"),
		MaxRestart: r.number("MaxRestart"), Polls: r.truth("Polls"),
	}
	for _, name := range read(&r, "Kinds", r.constants.Set) {
		kind, err := retention.ParseKind(name)
		if r.err == nil {
			r.err = err
		}
		config.Kinds = append(config.Kinds, kind)
	}
	slices.Sort(config.Kinds)
	for _, name := range r.bugs() {
		bug, err := retention.ParseBug(name)
		if r.err == nil {
			r.err = err
		}
		config.Bugs = append(config.Bugs, bug)
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return retention.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
