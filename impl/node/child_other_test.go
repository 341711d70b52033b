//go:build !linux

package node_test

import "syscall"

// childOf asks for nothing: this system has no such service.
func childOf() *syscall.SysProcAttr { return nil }
