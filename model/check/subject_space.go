package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/logspace"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// spaceSubject is the subject of a cfg of module LogSpace.
func spaceSubject(cfg spec.Cfg) (subject, error) {
	config, err := LogSpaceConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[logspace.State, logspace.Action]{
		model: logspace.Model(config),
		// Where no op commits yet, state records alone may go round in the log.
		liveness: liveness[logspace.State, logspace.Action]{
			fairness: logspace.Fairness(config), properties: logspace.Progress(config), rounds: true,
		},
	}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[logspace.State, logspace.Action]) {}
	for _, call := range logspace.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// LogSpaceConfig returns the constants of a cfg of module LogSpace as the Go model takes them.
func LogSpaceConfig(cfg spec.Cfg) (logspace.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := logspace.Config{
		Groups: r.number("Groups"), MaxOp: r.number("MaxOp"), OtherOp: r.number("OtherOp"),
		Removal: r.number("Removal"), Room: r.number("Room"), Files: r.number("Files"),
		Every: r.number("Every"), Half: r.number("Half"), Queue: r.number("Queue"),
		MaxFail: r.number("MaxFail"),
	}
	for _, name := range r.bugs() {
		bug, err := logspace.ParseBug(name)
		if r.err == nil {
			r.err = err
		}
		config.Bugs = append(config.Bugs, bug)
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return logspace.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
