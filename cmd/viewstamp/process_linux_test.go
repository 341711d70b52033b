package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary the program itself.
const asProgram = "VIEWSTAMP_TEST_AS_PROGRAM"

// TestMain is also the program that tests start as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// nobody is a user who owns nothing.
const nobody = 65534

// doAsNobody runs one command line in a process with the rights of nobody, where this one's are
// the superuser's, who may do everything.
func doAsNobody(t *testing.T, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/proc/self/exe", arguments...)
	command.Env = append(os.Environ(), asProgram+"=1")
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: nobody, Gid: nobody},
		}
	}
	var out, err bytes.Buffer
	command.Stdout, command.Stderr = &out, &err
	if failed := command.Run(); failed != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, failed, &exit)
	}
	return command.ProcessState.ExitCode(), out.String(), err.String()
}

// forNobody lets nobody reach and write a directory of a test.
func forNobody(t *testing.T, directory string) {
	t.Helper()
	for at := directory; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(at, info.Mode()|0o711))
	}
	if os.Geteuid() == 0 {
		require.NoError(t, filepath.WalkDir(directory, func(at string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(at, nobody, nobody))
		}))
	}
}

// What may not be read, or not be written, is told in one line and stays as it is.
func TestADirectoryOfAnotherUserGetsOneLineAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	const superblockA = "superblock.a"
	all := []string{"serve", "inspect", "format", "format --replace"}
	for name, tc := range map[string]struct {
		path  string
		mode  fs.FileMode
		verbs []string
	}{
		"the directory itself":        {".", 0, all},
		"the log":                     {"wal", 0, all},
		"a superblock":                {superblockA, 0, []string{"serve", "inspect", "format"}},
		"a superblock, to write":      {superblockA, 0o400, []string{"serve"}},
		"a file of the log":           {firstWAL, 0, []string{"serve", "inspect"}},
		"a file of the log, to write": {firstWAL, 0o400, []string{"serve"}},
	} {
		for _, verb := range tc.verbs {
			t.Run(name+"/"+verb, func(t *testing.T) {
				t.Parallel()
				directory := copyServed(t)
				forNobody(t, directory)
				line := lines(t, directory)[verb]
				if verb == "serve" {
					forNobody(t, filepath.Dir(line[2]))
				}
				denied := filepath.Join(directory, tc.path)
				info, err := os.Stat(denied)
				require.NoError(t, err)
				require.NoError(t, os.Chmod(denied, tc.mode))
				defer func() { require.NoError(t, os.Chmod(denied, info.Mode())) }()
				requireRefusal(t, doAsNobody, line, directory, "permission denied")
			})
		}
	}
}

// The control: nobody inspects a directory that is left to nobody.
func TestADirectoryOfTheUserIsNotRefused(t *testing.T) {
	t.Parallel()
	directory := copyServed(t)
	forNobody(t, directory)
	status, _, stderr := doAsNobody(t, lines(t, directory)["inspect"]...)
	require.Equal(t, statusPassed, status, stderr)
}
