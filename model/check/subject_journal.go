package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// journalSubject returns the Go model of a cfg of module Journal.
func journalSubject(cfg spec.Cfg) (subject, error) {
	config, err := JournalConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[storage.JournalState, storage.JournalAction]{model: storage.Journal(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[storage.JournalState, storage.JournalAction]) {}
	for _, call := range storage.JournalActions(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// JournalConfig returns the constants of a cfg of module Journal as the Go model
// takes them.
func JournalConfig(cfg spec.Cfg) (storage.JournalConfig, error) {
	r := reader{constants: cfg.Config.Constants}
	config := storage.JournalConfig{
		MaxOp: r.number("MaxOp"), MaxView: r.number("MaxView"),
		MaxBatch: r.number("MaxBatch"), Slots: r.number("Slots"),
		MaxAhead: r.number("MaxAhead"), MaxRecords: r.number("MaxRecords"),
		MaxCrash: r.number("MaxCrash"), MaxRot: r.number("MaxRot"),
		MaxDamage: r.number("MaxDamage"), OtherGroups: r.truth("OtherGroups"),
		Checkpoints: r.truth("Checkpoints"), Misdirects: r.truth("Misdirects"),
		Twin: r.truth("Twin"), Mirror: r.truth("Mirror"),
	}
	policy := r.text("Policy")
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, storage.Bug(bug))
	}
	if r.err == nil {
		config.Policy, r.err = storage.ParsePolicy(policy)
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return storage.JournalConfig{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
