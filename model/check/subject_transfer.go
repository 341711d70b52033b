package check

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/model/transfer"
	"github.com/viewstamp/viewstamp/spec"
)

// transferSubject returns the Go model of a cfg of module Transfer.
func transferSubject(cfg spec.Cfg) (subject, error) {
	config, err := TransferConfig(cfg)
	if err != nil {
		return nil, err
	}
	s := &typed[transfer.State, transfer.Action]{model: transfer.Model(config)}
	// Its behaviours have no trace format: the text is all there is to keep.
	s.keep = func(*Counterexample, []explore.Step[transfer.State, transfer.Action]) {}
	for _, call := range transfer.ActionCalls(config) {
		s.actions = append(s.actions, tlc.WrappedAction(call))
	}
	return s, s.restrict(cfg)
}

// TransferConfig returns the constants of a cfg of module Transfer as the Go model
// takes them.
func TransferConfig(cfg spec.Cfg) (transfer.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := transfer.Config{
		N: r.number("N"), MaxRequest: r.number("MaxRequest"), MaxView: r.number("MaxView"),
		MaxCrash: r.number("MaxCrash"), MaxCheckpoint: r.number("MaxCheckpoint"),
		MaxPipeline: r.number("MaxPipeline"), MaxSuffix: r.number("MaxSuffix"),
		MaxWindow: r.number("MaxWindow"), Chunks: r.number("Chunks"),
		PrepareDuring: r.truth("PrepareDuring"), Retain: r.truth("Retain"),
		LateStartViews: r.truth("LateStartViews"), WrongSender: r.truth("WrongSender"),
	}
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, transfer.Bug(bug))
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return transfer.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}
