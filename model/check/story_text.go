package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// introduce writes what the counterexample is one of.
func introduce(b *strings.Builder, cfg spec.Cfg, bug string, c *Counterexample) error {
	if bug != "" {
		mutants, err := spec.Mutants(cfg.Module)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "Mutant %s of %s", bug, cfg.Module)
		for _, m := range mutants {
			if m.Name == bug && m.Meaning != "" {
				fmt.Fprintf(b, ": %s", m.Meaning)
			}
		}
		b.WriteString(".\n")
		if cfg.Mutant == bug && cfg.Seed != "" {
			fmt.Fprintf(b, "Seen in the wild as %s.\n", cfg.Seed)
		}
	}
	invariants, err := spec.Invariants(cfg.Module)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "It breaks %s", c.Property)
	for _, invariant := range invariants {
		if invariant.Name == c.Property {
			b.WriteString(claimOf(invariant))
		}
	}
	fmt.Fprintf(b, ".\nNo behaviour of fewer than %d states does, within the bounds of cfg %s.\n",
		c.States, cfg.Name)
	return nil
}

// claimMin is how long a claim must be to say something: a shorter sentence is told with
// the one behind it.
const claimMin = 24

var (
	// aboutMutants begins the sentence of a comment that no longer says what must hold.
	aboutMutants = regexp.MustCompile(`^(Mutants?|Broken by|No mutant)\b`)
	// sentenceEnd is where a sentence ends and another one begins.
	sentenceEnd = regexp.MustCompile(`[.!?]\)? +`)
	// ruleList is what may stand between an invariant's name and what it says.
	ruleList = regexp.MustCompile(`^(?:, R[0-9]+)+`)
)

// claimOf is what an invariant says, behind its name: " (R3, R14): kills lose nothing".
// Its comment may begin with that name, which is not told twice.
func claimOf(invariant spec.Invariant) string {
	text := strings.Join(strings.Fields(invariant.Comment), " ")
	rules := ""
	if rest, named := strings.CutPrefix(text, invariant.Name); named {
		list := ruleList.FindString(rest)
		if claim, ok := strings.CutPrefix(rest[len(list):], ":"); ok {
			text = strings.TrimSpace(claim)
			if list != "" {
				rules = " (" + strings.TrimPrefix(list, ", ") + ")"
			}
		}
	}
	if claim := firstClaim(text); claim != "" {
		return rules + ": " + claim
	}
	return rules
}

// firstClaim takes sentences from the beginning until they say enough, without the last
// full stop.
func firstClaim(text string) string {
	claim := ""
	for len(claim) < claimMin && text != "" && !aboutMutants.MatchString(text) {
		sentence, rest := text, ""
		if end := sentenceEnd.FindStringIndex(text); end != nil {
			sentence, rest = strings.TrimSpace(text[:end[1]]), text[end[1]:]
		}
		if claim != "" {
			claim += " "
		}
		claim, text = claim+sentence, rest
	}
	return strings.TrimSuffix(claim, ".")
}

// initialLines are those of the initial state that some step changes; variables of one
// value share a line.
func initialLines(steps []explore.Described) []string {
	changed := map[string]bool{}
	for _, step := range steps[1:] {
		for _, change := range step.Changes {
			changed[variableOf(change)] = true
		}
	}
	var lines, values []string // A line and what it ends in, by index.
	left := 0
	for _, line := range steps[0].Changes {
		name := variableOf(line)
		value := strings.TrimPrefix(line, name)
		at := slices.Index(values, value)
		switch {
		case !changed[name]:
			left++
		case value == "" || at < 0:
			lines, values = append(lines, line), append(values, value)
		default:
			lines[at] = strings.TrimSuffix(lines[at], value) + ", " + line
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("(and %d that no step changes: --full shows them)", left))
	}
	return lines
}

// variableOf is the name in a line of a state or of its changes.
func variableOf(line string) string {
	name, _, _ := strings.Cut(line, " = ")
	for _, mark := range []string{"  (new)", "  (gone)"} {
		name = strings.TrimSuffix(name, mark)
	}
	return name
}
