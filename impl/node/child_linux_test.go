package node_test

import "syscall"

// childOf makes the kernel end a process when its parent dies, however that dies.
func childOf() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
