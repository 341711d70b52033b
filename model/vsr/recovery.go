package vsr

// Restart from disk and the way back into a view: module Recovery of the spec; R1, R2,
// R4, R11. VRR 4.3 recovers a replica without a disk; this protocol restarts from its
// own log and asks the primary for the view's.

// Restart is Restart(r): r crashes and comes back with what was durable: view and log
// view, the headers, the bodies. Commit numbers are found out again. R2, R3.
func Restart(c *Config, s *State, r int, yield Yield) {
	if !restartGuard(c, s, r).ok() {
		return
	}
	t := *s
	t.restarts++
	t.status[r] = StatusRecovering
	n := s.contiguous(c, r)
	if c.LazyLogView || c.bug(HeadersVolatile) { // Rebuilt from the journal alone.
		t.headers[r] = s.headers[r].upTo(n)
		t.bodies[r] = s.bodies[r].upTo(n)
	}
	last := View(0)
	if e, found := s.headers[r].At(n); found {
		last = e.View
	}
	switch {
	case c.bug(VolatileView):
		t.view[r] = last
	case c.bug(SendFirst) && s.status[r] == StatusViewChange:
		t.view[r] = s.logView[r]
	}
	switch {
	case c.bug(VolatileView):
		t.logView[r] = last
	case c.LazyLogView:
		t.logView[r] = s.logViewDurable[r]
	}
	t.commitMin[r], t.commitMax[r] = 0, 0
	t.pipeline[r] = nil
	t.merged[r] = nil
	t.answers[r] = nil
	t.collectGarbage()
	yield(Action{Kind: ActionRestart, Replica: r}, t)
}

func restartGuard(c *Config, s *State, _ int) refusal {
	if int(s.restarts) >= c.MaxCrash {
		return refuse("there were %d restarts", "fewer than MaxCrash", s.restarts)
	}
	return enabled
}

// AnswerProbe is AnswerProbe(p, r): primary p answers the probe of recovering replica
// r with its log and commit number as they are now. The answer carries the probe's
// incarnation, so it is younger than the restart. R4, R11.
func AnswerProbe(c *Config, s *State, p, r int, yield Yield) {
	if !answerProbeGuard(c, s, p, r).ok() {
		return
	}
	t := *s
	t.answers[r] = withMember(s.answers[r], answerOf(s, p), Answer.compare)
	yield(Action{Kind: ActionAnswerProbe, Replica: p, Arg: r}, t)
}

func answerOf(s *State, p int) Answer {
	return Answer{View: s.view[p], Log: s.headers[p], Commit: s.commitMax[p]}
}

func hasAnswer(s *State, r int, answer Answer) bool {
	for _, m := range s.answers[r] {
		if m.compare(answer) == 0 {
			return true
		}
	}
	return false
}

func answerProbeGuard(_ *Config, s *State, p, r int) refusal {
	if because := s.wantPrimary(p); !because.ok() {
		return because
	}
	if p == r {
		return refuse("r%d probes itself", "another replica", uint32(r))
	}
	if because := s.wantStatus(r, StatusRecovering, "one that probes"); !because.ok() {
		return because
	}
	if s.view[p] < s.view[r] {
		return refuse("r%d is the primary of view %d", "one not below view %d of the probe",
			uint32(p), uint32(s.view[p]), uint32(s.view[r]))
	}
	if hasAnswer(s, r, answerOf(s, p)) {
		return refuse("r%d has this answer of r%d", "one that differs", uint32(r), uint32(p))
	}
	return enabled
}

// Recover is Recover(r, v): r adopts an answer to its own probe. One successor per
// answer of view v. R4, R11.
func Recover(c *Config, s *State, r int, v View, yield Yield) {
	if !recoverGuard(c, s, r, v).ok() {
		return
	}
	for _, m := range s.answers[r] {
		if m.View == v {
			yield(Action{Kind: ActionRecover, Replica: r, Arg: int(v)},
				adopt(c, s, r, v, m.Log, m.Commit))
		}
	}
}

func recoverGuard(_ *Config, s *State, r int, v View) refusal {
	if because := s.wantStatus(r, StatusRecovering, "status recovering"); !because.ok() {
		return because
	}
	for _, m := range s.answers[r] {
		if m.View == v {
			return enabled
		}
	}
	return refuse("r%d has no answer of view %d to its probe", "one", uint32(r), uint32(v))
}
