package verify

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/traces/scenario"
	"github.com/viewstamp/viewstamp/traces/testdata"
)

// twinPrefix begins the name of a scenario whose checks must fail: it runs with the
// rule broken on purpose that its neighbours are about.
const twinPrefix = "twin_"

// RunScenario runs one scenario. It is passed if all output is as expected and its
// checks hold; a twin's must not hold.
//
// Errors: a scenario that cannot be read or carried out.
func RunScenario(name, text string) (Check, scenario.Result, error) {
	result, err := scenario.Run(name, text)
	if err != nil {
		return Check{}, result, err
	}
	c := Check{
		Name: nameOf("scenario", name), Engine: EngineSim, Status: Passed,
		Figures:   Figures{FigureScenarios: 1, "commands": float64(result.Commands)},
		Reproduce: "viewstamp sim scenario " + name,
	}
	twin := strings.HasPrefix(path.Base(name), twinPrefix)
	if twin {
		c.Figures[FigureTwins] = 1
	}
	broken := strings.Contains(result.Output, "FAILED: ") || strings.Contains(result.Output, "panic: ")
	switch {
	case !result.Passed():
		c.fail("%s", result.Differences[0])
		c.Detail = strings.Join(result.Differences, "\n")
	case twin && !broken:
		c.fail("%s: every check holds, expected the twin to fail one", name)
	case !twin && broken:
		c.fail("%s: a check fails, as the expected output has it; only a twin's may", name)
	}
	return c, result, nil
}

// ScenarioFolders lists the folders of the embedded scenarios, sorted.
func ScenarioFolders() []string {
	var folders []string
	for _, name := range EmbeddedScenarios(".") {
		if folder := path.Dir(name); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// EmbeddedScenarios lists the embedded scenarios at or below a path, sorted; none if
// there is no such path.
func EmbeddedScenarios(at string) []string {
	var names []string
	walk := func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	}
	if !fs.ValidPath(at) || fs.WalkDir(testdata.Files(), at, walk) != nil {
		return nil
	}
	return names
}

// EmbeddedScenario returns the text of an embedded scenario.
func EmbeddedScenario(name string) (string, error) {
	text, err := fs.ReadFile(testdata.Files(), name)
	return string(text), err
}

// Scenarios is the job that runs the embedded scenarios of a folder: those that must
// hold, and the twins that show that they could fail. Each folder must have a
// twin.
func Scenarios(folder string) Job {
	job := Job{
		Name: "scenario/" + folder, Engine: EngineSim,
		Reproduce: "viewstamp sim scenario " + folder,
	}
	job.Run = func(context.Context) []Check {
		c := job.empty()
		sum := newTally()
		for _, name := range EmbeddedScenarios(folder) {
			one, err := runEmbedded(name)
			if err != nil {
				one = Errored(name, EngineSim, job.Reproduce, err)
			}
			if one.Status == Failed && sum.statuses[Failed] == 0 {
				c.Reproduce = one.Reproduce
			}
			sum.add(one)
		}
		sum.into(&c, "scenarios")
		if c.Status == Passed && c.Figures[FigureTwins] == 0 {
			c.fail("no twin, expected one: nothing shows that the defect would be seen")
		}
		return []Check{c}
	}
	return job
}

func runEmbedded(name string) (Check, error) {
	text, err := EmbeddedScenario(name)
	if err != nil {
		return Check{}, fmt.Errorf("read scenario: %w", err)
	}
	c, _, err := RunScenario(name, text)
	return c, err
}
