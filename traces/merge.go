package traces

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Merge makes one trace of what the processes of a cluster have recorded, one each: its events
// are in the order of their times. That is the order in which things happened only where the
// recorders had one clock, as processes of one machine have.
//
// Errors: traces that do not belong together, or that do not begin at the beginning, or events
// without a time.
func Merge(recorded ...*Trace) (*Trace, error) {
	if len(recorded) == 0 {
		return nil, errors.New("merge traces: none, expected at least one")
	}
	first := recorded[0].Header
	merged := &Trace{Header: first}
	merged.Header.Order = ""
	for _, t := range recorded {
		switch h := t.Header; {
		case h.Replicas != first.Replicas || h.Quorum != first.Quorum || h.Source != first.Source:
			return nil, fmt.Errorf("merge trace %s: it is of %q, %d replicas, expected %q, %d",
				t.Path, h.Source, h.Replicas, first.Source, first.Replicas)
		case h.Continues > 0:
			return nil, fmt.Errorf("merge trace %s: it begins after %d events or more, "+
				"expected the beginning", t.Path, h.Continues)
		}
		for i := range t.Events {
			if t.Events[i].At == 0 {
				return nil, fmt.Errorf("merge trace %s: event %d has no time, expected at", t.Path, i+1)
			}
		}
		merged.Events = append(merged.Events, t.Events...)
	}
	slices.SortStableFunc(merged.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	for i := range merged.Events {
		merged.Events[i].Step = i + 1
	}
	return merged, nil
}
