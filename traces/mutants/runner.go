package mutants

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

const (
	// AtOnceMax bounds the mutants that are built and run at once.
	AtOnceMax = 2
	// buildMax bounds the time of one build, runMaxDefault that of one run.
	buildMax      = 3 * time.Minute
	runMaxDefault = time.Minute
)

// Outcome is what trying a mutant came to.
type Outcome uint8

// The outcomes.
const (
	// Caught: the command fails as the patch says, and passes without it.
	Caught Outcome = iota + 1
	// Survived: the command passes on the mutant.
	Survived
	// Elsewhere: it fails, but not as the patch says.
	Elsewhere
	// Broken: there is no verdict on the mutant, since the patch does not apply, the mutant does
	// not compile, or the command fails without it.
	Broken
	// Ended: the time was over, or the caller's context.
	Ended
)

// Verdict is what trying a mutant came to, and why.
type Verdict struct {
	Outcome Outcome
	// Reason says in one line what was found and expected; empty if Caught.
	Reason string
	// Output is what the failing command printed, for people.
	Output string
	// CPU is what building and running the mutant took, the command without it left out.
	CPU time.Duration
}

// Runner builds and tries mutants of one source tree. Any number of goroutines may use it.
type Runner struct {
	root, tool string
	slots      chan struct{}
	runMax     time.Duration // Bounds the time of one run.

	mu sync.Mutex
	// temporary is the folder of all that is built; empty as long as nothing is.
	temporary string
	// binaries are those without a patch by package, passes the commands that were tried on them.
	binaries map[string]*binary
	passes   map[string]*pass
	cpu      time.Duration
}

// binary is a program without a patch, built once.
type binary struct {
	once sync.Once
	path string
	err  error
}

// pass is a command that was tried without a patch, once.
type pass struct {
	once sync.Once
	err  error
}

// NewRunner returns a runner for the tree at root. Close it when something was tried.
//
// Errors: [*Unavailable] where there is no Go tool.
func NewRunner(root string) (*Runner, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, &Unavailable{"the Go tool, which builds the mutants, is not in PATH"}
	}
	return &Runner{
		root: root, tool: tool, slots: make(chan struct{}, AtOnceMax), runMax: runMaxDefault,
		binaries: map[string]*binary{}, passes: map[string]*pass{},
	}, nil
}

// Close removes what was built.
func (r *Runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.temporary == "" {
		return nil
	}
	if err := os.RemoveAll(r.temporary); err != nil {
		return fmt.Errorf("remove built mutants: %w", err)
	}
	return nil
}

// CPU is what all builds and runs have taken so far.
func (r *Runner) CPU() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cpu
}

// Try builds a mutant and runs the command that is to fail on it. It waits while [AtOnceMax]
// others are tried.
func (r *Runner) Try(ctx context.Context, p Patch) Verdict {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return Verdict{Outcome: Ended, Reason: context.Cause(ctx).Error()}
	}
	defer func() { <-r.slots }()
	folder, overlay, err := r.prepare(p)
	if err != nil {
		return broken(ctx, err)
	}
	defer r.remove(folder)
	if err := r.passesWithout(ctx, p.Catch); err != nil {
		return broken(ctx, fmt.Errorf("without the patch: %w", err))
	}
	program := filepath.Join(folder, "mutant")
	built, err := r.build(ctx, p.Catch.target(), program, overlay)
	if err != nil {
		return broken(ctx, err)
	}
	ran := r.run(ctx, p.Catch, program)
	v := p.judge(ctx, ran)
	v.CPU = built.cpu + ran.cpu
	return v
}

// prepare makes a folder for a mutant and the overlay in it.
func (r *Runner) prepare(p Patch) (folder, overlay string, err error) {
	if folder, err = r.folder(p); err != nil {
		return "", "", err
	}
	if overlay, err = r.overlay(folder, p); err != nil {
		r.remove(folder)
		return "", "", err
	}
	return folder, overlay, nil
}

func (r *Runner) remove(folder string) {
	_ = os.RemoveAll(folder) // Close removes what is left.
}

// folder makes a folder for a mutant.
func (r *Runner) folder(p Patch) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.temporary == "" {
		if r.temporary, err = os.MkdirTemp("", "viewstamp-mutants-"); err != nil {
			return "", fmt.Errorf("make a folder for mutants: %w", err)
		}
	}
	folder, err := os.MkdirTemp(r.temporary, p.Name+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder for a mutant: %w", err)
	}
	return folder, nil
}

func broken(ctx context.Context, err error) Verdict {
	if ctx.Err() != nil {
		return Verdict{Outcome: Ended, Reason: context.Cause(ctx).Error()}
	}
	return Verdict{Outcome: Broken, Reason: err.Error()}
}

// passesWithout says why a command does not pass on the tree as it is. It is run once.
func (r *Runner) passesWithout(ctx context.Context, c Catch) error {
	b, p := r.onceFor(c.target().folder, c.String())
	p.once.Do(func() {
		b.once.Do(func() { _, b.err = r.build(ctx, c.target(), b.path, "") })
		if p.err = b.err; p.err == nil {
			p.err = c.passed(r.run(ctx, c, b.path))
		}
	})
	return p.err
}

// onceFor returns the program without a patch of a folder, and whether a command passes on it:
// each is made and found out once.
func (r *Runner) onceFor(folder, command string) (*binary, *pass) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, p := r.binaries[folder], r.passes[command]
	if b == nil {
		b = &binary{path: filepath.Join(r.temporary, fmt.Sprintf("program-%d", len(r.binaries)))}
		r.binaries[folder] = b
	}
	if p == nil {
		p = &pass{}
		r.passes[command] = p
	}
	return b, p
}
