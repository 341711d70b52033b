package transport

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	helloMagic = "vsmesh\x00\x01" // The last byte is the version of the handshake.
	helloBytes = 64
	nonceBytes = 32
	proofBytes = sha256.Size

	labelDialer   = "viewstamp mesh dialer"
	labelListener = "viewstamp mesh listener"
)

// Verdict is what a listener of the mesh says to who dialed it.
type Verdict uint8

// The verdicts.
const (
	VerdictWelcome Verdict = iota + 1
	// VerdictMagic: the other end speaks something else, or another version of it.
	VerdictMagic
	// VerdictCluster: it is of another cluster.
	VerdictCluster
	// VerdictReplica: it is no replica of the cluster, or it is this one.
	VerdictReplica
	// VerdictAddressee: it looks for another replica at this address.
	VerdictAddressee
	// VerdictCount: it believes in another number of replicas.
	VerdictCount
	// VerdictProof: it does not have the cluster's key.
	VerdictProof
)

var verdictNames = [...]string{
	VerdictWelcome:   "welcome",
	VerdictMagic:     "another protocol",
	VerdictCluster:   "another cluster",
	VerdictReplica:   "no replica of this cluster",
	VerdictAddressee: "another replica is expected at this address",
	VerdictCount:     "another number of replicas",
	VerdictProof:     "another key",
}

// String returns the reason in a few words.
func (v Verdict) String() string {
	if v == 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict(%d)", uint8(v))
	}
	return verdictNames[v]
}

// HandshakeError says that the two ends of a connection do not belong together.
type HandshakeError struct{ Verdict Verdict }

// Error gives the reason.
func (e *HandshakeError) Error() string { return "handshake: " + e.Verdict.String() }

// identity is what a process says of itself in the mesh.
type identity struct {
	cluster wire.ClusterID
	replica wire.ReplicaID
	count   int
	key     []byte
}

// hello is an identity and whom it is for.
type hello struct {
	cluster wire.ClusterID
	replica wire.ReplicaID
	to      wire.ReplicaID
	count   int
}

// encode draws a fresh nonce.
func (h hello) encode() []byte {
	b := make([]byte, 0, helloBytes)
	b = append(b, helloMagic...)
	b = binary.LittleEndian.AppendUint64(b, h.cluster.Lo)
	b = binary.LittleEndian.AppendUint64(b, h.cluster.Hi)
	b = append(b, byte(h.replica), byte(h.to), byte(h.count), 0, 0, 0, 0, 0)
	b = b[:helloBytes]
	_, _ = rand.Read(b[helloBytes-nonceBytes:]) // It never fails; the program ends if it does.
	return b
}

func decodeHello(b []byte) (hello, Verdict) {
	if string(b[:len(helloMagic)]) != helloMagic {
		return hello{}, VerdictMagic
	}
	return hello{
		cluster: wire.ClusterID{
			Lo: binary.LittleEndian.Uint64(b[8:]), Hi: binary.LittleEndian.Uint64(b[16:]),
		},
		replica: wire.ReplicaID(b[24]), to: wire.ReplicaID(b[25]), count: int(b[26]),
	}, VerdictWelcome
}

// check says whether the other end belongs here.
func (id identity) check(h hello) Verdict {
	switch {
	case h.cluster != id.cluster:
		return VerdictCluster
	case h.count != id.count:
		return VerdictCount
	case int(h.replica) >= id.count || h.replica == id.replica:
		return VerdictReplica
	case h.to != id.replica:
		return VerdictAddressee
	}
	return VerdictWelcome
}

func (id identity) proof(label string, dialer, listener []byte) []byte {
	mac := hmac.New(sha256.New, id.key)
	mac.Write([]byte(label))
	mac.Write(dialer)
	mac.Write(listener)
	return mac.Sum(nil)
}

// dial shows the listener who we are, and checks that it is replica to of our cluster.
//
// Errors: *HandshakeError; what the connection says. Close the connection then.
func (id identity) dial(conn net.Conn, to wire.ReplicaID, limit time.Duration) error {
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	mine := hello{cluster: id.cluster, replica: id.replica, to: to, count: id.count}.encode()
	if _, err := conn.Write(mine); err != nil {
		return err
	}
	if err := readVerdict(conn); err != nil {
		return err
	}
	answer := make([]byte, helloBytes+proofBytes)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	theirs := answer[:helloBytes]
	h, verdict := decodeHello(theirs)
	if verdict == VerdictWelcome {
		verdict = id.check(h)
	}
	if verdict == VerdictWelcome && h.replica != to {
		verdict = VerdictAddressee
	}
	if verdict != VerdictWelcome {
		return &HandshakeError{verdict}
	}
	if !hmac.Equal(answer[helloBytes:], id.proof(labelListener, mine, theirs)) {
		return &HandshakeError{VerdictProof}
	}
	if _, err := conn.Write(id.proof(labelDialer, mine, theirs)); err != nil {
		return err
	}
	if err := readVerdict(conn); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
}

func readVerdict(conn net.Conn) error {
	var verdict [1]byte
	if _, err := io.ReadFull(conn, verdict[:]); err != nil {
		return err
	}
	if Verdict(verdict[0]) != VerdictWelcome {
		return &HandshakeError{Verdict(verdict[0])}
	}
	return nil
}

// accept finds out who has dialed us.
//
// Errors as with dial.
func (id identity) accept(conn net.Conn, limit time.Duration) (wire.ReplicaID, error) {
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return 0, err
	}
	theirs := make([]byte, helloBytes)
	if _, err := io.ReadFull(conn, theirs); err != nil {
		return 0, err
	}
	h, verdict := decodeHello(theirs)
	if verdict == VerdictWelcome {
		verdict = id.check(h)
	}
	if verdict != VerdictWelcome {
		return 0, refuse(conn, verdict)
	}
	mine := hello{
		cluster: id.cluster, replica: id.replica, to: h.replica, count: id.count,
	}.encode()
	answer := append([]byte{byte(VerdictWelcome)}, mine...)
	answer = append(answer, id.proof(labelListener, theirs, mine)...)
	if _, err := conn.Write(answer); err != nil {
		return 0, err
	}
	proof := make([]byte, proofBytes)
	if _, err := io.ReadFull(conn, proof); err != nil {
		return 0, err
	}
	if !hmac.Equal(proof, id.proof(labelDialer, theirs, mine)) {
		return 0, refuse(conn, VerdictProof)
	}
	if _, err := conn.Write([]byte{byte(VerdictWelcome)}); err != nil {
		return 0, err
	}
	return h.replica, conn.SetDeadline(time.Time{})
}

// refuse tells the other end why, so that its log can say so, too.
func refuse(conn net.Conn, verdict Verdict) error {
	_, _ = conn.Write([]byte{byte(verdict)}) // It may have gone: the connection is closed anyway.
	return &HandshakeError{verdict}
}
