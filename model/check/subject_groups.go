package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// groupsSubject returns the Go model of a cfg of module JournalGroups.
func groupsSubject(cfg spec.Cfg) (subject, error) {
	config, err := GroupsConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[storage.GroupsState, storage.GroupsAction]{model: storage.JournalGroups(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[storage.GroupsState, storage.GroupsAction]) {}
	for _, call := range storage.GroupsActions(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// GroupsConfig returns the constants of a cfg of module JournalGroups as the Go model
// takes them.
func GroupsConfig(cfg spec.Cfg) (storage.GroupsConfig, error) {
	r := reader{constants: cfg.Config.Constants}
	config := storage.GroupsConfig{
		Groups: r.number("Groups"), MaxOp: r.number("MaxOp"), MaxView: r.number("MaxView"),
		MaxBatch: r.number("MaxBatch"), Slots: r.number("Slots"),
		MaxCrash: r.number("MaxCrash"), MaxRot: r.number("MaxRot"),
	}
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, storage.Bug(bug))
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return storage.GroupsConfig{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
