package transfer_test

import (
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/transfer"
)

// subgraph counts the states of a model and its edges of the kinds that are taken, and
// tells whether no cycle consists of these. It takes away states without an incoming
// edge until there is none; what is left then lies on cycles or behind them.
func subgraph(m model, taken func(transfer.ActionKind) bool) (states, edges int, acyclic bool) {
	number := map[string]int{}
	id := func(s state) int {
		key := string(m.Key(nil, s))
		if _, ok := number[key]; !ok {
			number[key] = len(number)
		}
		return number[key]
	}
	successors := map[int][]int{}
	incoming := map[int]int{}
	exploretest.Each(m, func(s state) {
		from := id(s)
		m.Next(s, func(a action, next state) {
			if taken(a.Kind) {
				to := id(next)
				successors[from] = append(successors[from], to)
				incoming[to]++
				edges++
			}
		})
	})
	var free []int
	for i := range len(number) {
		if incoming[i] == 0 {
			free = append(free, i)
		}
	}
	left := len(number)
	for len(free) > 0 {
		from := free[len(free)-1]
		free = free[:len(free)-1]
		left--
		for _, to := range successors[from] {
			if incoming[to]--; incoming[to] == 0 {
				free = append(free, to)
			}
		}
	}
	return len(number), edges, left == 0
}
