package node

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// describeMachine fills in what the kernel says of this machine; what it does not say stays zero.
func describeMachine(s *protocol.Stats, directory string, running time.Duration) {
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		s.Kernel = strings.TrimSpace(string(release))
	}
	if memory, err := os.ReadFile("/proc/meminfo"); err == nil {
		s.TotalMemory = memoryLine(string(memory), "MemTotal:")
		s.AvailableMemory = memoryLine(string(memory), "MemAvailable:")
	}
	var disk syscall.Statfs_t
	if syscall.Statfs(directory, &disk) == nil {
		s.FreeDisk = disk.Bavail * uint64(disk.Bsize)
		s.TotalDisk = disk.Blocks * uint64(disk.Bsize)
	}
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) == nil && running > 0 {
		cpu := time.Duration(used.Utime.Nano() + used.Stime.Nano())
		s.CPU = float32(100 * cpu.Seconds() / running.Seconds())
	}
}

// memoryLine reads a line of /proc/meminfo, whose unit is kB.
func memoryLine(text, name string) uint64 {
	_, rest, _ := strings.Cut(text, name)
	line, _, _ := strings.Cut(rest, " kB")
	kilobytes, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}
