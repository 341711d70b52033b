package nodes_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
)

func TestTry(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("TRY"))
	ticks, _ := strconv.Atoi(os.Getenv("TICKS"))
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	var d replica.Defects
	if name := os.Getenv("DEFECT"); name != "" {
		d, _ = replica.ParseDefect(name)
	}
	failed := 0
	inj := map[string]int{}
	var ops, com, crash, und int
	for seed := from; seed < from+n; seed++ {
		r, err := nodes.Run(nodes.Options{Seed: uint64(seed), Ticks: ticks, Defects: d})
		if err != nil {
			t.Fatal(err)
		}
		ops += r.Operations; com += r.Committed; crash += r.Crashes
		if r.Undecided != "" { und++ }
		for k, v := range r.Injected { inj["I "+k] += v }
		for k, v := range r.Delivered { inj["D "+k] += v }
		for k, v := range r.Refused { inj["R "+k] += v }
		for k, v := range r.Answers { inj["A "+k] += v }
		if !r.Passed {
			failed++
			if failed < 12 { fmt.Println(r, r.Features) }
		}
	}
	fmt.Println("failed", failed, "of", n, "ops", ops, "committed", com, "crashes", crash, "undecided", und)
	fmt.Println(inj)
}
