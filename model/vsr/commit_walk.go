package vsr

// The commit walk: module CommitWalk of the spec; VRR 4.1, steps 5 and 7; R5, R6, R7.

// pending is the spec's Pending: some committed op is in the log and not executed.
func (s *State) pending(r int) bool {
	return s.status[r] == StatusNormal &&
		s.commitMin[r] < s.commitMax[r] && s.commitMin[r] < s.headers[r].Head()
}

// atPipelineHead is the spec's AtPipelineHead: the next op to execute heads the
// pipeline, so that in upstream's shape it belongs to the pipeline's driver.
func (s *State) atPipelineHead(r int) bool {
	return len(s.pipeline[r]) > 0 && s.pipeline[r][0].Op == s.commitMin[r]+1
}

// WalkExecute is WalkExecute(r): the commit walk executes the next committed op from
// the journal, at the primary and at backups alike. R5.
func WalkExecute(c *Config, s *State, r int, yield Yield) {
	if !walkExecuteGuard(c, s, r).ok() {
		return
	}
	t := *s
	t.commitMin[r]++
	yield(Action{Kind: ActionWalkExecute, Replica: r}, t)
}

// walkExecuteGuard is the spec's Walkable.
func walkExecuteGuard(c *Config, s *State, r int) refusal {
	if because := pendingGuard(s, r); !because.ok() {
		return because
	}
	next := s.commitMin[r] + 1
	if !s.stored(c, r, s.headers[r][next-1]) {
		return refuse("r%d lacks the body of op %d", "the body of the next op to execute",
			uint32(r), uint32(next))
	}
	if s.atPipelineHead(r) && !c.bug(WalkTakesPipeline) {
		return refuse("op %d heads the pipeline of r%d", "an op that the walk owns",
			uint32(next), uint32(r))
	}
	return enabled
}

func pendingGuard(s *State, r int) refusal {
	if s.pending(r) {
		return enabled
	}
	if because := s.wantStatus(r, StatusNormal, "status normal"); !because.ok() {
		return because
	}
	if s.commitMin[r] >= s.commitMax[r] {
		return refuse("r%d executed up to %d and commit_max is %d", "a committed op to execute",
			uint32(r), uint32(s.commitMin[r]), uint32(s.commitMax[r]))
	}
	return refuse("the log of r%d ends at %d", "an op above commit_min",
		uint32(r), uint32(s.headers[r].Head()))
}

// PipelineExecute is PipelineExecute(p): upstream's second driver executes the head of
// the pipeline. Only with [WalkAndPipeline].
func PipelineExecute(c *Config, s *State, p int, yield Yield) {
	if !pipelineExecuteGuard(c, s, p).ok() {
		return
	}
	t := *s
	t.commitMin[p]++
	t.pipeline[p] = s.pipeline[p][1:]
	yield(Action{Kind: ActionPipelineExecute, Replica: p}, t)
}

func pipelineExecuteGuard(c *Config, s *State, p int) refusal {
	if c.walk() {
		return refuse("the commit walk is the only driver", "drivers walk_and_pipeline")
	}
	if because := s.wantStatus(p, StatusNormal, "status normal"); !because.ok() {
		return because
	}
	if !s.atPipelineHead(p) {
		return refuse("op %d does not head the pipeline of r%d", "the pipeline's head",
			uint32(s.commitMin[p]+1), uint32(p))
	}
	if s.commitMin[p] >= s.commitMax[p] {
		return refuse("r%d executed up to %d and commit_max is %d", "a committed op to execute",
			uint32(p), uint32(s.commitMin[p]), uint32(s.commitMax[p]))
	}
	return enabled
}

// StallTruncate is StallTruncate(r), which only mutants take: a detector takes a walk
// that moved nothing for a missing body and truncates the log there. R6, R7.
func StallTruncate(c *Config, s *State, r int, yield Yield) {
	if !stallTruncateGuard(c, s, r).ok() {
		return
	}
	executed := s.commitMin[r]
	t := *s
	t.headers[r] = s.headers[r].upTo(executed)
	t.bodies[r] = s.bodies[r].without(s.headers[r].above(executed))
	yield(Action{Kind: ActionStallTruncate, Replica: r}, t)
}

func stallTruncateGuard(c *Config, s *State, r int) refusal {
	if !c.bug(StallIsPipeline) && !c.bug(StallTruncates) {
		return refuse("a stall truncates nothing", "a mutant (R6)")
	}
	if because := pendingGuard(s, r); !because.ok() {
		return because
	}
	if walkExecuteGuard(c, s, r).ok() {
		return refuse("the walk of r%d can execute op %d", "a walk that stopped",
			uint32(r), uint32(s.commitMin[r]+1))
	}
	switch atHead := s.atPipelineHead(r); {
	case atHead && !c.bug(StallIsPipeline):
		return refuse("op %d heads the pipeline of r%d", "mutant stall_is_pipeline",
			uint32(s.commitMin[r]+1), uint32(r))
	case !atHead && !c.bug(StallTruncates):
		return refuse("r%d lacks the body of op %d", "mutant stall_truncates",
			uint32(r), uint32(s.commitMin[r]+1))
	}
	return enabled
}
