package dev

import "syscall"

// childOf puts a process into a group of its own, so that Ctrl-C reaches this process alone and
// the children are stopped in order, and makes the kernel end it when this process dies.
func childOf() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
