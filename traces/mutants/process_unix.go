//go:build unix

package mutants

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes the end of a process that of all that it has started: the Go tool starts
// compilers, a test may start what it kills.
func endWithChildren(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
