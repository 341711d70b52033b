package tlc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

// TLC's exit statuses (tlc2.output.EC.ExitStatus).
const (
	exitClean     = 0
	exitDeadlock  = 11
	exitInvariant = 12
	exitProperty  = 13
)

// verdict gathers an Outcome from TLC's output.
type verdict struct {
	config   config
	outcome  Outcome
	complete bool      // TLC said that it found no error.
	errors   []message // In their order; the first is the cause.
	sany     []string  // What SANY said.
	parsing  bool
	badStep  error // Why a state of the trace could not be read.
	printed  func(line string)
}

var (
	violatedName = regexp.MustCompile(`^(?:Invariant|Property|Action property) (.+) is violated`)
	// unnamed is how TLC names the box of a property that is no definition of its own,
	// such as "line 304, col 17 to line 304, col 29 of module AtomicViewChange".
	unnamed  = regexp.MustCompile(`^line \d+, col \d+ to line \d+, col \d+ of module `)
	figures  = regexp.MustCompile(`([\d,]+) states generated, ([\d,]+) distinct states found`)
	depth    = regexp.MustCompile(`graph search is ([\d,]+)`)
	initial  = regexp.MustCompile(`: ([\d,]+) (?:distinct )?states? generated`)
	coverage = regexp.MustCompile(`^<([^>]*)>: ([\d,]+):([\d,]+)$`)
)

func (v *verdict) onLine(line string) {
	if v.parsing {
		v.sany = append(v.sany, line)
	} else if v.printed != nil {
		v.printed(line)
	}
}

func (v *verdict) onMessage(m message) {
	if m.severity == severityError {
		v.errors = append(v.errors, m)
	}
	o := &v.outcome
	switch m.code {
	case codeParsing:
		v.parsing = true
	case codeParsed:
		v.parsing = false
	case codeInvariantViolated, codeActionProperty:
		v.violated(m.text)
	case codeInvariantInitial, codePropertyInitial:
		headline, state, _ := strings.Cut(m.text, "\n")
		v.violated(headline)
		v.step("", state)
	case codeDeadlock:
		o.Property = Deadlock
	case codeState:
		header, state, _ := strings.Cut(m.text, "\n")
		v.step(stepAction(header), state)
	case codeStuttering:
		o.Stuttering = true
	case codeBackToState:
		number, _, _ := strings.Cut(m.text, ":")
		o.BackTo = parseCount(number)
	case codeInitialStates, codeInitialTwice:
		counts(initial, m.text, &o.initialGenerated)
	case codeNoError:
		v.complete = true
	case codeDepth:
		counts(depth, m.text, &o.Depth)
	case codeFigures:
		counts(figures, m.text, &o.Generated, &o.Distinct)
	case codeActionCoverage:
		v.covered(m.text)
	}
}

func (v *verdict) violated(headline string) {
	match := violatedName.FindStringSubmatch(headline)
	if match == nil || v.outcome.Property != "" {
		return
	}
	v.outcome.Property = match[1]
	if unnamed.MatchString(match[1]) {
		v.outcome.Property = strings.Join(v.config.properties(), ",")
	}
}

// step adds a state to the trace.
func (v *verdict) step(action, text string) {
	state, err := tlaval.ParseState([]byte(text))
	if err != nil && v.badStep == nil {
		v.badStep = fmt.Errorf("read state %d of TLC's trace: %w", len(v.outcome.Trace)+1, err)
	}
	v.outcome.Trace = append(v.outcome.Trace, TraceStep{Action: action, State: state})
}

// stepAction returns the action in the header of a state:
//
//	2: <Step_1_0 line 3, col 13 to line 3, col 30 of module Graph>
func stepAction(header string) string {
	_, inside, ok := strings.Cut(header, "<")
	if !ok || strings.HasPrefix(inside, "Initial predicate") {
		return ""
	}
	return actionName(strings.TrimSuffix(inside, ">"))
}

// actionName takes the location off an action's name.
func actionName(text string) string {
	name, _, _ := strings.Cut(text, " line ")
	return name
}

// covered notes the coverage of an action. TLC repeats it as the run goes on.
func (v *verdict) covered(text string) {
	match := coverage.FindStringSubmatch(strings.TrimSpace(text))
	if match == nil {
		return
	}
	count := ActionCount{
		Action:    actionName(match[1]),
		Distinct:  parseCount(match[2]),
		Generated: parseCount(match[3]),
	}
	for i := range v.outcome.Actions {
		if v.outcome.Actions[i].Action == count.Action {
			v.outcome.Actions[i] = count
			return
		}
	}
	v.outcome.Actions = append(v.outcome.Actions, count)
}

// counts sets the numbers to those of pattern's groups, if it matches.
func counts(pattern *regexp.Regexp, text string, numbers ...*int) {
	if match := pattern.FindStringSubmatch(text); match != nil {
		for i, number := range numbers {
			*number = parseCount(match[i+1])
		}
	}
}

// parseCount reads a number that may have commas between its digits.
func parseCount(text string) int {
	number, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(text), ",", ""))
	if err != nil {
		return 0
	}
	return number
}

// vacuous reports whether TLC found no error because there was no state to check.
func (v *verdict) vacuous() bool {
	return v.complete && v.outcome.Distinct == 0 && v.config.hasBehavior()
}

// nameTemporal says which properties the violated temporal one may be.
func (v *verdict) nameTemporal() {
	for _, m := range v.errors {
		if m.code == codeTemporalViolated && v.outcome.Property == "" {
			v.outcome.Property = strings.Join(v.config.properties(), ",")
		}
	}
}

// status decides by TLC's exit status and its words together.
func (v *verdict) status(exitStatus int) Status {
	property := v.outcome.Property
	switch {
	case exitStatus == exitClean && v.complete && len(v.errors) == 0 && !v.vacuous():
		return Clean
	case exitStatus == exitDeadlock && property == Deadlock,
		exitStatus == exitInvariant && property != "",
		exitStatus == exitProperty && property != "":
		return Violated
	}
	return Failed
}
