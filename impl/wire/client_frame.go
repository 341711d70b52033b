package wire

import (
	"fmt"
	"slices"
)

// Frames between a client and a node, to the byte as upstream's: they carry no checksums, no
// cluster and no group. TCP and TLS guard them; replicas exchange sealed frames only.

// commandEviction ends a client's session. It is no [Command], as no replica sends it to
// another.
const commandEviction = 13

// EvictionReason says why a session ended, or never began. The numbers are upstream's.
type EvictionReason uint8

// The reasons.
const (
	// EvictedNoSession: the client has none, or it is forgotten.
	EvictedNoSession EvictionReason = iota + 1
	// EvictedReleaseTooLow and EvictedReleaseTooHigh: of the client's release.
	EvictedReleaseTooLow
	EvictedReleaseTooHigh
	// EvictedInvalidOperation: the request's operation is none for clients.
	EvictedInvalidOperation
	// EvictedInvalidBody and EvictedInvalidBodySize: the request cannot be prepared.
	EvictedInvalidBody
	EvictedInvalidBodySize
	// EvictedSessionTooLow: a later Register of the client ended the session.
	EvictedSessionTooLow
	// EvictedSessionRelease: the session is of another release.
	EvictedSessionRelease
	// EvictedInvalidCredentials, EvictedInvalidToken, EvictedUserInactive: the login failed.
	EvictedInvalidCredentials
	EvictedInvalidToken
	EvictedUserInactive
	// EvictedSessionError: the node cannot say more.
	EvictedSessionError
	// EvictedStaleClient: it was silent for too long.
	EvictedStaleClient
	// EvictedIncompatibleProtocol: the protocol's version is outside of the window given.
	EvictedIncompatibleProtocol
	// EvictedMalformedLogin: the login has none of the forms.
	EvictedMalformedLogin
)

var evictionReasons = [...]string{
	EvictedNoSession:            "no_session",
	EvictedReleaseTooLow:        "client_release_too_low",
	EvictedReleaseTooHigh:       "client_release_too_high",
	EvictedInvalidOperation:     "invalid_request_operation",
	EvictedInvalidBody:          "invalid_request_body",
	EvictedInvalidBodySize:      "invalid_request_body_size",
	EvictedSessionTooLow:        "session_too_low",
	EvictedSessionRelease:       "session_release_mismatch",
	EvictedInvalidCredentials:   "invalid_credentials",
	EvictedInvalidToken:         "invalid_token",
	EvictedUserInactive:         "user_inactive",
	EvictedSessionError:         "session_error",
	EvictedStaleClient:          "stale_client",
	EvictedIncompatibleProtocol: "incompatible_protocol",
	EvictedMalformedLogin:       "malformed_login",
}

// String returns the name in snake_case, or "eviction(N)".
func (r EvictionReason) String() string {
	if r == 0 || int(r) >= len(evictionReasons) {
		return fmt.Sprintf("eviction(%d)", uint8(r))
	}
	return evictionReasons[r]
}

// Eviction tells a client that its session has ended or never began. Requests that were open
// in it have an unknown outcome.
type Eviction struct {
	Client ClientID // never zero
	Reason EvictionReason
	// ProtocolMax and ProtocolMin are the node's window; EvictedIncompatibleProtocol only.
	ProtocolMax, ProtocolMin uint32
}

const (
	evictionClient      = 128
	evictionProtocolMax = 144
	evictionProtocolMin = 148
	evictionReason      = 255
)

// AppendClientRequest appends the frame of a request as a client sends it. Cluster and group
// are left out: the node knows its cluster, and the operation and body name the group.
func AppendClientRequest(dst []byte, m *Request) []byte {
	checkBody(m, len(m.Body))
	bare := *m
	bare.Cluster, bare.Group = ClusterID{}, 0
	return appendUnsealed(dst, CommandRequest, len(m.Body), func(frame []byte) {
		putRequest(frame, &bare)
	})
}

// AppendClientReply appends the frame of a reply as a client gets it. Cluster and group are
// left out.
func AppendClientReply(dst []byte, m *Reply) []byte {
	bare := *m
	bare.Cluster, bare.Group = ClusterID{}, 0
	return appendUnsealed(dst, CommandReply, len(m.Body), func(frame []byte) {
		putU32(frame, offsetView, uint32(m.View))
		frame[offsetReplica] = uint8(m.Replica)
		putReply(frame, &bare)
	})
}

// AppendEviction appends the frame of an eviction.
func AppendEviction(dst []byte, m *Eviction) []byte {
	return appendUnsealed(dst, commandEviction, 0, func(frame []byte) {
		putU128(frame, evictionClient, Uint128(m.Client))
		putU32(frame, evictionProtocolMax, m.ProtocolMax)
		putU32(frame, evictionProtocolMin, m.ProtocolMin)
		frame[evictionReason] = uint8(m.Reason)
	})
}

func appendUnsealed(dst []byte, command Command, bodyBytes int, put func([]byte)) []byte {
	size := HeaderBytes + bodyBytes
	if size > MaxFrameBytes {
		panic(fmt.Sprintf("encode %s: frame of %d bytes, max %d", command, size, MaxFrameBytes))
	}
	start := len(dst)
	dst = slices.Grow(dst, size)[:start+size]
	frame := dst[start:]
	clear(frame[:HeaderBytes])
	putU32(frame, offsetSize, uint32(size))
	frame[offsetCommand] = uint8(command)
	put(frame)
	return dst
}

// FromNode is what a client receives: one of the two is set.
type FromNode struct {
	Reply    *Reply
	Eviction *Eviction
}

// DecodeFromNode reads one whole frame that a node sent to a client. A reply's body is a part
// of the frame. A frame with a seal is verified; upstream's nodes send none.
//
// Errors: always a [*FrameError].
func DecodeFromNode(frame []byte) (FromNode, error) {
	from, refused := decodeFromNode(frame)
	if refused != nil {
		return FromNode{}, refused // *FrameError, never a nil one in an error
	}
	return from, nil
}

func decodeFromNode(frame []byte) (FromNode, *FrameError) {
	size, refused := frameSize(frame)
	if refused != nil {
		return FromNode{}, refused
	}
	if size != len(frame) {
		return FromNode{}, refuse(ReasonSize, "size", size,
			fmt.Sprintf("the frame's length %d", len(frame)))
	}
	if !unsealed(frame) {
		if refused := checkFrame(frame); refused != nil {
			return FromNode{}, refused
		}
	}
	if commandOf(frame) == CommandReply {
		m, refused := getReply(frame)
		if refused != nil {
			return FromNode{}, refused
		}
		return FromNode{Reply: m.(*Reply)}, nil
	}
	if commandOf(frame) == commandEviction {
		m, refused := getEviction(frame)
		return FromNode{Eviction: m}, refused
	}
	return FromNode{}, refuse(ReasonCommand, "command", commandOf(frame), "reply or eviction")
}

var evictionReserved = []span{
	{offsetCluster, offsetSize},
	{offsetView, offsetView + 4},
	{offsetReplica, offsetReplica + 1},
	{152, evictionReason},
}

func getEviction(frame []byte) (*Eviction, *FrameError) {
	if refused := checkNoBody(frame); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, evictionReserved); refused != nil {
		return nil, refused
	}
	m := &Eviction{
		Client:      ClientID(getU128(frame, evictionClient)),
		Reason:      EvictionReason(frame[evictionReason]),
		ProtocolMax: getU32(frame, evictionProtocolMax),
		ProtocolMin: getU32(frame, evictionProtocolMin),
	}
	switch {
	case m.Client.IsZero():
		return nil, refuse(ReasonRange, "client", 0, "nonzero")
	case m.Reason == 0:
		return nil, refuse(ReasonRange, "reason", 0, "nonzero")
	case m.Reason != EvictedIncompatibleProtocol && (m.ProtocolMax != 0 || m.ProtocolMin != 0):
		return nil, refuse(ReasonRange, "protocol window",
			fmt.Sprintf("%d to %d", m.ProtocolMin, m.ProtocolMax), "0 with reason "+m.Reason.String())
	}
	return m, nil
}
