//go:build !linux

package dev

import "syscall"

// childOf asks for nothing: this system does not end children with their parent.
func childOf() *syscall.SysProcAttr { return nil }
