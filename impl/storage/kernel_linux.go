package storage

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

const kernelBootFile = "/proc/sys/kernel/random/boot_id"

// KernelBoot returns the id that the kernel drew when it started: what two processes see
// alike has run since, and with it the page cache. All zeros where the system tells no such id.
//
// Errors: an id that is there and cannot be read, or is none.
//
// Source: R15.
func KernelBoot() (id [16]byte, err error) {
	text, err := os.ReadFile(kernelBootFile)
	if err != nil {
		if os.IsNotExist(err) {
			return id, nil
		}
		return id, fmt.Errorf("read boot id of the kernel: %w", err)
	}
	return parseKernelBoot(string(text))
}

func parseKernelBoot(text string) (id [16]byte, err error) {
	digits := strings.ReplaceAll(strings.TrimSpace(text), "-", "")
	if len(digits) != 2*len(id) {
		return id, fmt.Errorf("boot id of the kernel %q, expected 32 hexadecimal digits", text)
	}
	if _, err := hex.Decode(id[:], []byte(digits)); err != nil {
		return [16]byte{}, fmt.Errorf("boot id of the kernel %q, expected 32 hexadecimal digits", text)
	}
	return id, nil
}
