// Package testdata carries the scenarios and their expected outputs inside the binary,
// so that the tool runs them from whatever directory it is started in. It owns the
// files' names, "regress/4294/pipeline_head_is_no_stall.txt", and nothing else: what
// they mean is the matter of traces/scenario.
//
// # Invariants
//
//   - Every scenario file of this folder is in [Files], under its slash-separated path.
package testdata

import (
	"embed"
	"io/fs"
)

//go:embed */*.txt */*/*.txt
var files embed.FS

// Files holds every scenario by its path below this folder.
func Files() fs.FS { return files }
