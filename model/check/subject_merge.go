package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/merge"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// mergeSubject is the subject of a cfg of module Merge.
func mergeSubject(cfg spec.Cfg) (subject, error) {
	config, err := MergeConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[merge.State, merge.Action]{model: merge.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[merge.State, merge.Action]) {}
	for _, call := range merge.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// MergeConfig returns the constants of a cfg of module Merge as the Go model takes them.
func MergeConfig(cfg spec.Cfg) (merge.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := merge.Config{
		N: r.number("N"), MaxOp: r.number("MaxOp"), MaxView: r.number("MaxView"),
		MaxRequest: r.number("MaxRequest"), MaxRot: r.number("MaxRot"),
		MaxRestart: r.number("MaxRestart"), MaxPower: r.number("MaxPower"),
		MaxLoss: r.number("MaxLoss"), MaxWipe: r.number("MaxWipe"),
		Together: r.truth("Together"), OneSlot: r.truth("OneSlot"),
		CommitKept: r.truth("CommitKept"), SpareCopy: r.truth("SpareCopy"),
		Bases: r.truth("Bases"),
	}
	policy := r.text("Policy")
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, merge.Bug(bug))
	}
	if r.err == nil {
		config.Policy, r.err = merge.ParsePolicy(policy)
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return merge.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
