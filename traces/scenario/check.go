package scenario

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// check prints "ok" and what was checked, or one line for each thing that is not so.
func (s *stage) check(c command) error {
	if len(c.args) == 0 {
		return fmt.Errorf("check: expected caught_up, head=N, view=N, answered=N, no_second_vote")
	}
	var failed, checked []string
	for _, a := range c.args {
		want, err := c.number(a.key, 0)
		if a.value != "" && err != nil {
			return err
		}
		wrong, err := s.checkOne(a.key, want)
		if err != nil {
			return err
		}
		failed = append(failed, wrong...)
		checked = append(checked, a.key)
	}
	if len(failed) == 0 {
		s.print("ok: %s", strings.Join(checked, ", "))
	}
	for _, f := range failed {
		s.print("FAILED: %s", f)
	}
	return nil
}

func (s *stage) checkOne(key string, want int) ([]string, error) {
	var failed []string
	switch key {
	case "caught_up":
		return s.behind(), nil
	case "answered":
		if len(s.answered) != want {
			failed = append(failed, fmt.Sprintf("%d requests of %d answered, expected %d",
				len(s.answered), s.requests, want))
		}
	case "no_second_vote":
		for _, second := range s.second {
			failed = append(failed, "a second vote of "+second)
		}
	case "head", "view":
		for r := range s.cluster.Replicas() {
			if !s.cluster.Up(r) {
				continue
			}
			got := int(s.cluster.State(r).OpHead)
			if key == "view" {
				got = int(s.cluster.State(r).View)
			}
			if got != want {
				failed = append(failed, fmt.Sprintf("r%d has %s %d, expected %d", r, key, got, want))
			}
		}
	default:
		return nil, fmt.Errorf("check %s: expected caught_up, head=N, view=N, answered=N or "+
			"no_second_vote", key)
	}
	return failed, nil
}

// behind names the running replicas that have not executed the whole log of the primary.
func (s *stage) behind() []string {
	p := s.primary()
	if p < 0 {
		return []string{"no replica is a primary"}
	}
	primary := s.cluster.State(p)
	var out []string
	for r := range s.cluster.Replicas() {
		if !s.cluster.Up(r) {
			continue
		}
		state := s.cluster.State(r)
		if state.Status != vsr.StatusNormal || state.View != primary.View {
			out = append(out, fmt.Sprintf("r%d is in status %s of view %d", r, state.Status,
				state.View))
		} else if state.CommitMin != primary.OpHead {
			out = append(out, fmt.Sprintf("r%d stalls at commit %d/%d of head %d (%s)", r,
				state.CommitMin, state.CommitMax, primary.OpHead, state.Stop))
		}
	}
	return out
}
