package linearizability

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.uber.org/multierr"
	"golang.org/x/sync/errgroup"
)

const (
	porcupineModule = "github.com/anishathalye/porcupine"
	// porcupineVersion is the release whose tests state the verdicts below.
	porcupineVersion = "v1.3.1"
	// jepsenLogs counts etcd_000.log to etcd_102.log.
	jepsenLogs = 103
	// jepsenUnjudged is the log that has no bytes, and no test.
	jepsenUnjudged = 95
	// goCommandMax bounds one call of the go command.
	goCommandMax = 10 * time.Second
)

// jepsenLinearizable lists the logs that Porcupine's tests expect to be
// linearizable; all other judged ones are violations.
var jepsenLinearizable = []int{
	2, 5, 7, 18, 25, 31, 38, 45, 48, 49, 51, 53, 56, 67, 75, 76, 80, 87, 92, 98, 100, 101, 102,
}

// KnownVerdicts returns the verdict that Porcupine's own tests expect of each
// history that ships with it, by path below its test data. The empty log
// "jepsen/etcd_095.log" is not among them: those tests leave it out.
func KnownVerdicts() map[string]Verdict {
	verdicts := map[string]Verdict{}
	for i := range jepsenLogs {
		if i == jepsenUnjudged {
			continue
		}
		verdict := Violation
		if slices.Contains(jepsenLinearizable, i) {
			verdict = Linearizable
		}
		verdicts[fmt.Sprintf("jepsen/etcd_%03d.log", i)] = verdict
	}
	for _, clients := range []string{"c01", "c10", "c50"} {
		verdicts["kv/"+clients+"-ok.txt"] = Linearizable
		verdicts["kv/"+clients+"-bad.txt"] = Violation
	}
	return verdicts
}

// PorcupineTestData finds the histories that ship inside the Porcupine module: by
// the go command if this is run within a module that uses Porcupine, else in the
// module cache. It is false where neither has them.
func PorcupineTestData() (dir string, ok bool) {
	var roots []string
	if root, found := goCommand("list", "-m", "-f", "{{.Dir}}", porcupineModule); found {
		roots = append(roots, root)
	}
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache, _ = goCommand("env", "GOMODCACHE")
	}
	if cache != "" {
		module := filepath.FromSlash(porcupineModule)
		roots = append(roots, filepath.Join(cache, module+"@"+porcupineVersion))
	}
	for _, root := range roots {
		dir = filepath.Join(root, "test_data")
		if info, err := os.Stat(filepath.Join(dir, "jepsen")); err == nil && info.IsDir() {
			return dir, true
		}
	}
	return "", false
}

// goCommand returns the one line that the go command prints, if there is one.
func goCommand(arguments ...string) (string, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), goCommandMax)
	defer cancel()
	printed, err := exec.CommandContext(ctx, "go", arguments...).Output()
	line := strings.TrimSpace(string(printed))
	return line, err == nil && line != ""
}

// SuiteResult is the check of one shipped history.
type SuiteResult struct {
	// File is the path below the test data, with slashes.
	File string
	// Expected is what Porcupine's tests say.
	Expected Verdict
	Report   Report
}

// Passed says whether the verdict is the expected one.
func (r SuiteResult) Passed() bool { return r.Report.Verdict == r.Expected }

// CheckPorcupineSuite checks every history of [KnownVerdicts] below dir, some at a
// time, each within timeoutPer (0: no limit but that of ctx), without witnesses.
// The results are in the order of the files; those that did not pass are among
// them and are no error.
//
// Errors: a file that is missing or not in its format. Nothing is returned then.
func CheckPorcupineSuite(
	ctx context.Context, dir string, timeoutPer time.Duration,
) ([]SuiteResult, error) {
	known := KnownVerdicts()
	files := make([]string, 0, len(known))
	for file := range known {
		files = append(files, file)
	}
	slices.Sort(files)
	results := make([]SuiteResult, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() error {
			h, err := importShipped(dir, file)
			if err != nil {
				return err
			}
			// The files are the unit of parallel work here.
			options := CheckOptions{Workers: 1, SkipWitness: true}
			report, err := checkWithin(ctx, h, timeoutPer, options)
			results[i] = SuiteResult{File: file, Expected: known[file], Report: report}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}

func checkWithin(
	ctx context.Context, h *History, limit time.Duration, options CheckOptions,
) (Report, error) {
	if limit > 0 {
		within, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = within
	}
	return Check(ctx, h, options)
}

// importShipped reads one shipped history, with the importer of its folder.
func importShipped(dir, file string) (h *History, err error) {
	opened, err := os.Open(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, fmt.Errorf("open shipped history: %w", err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(opened))
	importers := map[string]func(io.Reader, string) (*History, error){
		"jepsen": ImportJepsenEtcd, "kv": ImportPorcupineKV,
	}
	folder, _, _ := strings.Cut(file, "/")
	imported, known := importers[folder]
	if !known {
		return nil, errors.New("open shipped history: expected jepsen/... or kv/..., got " + file)
	}
	return imported(opened, file)
}
