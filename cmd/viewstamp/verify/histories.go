package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	lin "github.com/viewstamp/viewstamp/linearizability"
)

// historyStepsMax bounds the search of one generated history, so that its verdict is
// the same on every machine.
const historyStepsMax = 5_000_000

// plantShare: every so manieth generated history has a planted violation.
const plantShare = 4

// GeneratedHistories is the job that checks histories whose verdict is known because
// they were made so: of both models, of many sizes, every fourth with a violation.
func GeneratedHistories(count uint64) Job {
	job := Job{
		Name: "lin/generated", Engine: EngineLin, Reproduce: "viewstamp verify",
	}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		planted := plantedKinds()
		for seed := uint64(1); seed <= count && ctx.Err() == nil; seed++ {
			plant := lin.PlantNone
			if seed%plantShare == 0 {
				plant = planted[seed/plantShare%uint64(len(planted))]
				c.Figures["planted"]++
			}
			checkGenerated(ctx, &c, generatedOptions(seed, plant))
		}
		if c.Status == "" {
			c.failVacuous("histories")
		}
		return []Check{interrupted(ctx, c, ctx.Err())}
	}
	return job
}

// modelOperations is the size of a history of each model: what a search bears of the models
// whose steps cost most, and what fits a witness that is worth reading.
const modelOperations = 40

// ModelHistories is the job that checks small histories of every model, with nothing planted
// and with each violation that the generator can plant there: so many of each.
func ModelHistories(count uint64) Job {
	job := Job{Name: "lin/models", Engine: EngineLin, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		for _, model := range lin.Models() {
			for _, plant := range append([]lin.Plant{lin.PlantNone}, lin.PlantsOf(model)...) {
				for seed := uint64(1); seed <= count && ctx.Err() == nil; seed++ {
					if plant != lin.PlantNone {
						c.Figures["planted"]++
					}
					checkGenerated(ctx, &c, lin.GenerateOptions{
						Seed: seed, Model: model, Operations: modelOperations, Clients: 4, Keys: 2,
						UnknownShare: 0.02, Plant: plant,
					})
				}
			}
		}
		if c.Status == "" {
			c.failVacuous("histories")
		}
		return []Check{interrupted(ctx, c, ctx.Err())}
	}
	return job
}

func plantedKinds() []lin.Plant {
	var kinds []lin.Plant
	for _, plant := range lin.Plants() {
		if plant != lin.PlantNone {
			kinds = append(kinds, plant)
		}
	}
	return kinds
}

// generatedOptions gives each seed another size and shape. Few clients share the keys of
// the key-value model: each order of their appends is another state, so to refute a
// history takes exponential time in their number.
func generatedOptions(seed uint64, plant lin.Plant) lin.GenerateOptions {
	random := rand.New(rand.NewPCG(seed, 1))
	between := func(from, to int) int { return from + random.IntN(to-from+1) }
	o := lin.GenerateOptions{
		Seed: seed, Model: lin.Register, Operations: between(20, 640), Clients: between(2, 12),
		Keys: between(1, 4), UnknownShare: float64(between(0, 6)) / 100, Plant: plant,
	}
	if random.IntN(2) == 0 {
		o.Model, o.Clients = lin.KV, between(2, 4)
	}
	return o
}

// checkGenerated makes one history, checks it and adds it to c: c is passed as long as
// each verdict is the one that was built in.
func checkGenerated(ctx context.Context, c *Check, o lin.GenerateOptions) {
	want := lin.Linearizable
	if o.Plant != lin.PlantNone {
		want = lin.Violation
	}
	h, err := lin.Generate(o)
	var report lin.Report
	if err == nil {
		report, err = lin.Check(ctx, h, lin.CheckOptions{
			Workers: 1, StepsMax: historyStepsMax, SkipWitness: true,
		})
	}
	switch {
	case c.Status == Failed || err == nil && ctx.Err() != nil:
		return
	case err != nil:
		c.fail("history of seed %d: %v", o.Seed, err)
		return
	case report.Verdict == lin.Undecided:
		c.Status = Undecided
		c.Reason = fmt.Sprintf("history of seed %d: %s", o.Seed, report.Summary())
	case report.Verdict != want:
		c.fail("history of seed %d with plant %s: verdict %v, expected %v",
			o.Seed, o.Plant, report.Verdict, want)
		return
	case c.Status == "":
		c.Status = Passed
	}
	c.Figures[FigureHistories]++
	c.Figures[FigureOperations] += float64(report.Operations)
}

// shippedLimit bounds the search of one shipped history.
const shippedLimit = 60 * time.Second

// PorcupineHistories is the job that checks the histories that ship with Porcupine,
// whose verdicts its own tests state. It is skipped where the module's files are not on
// this machine.
func PorcupineHistories() Job {
	job := Job{
		Name: "lin/porcupine", Engine: EngineLin, Reproduce: "viewstamp verify",
	}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		dir, found := lin.PorcupineTestData()
		if !found {
			c.Status = Skipped
			c.Reason = "the files of module github.com/anishathalye/porcupine are not here"
			return []Check{c}
		}
		results, err := lin.CheckPorcupineSuite(ctx, dir, shippedLimit)
		if err == nil && len(results) == 0 {
			c.failVacuous("histories")
			return []Check{c}
		}
		c.Status = Passed
		for _, r := range results {
			c.Figures[FigureHistories]++
			c.Figures[FigureOperations] += float64(r.Report.Operations)
			switch {
			case r.Passed() || c.Status == Failed:
			case r.Report.Verdict == lin.Undecided:
				c.Status, c.Reason = Undecided, r.File+": "+r.Report.Summary()
			default:
				c.fail("%s: verdict %v, expected %v", r.File, r.Report.Verdict, r.Expected)
			}
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// HistoryCheck is the check of one history from a file. The detail of a violation is
// its witness.
func HistoryCheck(file string, report lin.Report) Check {
	c := Check{
		Name: nameOf("lin", file), Engine: EngineLin, Status: Passed,
		Figures: Figures{
			FigureHistories: 1, FigureOperations: float64(report.Operations),
			"partitions": float64(len(report.Partitions)),
		},
	}
	switch report.Verdict {
	case lin.Linearizable:
	case lin.Violation:
		c.fail("%s", report.Summary())
		if report.Witness != nil {
			c.Detail = witnessText(report.Witness)
		}
	case lin.Undecided:
		c.Status, c.Reason = Undecided, OneLine(report.Summary())
	}
	return c
}

// HistoryInterrupted is the check of a history from a file that a signal ended.
func HistoryInterrupted(ctx context.Context, file, reproduce string) Check {
	return Interrupted(ctx, nameOf("lin", file), EngineLin, reproduce)
}

// witnessMax bounds the operations of a witness that are printed.
const witnessMax = 200

func witnessText(w *lin.Witness) string {
	var b strings.Builder
	size := "a part of the history that is a violation by itself"
	if w.Minimal {
		size = "the smallest part of the history that is a violation by itself"
	}
	if w.Base > 0 {
		size += fmt.Sprintf(", whatever the log holds below offset %d", w.Base)
	}
	fmt.Fprintf(&b, "%s, of key %q:\n", size, w.Key)
	for i, o := range w.Operations {
		if i == witnessMax {
			fmt.Fprintf(&b, "  and %d more\n", len(w.Operations)-i)
			break
		}
		until := fmt.Sprint(o.Return)
		if o.Open {
			until = "..."
		}
		fmt.Fprintf(&b, "  [%d, %s]  client %d, id %d: %s\n", o.Call, until, o.Client, o.ID, o)
	}
	return b.String()
}
