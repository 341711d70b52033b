package tlc

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAJobTunesJava(t *testing.T) {
	t.Parallel()
	assert.Equal(t, longRun, Job{}.tuning())
	assert.Equal(t, shortRun, Job{Short: true}.tuning())
	deep := Job{Short: true, StackMiB: 64}.tuning()
	assert.Equal(t, append([]string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}, "-Xss64m"), deep)
	assert.NotContains(t, shortRun, "-Xss64m", "the job has options of its own")

	files := map[string][]byte{"M.tla": nil}
	assert.EqualError(t, Job{Files: files, Module: "M", StackMiB: -1}.validate(),
		"module M: expected a stack of at least 0 MiB, not -1")
}
