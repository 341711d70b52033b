package verify

import (
	"runtime/debug"
	"sync"
)

// Version is the version of this program: that of a released module, or "devel".
func Version() string { return build().version }

// Revision is the commit that this program was built from, with "+changes" behind it
// if files had been changed; empty if the build does not tell.
func Revision() string { return build().revision }

type buildInfo struct{ version, revision string }

var build = sync.OnceValue(func() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildInfo{version: "devel"}
	}
	b := buildInfo{version: info.Main.Version}
	if b.version == "" || b.version == "(devel)" {
		b.version = "devel"
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			b.revision = setting.Value + b.revision
		case setting.Key == "vcs.modified" && setting.Value == "true":
			b.revision += "+changes"
		}
	}
	return b
})
