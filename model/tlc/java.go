package tlc

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// javaMajorMin is the oldest Java that the jar runs with.
const javaMajorMin = 11

// findJava returns the java command of the PATH, or else that of JAVA_HOME, and
// its version.
func (s surroundings) findJava(ctx context.Context) (path string, major int, err error) {
	path, err = s.lookPath("java")
	if err != nil {
		home := s.getenv("JAVA_HOME")
		if home != "" {
			path, err = s.lookPath(filepath.Join(home, "bin", "java"))
		}
		if err != nil {
			return "", 0, &Unavailable{Reason: "Java is missing: no java in PATH or JAVA_HOME"}
		}
	}
	cmd := exec.CommandContext(ctx, path, "-version")
	cmd.WaitDelay = killedWaitMax
	output, runErr := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", 0, fmt.Errorf("ask Java for its version: %w", context.Cause(ctx))
	}
	// A system may have a java command that only says where to get Java.
	if runErr != nil {
		return "", 0, &Unavailable{Reason: fmt.Sprintf(
			"%s -version: %v: %s", path, runErr, firstLine(string(output)))}
	}
	major, ok := javaMajor(string(output))
	if !ok {
		return "", 0, &Unavailable{Reason: fmt.Sprintf(
			"%s -version names no version: %s", path, firstLine(string(output)))}
	}
	if major < javaMajorMin {
		return "", 0, &Unavailable{Reason: fmt.Sprintf(
			"%s is Java %d, at least %d is needed", path, major, javaMajorMin)}
	}
	return path, major, nil
}

// javaVersion matches the first lines that JDKs print, and no option that
// JAVA_TOOL_OPTIONS makes Java repeat:
//
//	openjdk version "17.0.15" 2025-04-15
//	java version "1.8.0_292"
//	openjdk version "25-ea" 2025-09-16
//	openjdk 21.0.2 2024-01-16
var javaVersion = regexp.MustCompile(`(?m)^(?:\S+ version|openjdk|java) "?(\d+)(?:\.(\d+))?`)

// javaMajor reads the version out of what java -version printed. Up to Java 8
// the versions were written 1.8.
func javaMajor(output string) (major int, ok bool) {
	match := javaVersion.FindStringSubmatch(output)
	if match == nil {
		return 0, false
	}
	digits := match[1]
	if digits == "1" && match[2] != "" {
		digits = match[2]
	}
	major, err := strconv.Atoi(digits)
	return major, err == nil
}
