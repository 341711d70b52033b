package refine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// Bounds say how far a search goes.
type Bounds struct {
	Replicas int
	// Requests are those that a primary accepts, Views the highest view that a replica enters
	// by itself, Crashes those of all replicas together.
	Requests, Views, Crashes int
	// Checkpoints are those that all replicas together take of what they executed (R17), each
	// as long as Chunks; a replica keeps Retain of them besides its newest. A StartView carries
	// at least Suffix headers. Zero: none are taken, and logs are sent whole.
	Checkpoints, Chunks, Retain, Suffix int
	// Wipes is how many disks are lost (R16).
	Wipes int
	// Defects breaks rules of the core on purpose.
	Defects vsr.Defects
	// Host breaks a rule of the explored hosts on purpose.
	Host HostDefect
	// Full leaves out every reduction (doc.go).
	Full bool
}

// beyondVSR reports whether replicas do what VSR.tla knows nothing of.
func (b Bounds) beyondVSR() bool { return b.Checkpoints > 0 || b.Wipes > 0 }

// String is the bounds as the reports name them.
func (b Bounds) String() string {
	text := fmt.Sprintf("core of %d (%d,%d,%d)", b.Replicas, b.Requests, b.Views, b.Crashes)
	if b.Checkpoints > 0 {
		text += fmt.Sprintf(" checkpoints %d of %d, retain %d, suffix %d", b.Checkpoints,
			max(1, b.Chunks), b.Retain, b.Suffix)
	}
	if b.Wipes > 0 {
		text += fmt.Sprintf(" wipes %d", b.Wipes)
	}
	if b.Full {
		text += " unreduced"
	}
	return text
}

// Result is what a search found.
type Result struct {
	*explore.Result[*cluster, Action]
	// Replicas and Messages are how many states of one replica, and how many messages, the
	// search met.
	Replicas, Messages int
	// Covered are the branches of the core that were taken, by the events that tell of them.
	Covered []string
	// Untaken are the branches that some event could tell of and none did, and why.
	Untaken []Untaken
	// Actions is how many actions of the specification the bounds allow; Missing are those that
	// nobody took.
	Actions int
	Missing []string
	// Story is the counterexample, empty if there is none.
	Story string
}

// Check searches all interleavings within the bounds. The error is a core that cannot be
// configured so, or a search that could not be done.
func Check(ctx context.Context, bounds Bounds, o explore.Options) (*Result, error) {
	s, err := newSystem(bounds)
	if err != nil {
		return nil, err
	}
	m := s.model()
	found, err := explore.Check(ctx, m, o)
	if err != nil {
		return nil, fmt.Errorf("explore %v: %w", bounds, err)
	}
	r := &Result{
		Result: found, Replicas: len(s.members), Messages: len(s.frames),
		Covered: slices.Sorted(maps.Keys(s.covered)),
	}
	for _, action := range expected(bounds) {
		r.Actions++
		if !s.covered[action] {
			r.Missing = append(r.Missing, action)
		}
	}
	r.Untaken = untaken(bounds, s.covered)
	if found.Violation != nil {
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s\n", found.Violation.Property, found.Violation.Reason)
		if err := explore.PrintStory(&b, m, found.Violation.Path, Action.String); err != nil {
			return nil, fmt.Errorf("print story: %w", err)
		}
		r.Story = b.String()
	}
	return r, nil
}

// expected lists the actions that some search within the bounds must see.
func expected(b Bounds) []string {
	var names []string
	for _, kind := range model.LiveActions(model.Config{
		N: b.Replicas, MaxRequest: b.Requests, MaxView: b.Views, MaxCrash: b.Crashes, Drivers: model.Walk,
	}) {
		if name := kind.String(); b.Replicas > 1 || !slices.Contains(ofOthers, name) {
			names = append(names, name)
		}
	}
	if b.Checkpoints > 0 && b.Replicas > 1 {
		for _, action := range ofCheckpoints {
			names = append(names, string(action))
		}
	}
	return names
}

// ofCheckpoints are the actions of Transfer.tla that VSR.tla does not have. A chunk that is fetched
// is told by the install, and what only the module's late StartView does by ReceiveStartView.
var ofCheckpoints = []vsr.Action{
	vsr.EventTakeCheckpoint, vsr.EventStartTransfer, vsr.EventResumeTransfer,
	vsr.EventAbandonTransfer, vsr.EventInstall, vsr.EventRaiseHead, vsr.EventRepairHeader,
}

// ofOthers are the actions that take another replica.
var ofOthers = []string{
	"ReceivePrepare", "ReceiveCommit", "RepairPrepare", "ReceiveStartViewChange",
	"ReceiveStartView", "AnswerProbe", "Recover",
}

// branches lists what the events of a core can tell of: refusals, classes of prepares and
// reasons why the commit walk stops.
func branches() []string {
	var names []string
	for _, reason := range vsr.Refusals() {
		names = append(names, string(vsr.EventRefuse)+" "+reason.String())
	}
	names = append(names, classes()...)
	for stop := vsr.StopCaughtUp; stop <= vsr.StopTransferring; stop++ {
		names = append(names, "Stop "+stop.String())
	}
	return names
}

// Supported returns why no core takes part in a search with these bounds, or nil.
func Supported(bounds Bounds) error {
	_, err := newSystem(bounds)
	return err
}

func newSystem(bounds Bounds) (*system, error) {
	s := &system{
		bounds: bounds, members: map[xxh3.Uint128]*member{},
		frames: map[xxh3.Uint128]*message{}, beliefs: map[xxh3.Uint128]*belief{},
		covered: map[string]bool{}, repeats: repeats(bounds),
		headers: map[wire.PrepareID]wire.PrepareHeader{},
	}
	if _, err := vsr.New(s.config(&member{boots: 1}), vsr.Recovered{Formatted: true}); err != nil {
		return nil, fmt.Errorf("explore %v: %w", bounds, err)
	}
	var err error
	if s.transfer, err = newTransferModel(s); err != nil {
		return nil, err
	}
	return s, nil
}

// firstBelief is what the model says at the beginning; nil if it has not this many replicas.
func (s *system) firstBelief() *belief {
	if s.bounds.Replicas > model.NMax || s.bounds.beyondVSR() {
		return nil
	}
	states := conform.Begin(s.bounds.Replicas)
	return s.internBelief(&belief{states: states, after: map[*outcome]*belief{}})
}

// brokenInvariant says which invariant of the model a state breaks that explains the cores.
func (s *system) brokenInvariant(b conform.Belief) string {
	config := model.Config{
		N:          s.bounds.Replicas,
		MaxRequest: model.Unbounded, MaxView: model.Unbounded, MaxCrash: model.Unbounded,
		Drivers: model.Walk,
	}
	for _, state := range b.States() {
		for _, p := range model.Invariants(config) {
			if err := p.Check(state); err != nil {
				return p.Name + ": " + err.Error()
			}
		}
	}
	return ""
}

func (s *system) model() explore.Model[*cluster, Action] {
	return explore.Model[*cluster, Action]{
		Name: s.bounds.String(),
		Init: func() []*cluster { return []*cluster{s.initial()} },
		Next: s.next,
		Key:  func(dst []byte, c *cluster) []byte { return c.appendKey(dst) },
		Always: []explore.Property[*cluster]{{
			Name: "Refinement",
			Check: func(c *cluster) error {
				if reason := c.wrong(); reason != "" {
					return errors.New(reason)
				}
				return nil
			},
		}},
		Format: (*cluster).format,
	}
}

// format describes the replicas to people.
func (c *cluster) format() []string {
	var lines []string
	for _, m := range c.members {
		st := &m.state
		lines = append(lines, fmt.Sprintf("r%d = %s view %d/%d head %d hollow %v commit %d/%d "+
			"boot %d", m.id, st.Status, st.View, st.LogView, st.OpHead, st.Hollow, st.CommitMin,
			st.CommitMax, m.boots))
	}
	return lines
}
