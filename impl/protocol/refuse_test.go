package protocol

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		hex  string
		body Body
		want string
	}{
		"an empty name": {
			"00", &TokenRef{},
			"decode TokenRef: name at byte 0: got 0 bytes, expected 1 to 255",
		},
		"a name that is cut": {
			"0363", &TokenRef{}, "decode TokenRef: name at byte 1: got 1 bytes, expected 3",
		},
		"a name that is no text": {
			"01ff", &TokenRef{}, `decode TokenRef: name at byte 0: got "\xff", expected UTF-8`,
		},
		"bytes behind the end": {
			"016300", &TokenRef{},
			"decode TokenRef: end at byte 2: got 1 more bytes, expected the end of the body",
		},
		"an unknown kind of identifier": {
			"0304", &UserRef{}, "decode UserRef: user_kind at byte 0: got 3, expected 1 to 2",
		},
		"a number of three bytes": {
			"0103000000", &UserRef{},
			"decode UserRef: user at byte 1: got 3 bytes, expected 4 of a number",
		},
		"a flag of 2": {
			"01047b00000002", &UpdatePermissions{},
			"decode UpdatePermissions: has_permissions at byte 6: got 2, expected 0 or 1",
		},
		"permissions of another size": {
			"01047b000000010c000000000000000000000000000000", &UpdatePermissions{},
			"decode UpdatePermissions: permissions at byte 22: got 1 more bytes, " +
				"expected the end of its 12 bytes",
		},
		"an option twice": {
			"0173" + "0201000000610201000000620201000000610201000000" + "63", &CreateStream{},
			`decode CreateStream: option_key at byte 14: got "a" again, expected each key once`,
		},
		"an option without a value": {
			"0173" + "0201000000610200000000", &CreateStream{},
			"decode CreateStream: option_value at byte 9: got 0 bytes, expected 1 to 255",
		},
		"an option whose key is a number": {
			"0173" + "0c0100000061020100000062", &CreateStream{},
			"decode CreateStream: option_key_kind at byte 2: got 12, expected 2, a text",
		},
		"more items than bytes": {
			"ffffffff", &SendReply{},
			"decode SendReply: stream at byte 4: got 0 bytes, expected 4",
		},
		"a batch whose partition the node chooses, with a value": {
			"15000000" + "0104070000000104010000000104" + "01000000" + "000000", &Send{},
			"decode Send: partitioning_value at byte 17: got 4 bytes, " +
				"expected none where the node chooses",
		},
		"a payload behind rejections": {
			"0100000000000000f403000000", &Result{},
			"decode Result: payload at byte 12: got more bytes, expected none behind rejections",
		},
		"a rejection without a reason": {
			"010000000000000000000000", &Result{},
			"decode Result: status at byte 8: got 0, expected a reason",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := hex.DecodeString(tc.hex)
			require.NoError(t, err)
			assert.EqualError(t, Decode(body, tc.body), tc.want)
		})
	}
}

func TestNoPartitionIsZero(t *testing.T) {
	t.Parallel()
	body, err := Encode(&GetOffset{
		Consumer: Consumer{Single, ID(1)}, Stream: ID(1), Topic: ID(1),
	})
	require.NoError(t, err)
	body[len(body)-1] = 1
	assert.ErrorContains(t, Decode(body, &GetOffset{}), "expected 0 where none is given")
}

func TestValuesWithoutAForm(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 256)
	var many []Option
	for i := range OptionsMax + 1 {
		many = append(many, TextOption(fmt.Sprint(i), "v"))
	}
	for name, tc := range map[string]struct {
		body Body
		want string
	}{
		"a name that is too long": {
			&TokenRef{Name: long}, "encode TokenRef: name at byte 0: got 256 bytes, expected 1 to 255",
		},
		"no name": {
			&CreateToken{}, "encode CreateToken: name at byte 0: got 0 bytes, expected 1 to 255",
		},
		"an identifier of nothing": {
			&UserRef{}, "encode UserRef: user_kind at byte 0: got 0, expected 1 to 2",
		},
		"no strategy": {
			&Poll{Consumer: Consumer{Single, ID(1)}, Stream: ID(1), Topic: ID(1)},
			"encode Poll: strategy at byte 24: got 0, expected 1 to 5",
		},
		"no role": {
			&Member{Name: "n", Address: "a", Health: Healthy},
			"encode Member: role at byte 18: got 255, expected 0 to 1",
		},
		"too many options": {
			&CreateStream{Name: "s", Options: many},
			"encode CreateStream: options at byte",
		},
		"a key that is too long": {
			&Send{
				Stream: ID(1), Topic: ID(1),
				Partitioning: Partitioning{Kind: ByKey, Key: []byte(long)},
			},
			"encode Send: partitioning_value at byte 17: got 256 bytes, expected at most 255",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Append([]byte("before"), tc.body)
			assert.ErrorContains(t, err, tc.want)
			assert.Equal(t, "before", string(got))
			assert.Panics(t, func() { MustAppend(nil, tc.body) })
		})
	}
}

func TestALoginIsWhatFits(t *testing.T) {
	t.Parallel()
	version := Version{Protocol: 1, Library: "go", Release: "1"}
	byName, err := Encode(&Login{Version: version, User: "ada", Password: "secret"})
	require.NoError(t, err)
	byToken, err := Encode(&LoginWithToken{Version: version, Token: "t0k3n"})
	require.NoError(t, err)

	got, err := DecodeLogin(byName)
	require.NoError(t, err)
	assert.Equal(t, Credentials{Version: version, User: "ada", Password: "secret"}, got)
	got, err = DecodeLogin(byToken)
	require.NoError(t, err)
	assert.Equal(t, Credentials{Version: version, Token: "t0k3n"}, got)
	_, err = DecodeLogin(byName[:len(byName)-1])
	assert.ErrorContains(t, err, "decode Login: context at byte")
}

func TestResults(t *testing.T) {
	t.Parallel()
	body, err := Success(nil, &RawToken{Token: "t"})
	require.NoError(t, err)
	assert.Equal(t, "000000000174", hex.EncodeToString(body))
	body, err = Success(nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "00000000", hex.EncodeToString(body))
	_, err = Success(nil, &RawToken{})
	assert.ErrorContains(t, err, "encode RawToken")

	var got Result
	require.NoError(t, Decode(Reject(nil, StatusStreamExists), &got))
	assert.Equal(t, []Rejection{{Status: StatusStreamExists}}, got.Rejections)
}
