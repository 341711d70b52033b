package protocol

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bytes that upstream's clients and nodes exchange, written by hand from its formats.
func TestBytesAreUpstreams(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		hex  string
		body Body
	}{
		"a token by name": {
			"02 6369",
			&TokenRef{Name: "ci"},
		},
		"a token of an hour": {
			"04 74657374 100e000000000000",
			&CreateToken{Name: "test", Expiry: 3600},
		},
		"a user without rights": {
			"01 75 01 70 01 00",
			&CreateUser{Name: "u", Password: "p", Status: UserActive},
		},
		"a user by number": {
			"01 04 7b000000",
			&UserRef{User: ID(123)},
		},
		"a user by name": {
			"02 05 61646d696e",
			&UserRef{User: Named("admin")},
		},
		"a password": {
			"01 04 01000000 03 6f6c64 03 6e6577",
			&ChangePassword{User: ID(1), Current: "old", New: "new"},
		},
		"a topic": {
			"02 06 73747265616d 02000000 05 746f706963",
			&CreateTopic{Stream: Named("stream"), Partitions: 2, Name: "topic"},
		},
		"segments": {
			"02 06 73747265616d 01 04 01000000 02000000 03000000",
			&DeleteSegments{
				Stream:    Named("stream"),
				Topic:     ID(1),
				Partition: 2,
				Segments:  3,
			},
		},
		"an offset of a group": {
			"02 02 04 67727031 02 06 6576656e7473 01 04 05000000 01 03000000",
			&GetOffset{
				Consumer:  Consumer{Group, Named("grp1")},
				Stream:    Named("events"),
				Topic:     ID(5),
				Partition: InPartition(3),
			},
		},
		"an offset, anywhere": {
			"01 01 04 7b000000 01 04 01000000 01 04 02000000 00 00000000",
			&GetOffset{Consumer: Consumer{Single, ID(123)}, Stream: ID(1), Topic: ID(2)},
		},
		"every right": {
			"01 01 01 01 01 01 01 01 01 01 00",
			&Permissions{
				GlobalPermissions: GlobalPermissions{
					true, true, true, true, true, true, true, true, true, true,
				},
			},
		},
		"a change of a topic": {
			"02 06 73747265616d 01 04 01000000 0c 7570646174655f746f706963 02 " +
				"0e000000 6d6573736167655f657870697279 0c 08000000 6400000000000000",
			&UpdateTopic{
				Stream:  Named("stream"),
				Topic:   ID(1),
				Name:    "update_topic",
				Options: []Option{NumberOption(OptionExpiry, 100)},
			},
		},
		"a login": {
			"002c0000 02 676f 01 31 04 69676779 04 69676779 00000000",
			&Login{
				Version:  Version{ProtocolVersion, "go", "1"},
				User:     "iggy",
				Password: "iggy",
			},
		},
		"the reply of a login": {
			"01000000 0700000000000000 002c0000 05 302e31312e",
			&LoginReply{
				UserID:         1,
				Session:        7,
				ServerProtocol: ProtocolVersion,
				ServerVersion:  "0.11.",
			},
		},
		"where a batch went": {
			"01000000 01000000 02000000 03000000 0400000000000000",
			&SendReply{Confirmations: []Confirmation{{1, 2, 3, 4}}},
		},
		"an empty poll": {
			"01000000 0000000000000000 00000000",
			&PollReply{Partition: 1},
		},
		"a rejection": {
			"01000000 00000000 f4030000",
			&Result{Rejections: []Rejection{{Status: StatusStreamExists}}},
		},
		"a primary in a cluster": {
			"01000000 63 01000000 01000000 6e 01000000 61 9a1f 0000 0000 0000 00 00",
			&Roster{
				Name: "c",
				Members: []Member{
					{Name: "n", Address: "a", TCP: 8090, Role: RolePrimary, Health: Healthy},
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Encode(tc.body)
			require.NoError(t, err)
			assert.Equal(t, strings.ReplaceAll(tc.hex, " ", ""), hex.EncodeToString(got))
		})
	}
}
