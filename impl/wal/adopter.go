package wal

import "slices"

// adopting is how many batches the scan may be ahead of the adoption.
const adopting = 256

// adopter takes batches into index and report, one after the other, while the scan verifies the
// next ones: each is about half of what a recovery of small records has to compute.
type adopter struct {
	log    *Log
	report *Report
	files  int
	sized  bool
	queue  chan cell
	done   chan struct{}
}

// newAdopter begins to adopt batches of a log of so many files.
func newAdopter(l *Log, report *Report, files int) *adopter {
	a := &adopter{
		log: l, report: report, files: files,
		queue: make(chan cell, adopting), done: make(chan struct{}),
	}
	go func() {
		defer close(a.done)
		for c := range a.queue {
			a.adopt(c)
		}
	}()
	return a
}

// take hands over a batch. Of its content only state records are needed later.
func (a *adopter) take(c cell) {
	isState := func(x indexed) bool { return x.Kind == KindState }
	if slices.ContainsFunc(c.records, isState) {
		c.body = slices.Clone(c.body)
	} else {
		c.body = nil
	}
	a.queue <- c
}

// wait returns when all that was taken is adopted. Nothing may be taken after it.
func (a *adopter) wait() {
	close(a.queue)
	<-a.done
}

// adopt adopts a batch. The first one of the second file shows how many records there may be.
func (a *adopter) adopt(c cell) {
	if c.at.file > 0 && !a.sized {
		a.sized = true
		a.expect(a.log.records * a.files)
	}
	a.log.adopt(c, a.report)
}

// expect makes room for so many records at once.
func (a *adopter) expect(records int) {
	a.report.Records = slices.Grow(a.report.Records, records-len(a.report.Records))
}
