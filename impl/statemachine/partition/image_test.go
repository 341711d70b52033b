package partition_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// imageOf takes a checkpoint and reads its image, in pieces.
func imageOf(t *testing.T, m *partition.Machine) (snapshot, content []byte) {
	t.Helper()
	snapshot = checkpointed(t, m)
	image, err := m.OpenImage(snapshot)
	require.NoError(t, err)
	content, err = io.ReadAll(io.NewSectionReader(image, 0, image.Bytes()))
	require.NoError(t, err)
	require.Len(t, content, int(image.Bytes()))
	piece := make([]byte, 100)
	for at := range image.Bytes() - 100 {
		_, err := image.ReadAt(piece, at)
		require.NoError(t, err)
		require.Equal(t, content[at:at+100], piece)
	}
	n, err := image.ReadAt(piece, image.Bytes()-1)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, 1, n)
	require.NoError(t, image.Close())
	return snapshot, content
}

// Whatever is wrong with an image: it is refused, and nothing has changed.
func TestInstallRefusesWhatIsNotTheImage(t *testing.T) {
	t.Parallel()
	snapshot, image := imageOf(t, ten(t, config(memdisk.New(1))))
	other, _ := imageOf(t, ten(t, config(memdisk.New(1))))
	require.Equal(t, snapshot, other, "equal states, equal snapshots")

	disk := memdisk.New(1)
	m := ten(t, config(disk))
	m.Execute(prepare(6, 600, protocol.OperationSend, sendBody(t, "more")))
	checkpointed(t, m)
	before := files(t, disk)
	install := func(content []byte) error {
		return m.Install(snapshot, bytes.NewReader(content), 0, int64(len(content)))
	}
	refused := func(content []byte, what string) {
		var wrong *segment.ImageError
		require.ErrorAs(t, install(content), &wrong, what)
		require.Equal(t, before, files(t, disk), what)
	}
	for at := 0; at < len(image); at += 3 {
		image[at] ^= 4
		refused(image, "a flipped bit")
		image[at] ^= 4
	}
	refused(nil, "nothing")
	refused(image[:len(image)-1], "a byte less")
	refused(append(image, 0), "a byte more")
	refused(append(image, image...), "twice")

	disk.Limit(disk.UsedBytes() + 100)
	require.ErrorIs(t, install(image), storage.ErrFull)
	require.Equal(t, before, files(t, disk))
	disk.Limit(0)
	require.NoError(t, install(image))
	require.ErrorContains(t, m.Install(nil, nil, 0, 0), "no snapshot")

	memory := partition.New(config(nil))
	_, err := memory.OpenImage(snapshot)
	require.ErrorContains(t, err, "no disk")
	require.ErrorContains(t, memory.Install(snapshot, nil, 0, 0), "no disk")
	require.NoError(t, memory.Persist())
	require.NoError(t, memory.Paired())
}

// The files of a checkpoint stay until the next is paired, though ops drop them meanwhile; so
// its image can be read as long.
func TestAnImageOutlivesAPurge(t *testing.T) {
	t.Parallel()
	m := ten(t, config(memdisk.New(1)))
	snapshot, content := imageOf(t, m)
	m.Execute(prepare(6, 600, partition.OperationPurge, partition.PurgeBody(1)))
	m.Execute(prepare(7, 700, protocol.OperationSend, sendBody(t, "more")))
	require.NoError(t, m.Materialise())
	require.NoError(t, m.Paired(), "of the checkpoint before the purge")
	image, err := m.OpenImage(snapshot)
	require.NoError(t, err)
	again, err := io.ReadAll(io.NewSectionReader(image, 0, image.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, content, again)
	require.NoError(t, image.Close())

	checkpointed(t, m)
	var lost *segment.LostError
	_, err = m.OpenImage(snapshot)
	require.ErrorAs(t, err, &lost)
}

func TestAnImageOfNothing(t *testing.T) {
	t.Parallel()
	from := ten(t, config(memdisk.New(1)))
	from.Execute(prepare(6, 600, partition.OperationPurge, partition.PurgeBody(1)))
	snapshot := checkpointed(t, from)
	image, err := from.OpenImage(snapshot)
	require.NoError(t, err)
	require.Zero(t, image.Bytes())
	to := closes(t, partition.New(config(memdisk.New(1))))
	require.NoError(t, to.Install(snapshot, image, 0, 0))
	require.NoError(t, to.Restore(snapshot))
	for _, m := range []*partition.Machine{from, to} {
		result := m.Execute(prepare(7, 700, protocol.OperationSend, sendBody(t, "more")))
		require.EqualValues(t, 10, confirmed(t, result))
	}
	assert.Equal(t, checkpointed(t, from), checkpointed(t, to))
}
