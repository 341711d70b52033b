package explore

// Degrees tells how many successors the expanded states have, self loops and duplicates
// included: the out-degree of the state graph, before equal edges are taken for one.
type Degrees struct {
	Min, Max int
	Mean     float64
	// Percentile95 is the smallest number that at least 95 of 100 states do not exceed.
	Percentile95 int
	// Final is the number of states without successors.
	Final int
}

// count notes a state with n successors.
func (w *worker[S, A]) count(n int) {
	for len(w.degrees) <= n {
		w.degrees = append(w.degrees, 0)
	}
	w.degrees[n]++
}

// degrees sums up what the workers counted.
func (s *search[S, A]) degrees() Degrees {
	var all []int
	for _, w := range s.workers {
		for n, states := range w.degrees {
			if len(all) <= n {
				all = append(all, make([]int, n+1-len(all))...)
			}
			all[n] += states
		}
	}
	return degreesOf(all)
}

func degreesOf(all []int) Degrees {
	var d Degrees
	states, successors := 0, 0
	for n, count := range all {
		if count == 0 {
			continue
		}
		if states == 0 {
			d.Min = n
		}
		d.Max = n
		states += count
		successors += n * count
	}
	if states == 0 {
		return d
	}
	d.Mean = float64(successors) / float64(states)
	d.Final = all[0]
	below := 0
	for n, count := range all {
		if below += count; 100*below >= 95*states {
			d.Percentile95 = n
			break
		}
	}
	return d
}
