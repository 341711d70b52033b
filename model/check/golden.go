package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// Golden compares the Go model's state graph of cfg with the embedded golden file,
// which TLC and the Go model agreed on when it was written. It needs no TLC.
// Options.Bug switches a mutant on in the Go model: then it must fail wherever the
// mutant shows.
//
// The outcome has Failed if the digests differ, with the counts that differ, and if
// the golden file is stale ([spec.ErrStale]) or cannot be read. Errors: an unknown
// bug, constants that the model refuses.
func Golden(ctx context.Context, cfg spec.Cfg, o Options) (Outcome, error) {
	golden, err := spec.ReadGolden(cfg)
	return compareGolden(ctx, cfg, golden, err, o)
}

// compareGolden is Golden with the golden file, or the reason why it is of no use.
func compareGolden(
	ctx context.Context, cfg spec.Cfg, golden spec.Golden, readErr error, o Options,
) (Outcome, error) {
	bugs, err := o.bugs(cfg)
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{
		Name: "golden/" + cfg.Name, Engine: EngineGo, Figures: map[string]float64{},
		Reproduce: reproduce(cfg, EngineGo, o.Bug),
	}
	if readErr != nil {
		outcome.Status, outcome.Reason = Failed, readErr.Error()
		return outcome, nil
	}
	graph, err := graphByGo(ctx, cfg, bugs, false)
	if ctx.Err() != nil {
		outcome.interrupt(ctx)
		return outcome, nil
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("compare cfg %s with its golden file: %w", cfg.Name, err)
	}
	found := identify(graph)
	outcome.count(FigureDistinct, found.States)
	outcome.count(FigureTransitions, found.Edges)
	outcome.Status = Passed
	if found.Digest != golden.Graph.Digest {
		outcome.Status = Failed
		outcome.Reason = "the Go model's state graph is not the golden one: " +
			graphDifference(found, golden.Graph, "golden")
		outcome.Detail = fmt.Sprintf("Go      %s\ngolden  %s\n", found.Digest, golden.Graph.Digest)
	}
	return outcome, nil
}

// ErrGraphsDiffer says that no golden file was written because TLC and the Go model
// do not have the same graph.
var ErrGraphsDiffer = errors.New("TLC and the Go model differ, nothing written")

// WriteGolden writes a golden file into dir for each golden cfg of the manifest, or
// for the given cfgs only, and returns the comparisons. Each file is written only if
// TLC's graph and the Go model's are equal; the first pair that is not ends the
// work with an error that wraps [ErrGraphsDiffer] and shows the difference. Files
// written until then stay.
//
// Errors beside: those of [Graphs], those of the disk, no tools, the end of the
// context.
func WriteGolden(
	ctx context.Context, tools *tlc.Tools, dir string, cfgs ...spec.Cfg,
) ([]GraphOutcome, error) {
	if tools == nil {
		return nil, errors.New("write golden files: no TLC, expected it")
	}
	if len(cfgs) == 0 {
		manifest, err := spec.Read()
		if err != nil {
			return nil, err
		}
		cfgs = manifest.GoldenCfgs()
	}
	var outcomes []GraphOutcome
	for _, cfg := range cfgs {
		outcome, err := Graphs(ctx, tools, cfg, Options{})
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, outcome)
		if outcome.Status == Undecided {
			return outcomes, fmt.Errorf("write golden file of %s: %s", cfg.Name, outcome.Reason)
		}
		if err := writeGolden(dir, cfg, outcome); err != nil {
			return outcomes, err
		}
	}
	return outcomes, nil
}

// writeGolden writes the file of one cfg, whole or not at all.
func writeGolden(dir string, cfg spec.Cfg, outcome GraphOutcome) (err error) {
	if !outcome.Equal {
		return fmt.Errorf("write golden file of %s: %w: %s\n%s",
			cfg.Name, ErrGraphsDiffer, outcome.Reason, outcome.Detail)
	}
	constants, err := cfg.Config.Constants.MarshalJSON()
	if err != nil {
		return fmt.Errorf("write golden file of %s: %w", cfg.Name, err)
	}
	golden := spec.Golden{
		Module: cfg.Module, SpecSHA256: spec.SHA256(cfg.Module), Constants: constants,
		Graph: outcome.TLC,
	}
	text, err := golden.Text()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, cfg.Name+".json")
	temporary := path + ".tmp"
	if err := os.WriteFile(temporary, text, 0o644); err != nil {
		return fmt.Errorf("write golden file of %s: %w", cfg.Name, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("write golden file of %s: %w", cfg.Name, err)
	}
	return nil
}
