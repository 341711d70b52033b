package wal_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// reseal puts a checksum on a header.
func reseal(header []byte, sum wire.Checksum) {
	binary.LittleEndian.PutUint64(header[112:], sum.Lo)
	binary.LittleEndian.PutUint64(header[120:], sum.Hi)
}

// A log of another version is refused before anything is changed: to recovery it would be damage,
// which is cut off. A magic that rot has changed is damage, and costs nothing, for the header is
// in the batch twice.
func TestALogOfAnotherVersionIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm func(b []byte) // The first batch, of 1,024 bytes: no record, or one.
		want byte           // 0: it is no other version.
	}{
		"version 1": {harm: func(b []byte) {
			b[3] = '1'
			reseal(b, wire.ChecksumOf(b[:112]))
		}, want: '1'},
		"version 1 as it was at first": {harm: func(b []byte) {
			b[3] = '1'
			index := wire.ChecksumOf(nil)
			reseal(b, index)
			reseal(b, wire.ChecksumOf(b[:128]))
		}, want: '1'},
		"a later version": {harm: func(b []byte) {
			b[3] = '3'
			reseal(b, wire.ChecksumOf(b[:112]))
		}, want: '3'},
		"rot of the magic":                          {harm: func(b []byte) { b[3] = '1' }},
		"rot of the magic and the count of records": {harm: func(b []byte) { b[3], b[6] = '1', 0xff }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			kept := prepare(1, 1, 100)
			store(t, l, kept)
			require.NoError(t, l.Close())
			file, err := disk.Open(firstFile)
			require.NoError(t, err)
			before := make([]byte, 16<<10)
			_, err = file.ReadAt(before, 0)
			require.NoError(t, err)
			tc.harm(before)
			_, err = file.WriteAt(before, 0)
			require.NoError(t, err)
			names, err := disk.List(directory)
			require.NoError(t, err)

			var version *wal.VersionError
			if tc.want != 0 { // A boot on a full disk begins with the spares.
				require.ErrorAs(t, wal.RemoveSpares(disk, directory), &version)
			}
			again, report, err := wal.Open(disk, config(2))
			if tc.want == 0 {
				require.NoError(t, err)
				requireHolds(t, again, report, kept)
				return
			}
			require.ErrorAs(t, err, &version)
			assert.Equal(t, wal.VersionError{Path: firstFile, Version: tc.want}, *version)
			require.ErrorContains(t, err, "open log: "+firstFile+" has version '"+
				string(rune(tc.want))+"' of the log's format, expected '2': ")
			after := make([]byte, len(before))
			_, err = file.ReadAt(after, 0)
			require.NoError(t, err)
			assert.True(t, slices.Equal(before, after), "the file is as it was")
			left, err := disk.List(directory)
			require.NoError(t, err)
			assert.Equal(t, names, left)
		})
	}
}
