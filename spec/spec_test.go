package spec

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The modules of VSR, in name order: what VSR.tla extends or has an instance of, directly or
// not.
var vsrFiles = []string{
	"CommitWalk.tla", "MergeVote.tla", "Normal.tla", "Recovery.tla", "Repair.tla", "Replica.tla",
	"VSR.tla", "ViewChange.tla",
}

func TestModuleFilesFollowExtends(t *testing.T) {
	t.Parallel()
	files, err := ModuleFiles("VSR")
	require.NoError(t, err)
	assert.Equal(t, vsrFiles, slices.Sorted(maps.Keys(files)))

	files, err = ModuleFiles("PartitionLog")
	require.NoError(t, err)
	assert.Equal(t, []string{"PartitionLog.tla"}, slices.Sorted(maps.Keys(files)))

	_, err = ModuleFiles("Vsr")
	require.ErrorContains(t, err,
		`module "Vsr": no such module, expected AtomicViewChange, CommitWalk`)

	files, err = ModuleFiles("Refinement")
	require.NoError(t, err)
	assert.Contains(t, files, "VSR.tla", "it extends that module")
	assert.Contains(t, files, "AtomicViewChange.tla", "it has an instance of that one")
	assert.Contains(t, files, "Replica.tla")
}

func TestSHA256IsThatOfSha256sum(t *testing.T) {
	t.Parallel()
	files := Files()
	listing := ""
	for _, name := range vsrFiles {
		listing += fmt.Sprintf("%x  %s\n", sha256.Sum256(files[name]), name)
	}
	assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(listing))), SHA256("VSR"))
	assert.NotEqual(t, SHA256("VSR"), SHA256("PartitionLog"))
	assert.Empty(t, SHA256("Vsr"), "no hash for a module that does not exist")
}

func TestSHA256ChangesWithAnyFile(t *testing.T) {
	t.Parallel()
	before := SHA256("VSR")
	for _, name := range vsrFiles {
		files := Files()
		files[name] = append(files[name], '\n')
		changed, err := moduleFiles(files, "VSR")
		require.NoError(t, err)
		assert.NotEqual(t, before, hashFiles(changed), name)
	}
	files := Files()
	files["PartitionLog.tla"] = nil
	changed, err := moduleFiles(files, "VSR")
	require.NoError(t, err)
	assert.Equal(t, before, hashFiles(changed), "a module that VSR does not extend")
}

func TestFilesBelongToTheCaller(t *testing.T) {
	t.Parallel()
	files := Files()
	files["VSR.tla"][0] = 'X'
	delete(files, "Normal.tla")
	assert.NotEqual(t, files["VSR.tla"], Files()["VSR.tla"])
	assert.Contains(t, Files(), "Normal.tla")
	assert.Contains(t, Files(), "cfg/ci-110.cfg")
	assert.Contains(t, Files(), manifestFile)
	assert.Contains(t, Files(), "golden/ci-110.json")
}
