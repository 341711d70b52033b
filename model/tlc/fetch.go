package tlc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/multierr"
)

const (
	// fetchTimeMax bounds a download of 2.6 MB and of Maven's own plug-ins.
	fetchTimeMax = 5 * time.Minute
	// killedWaitMax bounds the wait for the output of a process that was killed.
	killedWaitMax = 5 * time.Second
)

// fetch has Maven copy the artifact to jar, which lies in dir. The copy goes to
// a folder of its own and takes its name only once its digest is right, so that
// two processes may fetch at once and nobody sees half a jar.
func (s surroundings) fetch(ctx context.Context, dir, jar string) (err error) {
	mvn, lookErr := s.lookPath("mvn")
	if lookErr != nil {
		return &Unavailable{Reason: fmt.Sprintf(
			"Maven (mvn) is missing and %s does not exist; %s can name a jar", jar, EnvTools)}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the cache folder: %w", err)
	}
	fresh, err := os.MkdirTemp(dir, "fetch-")
	if err != nil {
		return fmt.Errorf("create a folder for the jar: %w", err)
	}
	defer func() { err = multierr.Append(err, os.RemoveAll(fresh)) }()

	bounded, cancel := context.WithTimeout(ctx, fetchTimeMax)
	defer cancel()
	cmd := exec.CommandContext(bounded, mvn, "-q", "-B", "dependency:copy",
		"-Dartifact="+Artifact, "-DoutputDirectory="+fresh)
	// A pom.xml in the caller's folder would have a say otherwise.
	cmd.Dir = fresh
	cmd.WaitDelay = killedWaitMax
	output, runErr := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("fetch the jar: %w", context.Cause(ctx))
	}
	if runErr != nil {
		return &Unavailable{Reason: fmt.Sprintf(
			"mvn could not fetch %s (%v): %s", Artifact, runErr, firstLine(string(output)))}
	}
	copied := filepath.Join(fresh, jarName)
	if err := checkDigest(copied); err != nil {
		return fmt.Errorf("check the fetched jar: %w", err)
	}
	if err := os.Rename(copied, jar); err != nil {
		return fmt.Errorf("keep the fetched jar: %w", err)
	}
	return nil
}

// firstLine returns the first line of text that is not blank, or "no output".
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "no output"
}
