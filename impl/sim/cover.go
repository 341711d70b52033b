package sim

// Cover returns what one run has seen. The tables of several runs have equal rows, whose counts
// can be added up.
func Cover(r *Result) Coverage {
	c := newCoverage()
	c.add(r)
	return c
}
