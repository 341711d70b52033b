package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Stutter is the name under which [Refinement] counts the steps that the abstract model
// does not see.
const Stutter = "stutter"

// Refinement is what [Refine] found.
type Refinement[S any, A Action, T any, B Action] struct {
	// Concrete is the search of the concrete model, with the invariant that its steps are
	// allowed. Its violation, if any, leads to the state before the step.
	Concrete *Result[S, A]
	// Steps counts the steps of the concrete model by the abstract action that they
	// are, [Stutter] among them. A step that could be several counts for the first.
	Steps map[string]int
	// Images is the number of distinct abstract states that concrete states were seen as.
	Images int
	// Violation is nil if every behaviour of the concrete model is one of the abstract.
	Violation *RefinementViolation[S, A, T]
}

// RefinementViolation is a shortest behaviour of the concrete model that is none of the
// abstract one.
type RefinementViolation[S any, A Action, T any] struct {
	// Path ends with the step that the abstract model does not allow, or is one initial
	// state that is none there.
	Path []Step[S, A]
	// From and To are the images of the states before and after the step. Of an initial
	// state From is the zero value.
	From, To T
	// Reason says in one line what is not allowed.
	Reason string
}

// Refine checks that the concrete model implements the abstract one: that image takes
// each initial state to an initial state there, and the two ends of each step to one
// state or to the ends of a step there. The invariants and goals of both are not looked
// at. As [Check] does, it stops after the first level with a violation, with a shortest
// path, and says in Result.Complete if it has not seen everything.
//
// The image must be pure. The successors of each image are remembered, so the abstract
// model should be the smaller one.
func Refine[S any, A Action, T any, B Action](
	ctx context.Context, concrete Model[S, A], abstract Model[T, B], image func(S) T, o Options,
) (*Refinement[S, A, T, B], error) {
	if err := abstract.validate(); err != nil {
		return nil, fmt.Errorf("refine model %q: %w", abstract.Name, err)
	}
	r, err := newRefiner(concrete, abstract, image)
	if err != nil {
		return nil, fmt.Errorf("refine model %q: %w", abstract.Name, err)
	}
	concrete.Always = []Property[S]{
		{Name: "Init of " + abstract.Name, Check: r.checkInitial},
		{Name: "Next of " + abstract.Name, Check: r.checkSteps},
	}
	concrete.Sometimes, o.KeepGoing = nil, false
	result, err := Check(ctx, concrete, o)
	if err != nil {
		return nil, err
	}
	found := &Refinement[S, A, T, B]{Concrete: result, Steps: r.steps, Images: len(r.allowed)}
	if v := result.Violation; v != nil {
		found.Violation = r.violation(v)
	}
	return found, nil
}

// refiner holds what the workers of a search share.
type refiner[S any, A Action, T any, B Action] struct {
	concrete Model[S, A]
	abstract Model[T, B]
	image    func(S) T
	initial  map[string]bool // Keys of the abstract initial states.
	first    map[string]bool // Keys of the concrete initial states.

	mutex sync.Mutex
	// allowed maps an image's key to its successors' keys, each with the action.
	allowed map[string]map[string]string
	steps   map[string]int
}

func newRefiner[S any, A Action, T any, B Action](
	concrete Model[S, A], abstract Model[T, B], image func(S) T,
) (*refiner[S, A, T, B], error) {
	r := &refiner[S, A, T, B]{
		concrete: concrete, abstract: abstract, image: image,
		initial: map[string]bool{}, first: map[string]bool{},
		allowed: map[string]map[string]string{}, steps: map[string]int{},
	}
	states, err := abstract.initial()
	if err != nil {
		return nil, err
	}
	for _, t := range states {
		r.initial[string(abstract.Key(nil, t))] = true
	}
	if err := concrete.validate(); err != nil {
		return nil, err
	}
	for _, s := range concrete.Init() {
		r.first[string(concrete.Key(nil, s))] = true
	}
	return r, nil
}

// checkInitial is the first invariant: s, if it is initial, is so in the abstract model.
func (r *refiner[S, A, T, B]) checkInitial(s S) error {
	if r.first[string(r.concrete.Key(nil, s))] &&
		!r.initial[string(r.abstract.Key(nil, r.image(s)))] {
		return errors.New("the initial state is none of " + r.abstract.Name)
	}
	return nil
}

// checkSteps is the second invariant: all steps out of s are allowed.
func (r *refiner[S, A, T, B]) checkSteps(s S) error {
	from := r.image(s)
	fromKey := string(r.abstract.Key(nil, from))
	allowed := r.successors(fromKey, from)
	var wrong error
	counts := map[string]int{}
	var key []byte
	r.concrete.Next(s, func(a A, next S) {
		key = r.abstract.Key(key[:0], r.image(next))
		action, ok := allowed[string(key)]
		switch {
		case string(key) == fromKey:
			action = Stutter
		case !ok && wrong == nil:
			wrong = fmt.Errorf("%s is no step of %s and changes what it sees", a, r.abstract.Name)
		}
		counts[action]++
	})
	if wrong != nil {
		return wrong
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for action, n := range counts { //nolint:maporder // Sums: the order leaves no mark.
		r.steps[action] += n
	}
	return nil
}

// successors returns the successors of an image, by key.
func (r *refiner[S, A, T, B]) successors(key string, t T) map[string]string {
	r.mutex.Lock()
	allowed, ok := r.allowed[key]
	r.mutex.Unlock()
	if ok {
		return allowed
	}
	allowed = map[string]string{}
	var next []byte
	r.abstract.Next(t, func(b B, u T) {
		next = r.abstract.Key(next[:0], u)
		if _, known := allowed[string(next)]; !known {
			allowed[string(next)] = b.Name()
		}
	})
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.allowed[key] = allowed
	return allowed
}

// violation adds the step that is not allowed to the path to the state before it.
func (r *refiner[S, A, T, B]) violation(v *Violation[S, A]) *RefinementViolation[S, A, T] {
	found := &RefinementViolation[S, A, T]{Path: slices.Clone(v.Path), Reason: v.Reason}
	last := v.Path[len(v.Path)-1].State
	image := r.image(last)
	key := string(r.abstract.Key(nil, image))
	if r.checkInitial(last) != nil {
		found.To = image
		return found
	}
	found.From = image
	allowed := r.successors(key, image)
	done := false
	r.concrete.Next(last, func(a A, next S) {
		to := r.image(next)
		toKey := string(r.abstract.Key(nil, to))
		if _, ok := allowed[toKey]; done || ok || toKey == key {
			return
		}
		done = true
		found.Path = append(found.Path, Step[S, A]{Action: a, State: next})
		found.To = to
	})
	return found
}
