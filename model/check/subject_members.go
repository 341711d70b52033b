package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/consumergroups"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// membersSubject is the subject of a cfg of module ConsumerGroups.
func membersSubject(cfg spec.Cfg) (subject, error) {
	config, err := MembersConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[consumergroups.State, consumergroups.Action]{model: consumergroups.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[consumergroups.State, consumergroups.Action]) {}
	for _, call := range consumergroups.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// MembersConfig returns the constants of a cfg of module ConsumerGroups as the Go model takes
// them.
func MembersConfig(cfg spec.Cfg) (consumergroups.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := consumergroups.Config{
		N: r.number("N"), Clients: r.number("Clients"), Capacity: r.number("Capacity"),
		Partitions: r.number("Partitions"), MaxPartitions: r.number("MaxPartitions"),
		MaxOp: r.number("MaxOp"), MaxRestart: r.number("MaxRestart"),
		Logouts: r.truth("Logouts"),
	}
	for _, name := range r.bugs() {
		bug, err := consumergroups.ParseBug(name)
		if r.err == nil {
			r.err = err
		}
		config.Bugs = append(config.Bugs, bug)
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return consumergroups.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
