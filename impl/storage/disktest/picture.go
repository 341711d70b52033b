package disktest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Picture is all that can be seen of a path of the operating system, and below it: names, modes,
// times and content, and why something cannot be seen. Links are not followed and pipes not opened.
func Picture(path string) string {
	var b strings.Builder
	_ = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error { // None is returned.
		if err != nil {
			fmt.Fprintln(&b, at, err)
			return nil
		}
		info, err := e.Info()
		if err != nil {
			fmt.Fprintln(&b, at, err)
			return nil
		}
		fmt.Fprintln(&b, at, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(at)
			fmt.Fprintln(&b, wire.ChecksumOf(content), err)
		}
		return nil
	})
	return b.String()
}
