package wire

import (
	"fmt"

	"github.com/zeebo/blake3"
)

// ChecksumOf returns the first 128 bits of the BLAKE3 digest of data, read little-endian. No
// data has a checksum too, and it is not zero.
func ChecksumOf(data []byte) Checksum {
	if len(data) == 0 {
		return checksumEmpty // most frames have no body
	}
	sum := blake3.Sum256(data)
	return Checksum(getU128(sum[:], 0))
}

// checksumEmpty is the checksum of no data; the first half of the digest af1349b9...
var checksumEmpty = func() Checksum {
	sum := blake3.Sum256(nil)
	return Checksum(getU128(sum[:], 0))
}()

// ClusterIDOf derives a cluster's id from its name, as upstream does.
func ClusterIDOf(name string) ClusterID { return ClusterID(ChecksumOf([]byte(name))) }

// seal writes both checksums of a frame that is complete otherwise.
func seal(frame []byte) {
	putU128(frame, offsetChecksumBody, Uint128(ChecksumOf(frame[HeaderBytes:])))
	header := frame[offsetChecksumBody:HeaderBytes]
	putU128(frame, offsetChecksum, Uint128(ChecksumOf(header)))
}

// checkFrame verifies size and seal, before anything else in the frame is believed.
func checkFrame(frame []byte) *FrameError {
	size, refused := frameSize(frame)
	if refused != nil {
		return refused
	}
	if size != len(frame) {
		return refuse(ReasonSize, "size", size, fmt.Sprintf("the frame's length %d", len(frame)))
	}
	if commandOf(frame) == CommandRequest && unsealed(frame) {
		return nil
	}
	if refused := checkHeaderChecksum(frame[:HeaderBytes]); refused != nil {
		return refused
	}
	got := Checksum(getU128(frame, offsetChecksumBody))
	if want := ChecksumOf(frame[HeaderBytes:]); got != want {
		return refuse(ReasonChecksumBody, "checksum_body", got, want.String())
	}
	return nil
}

// unsealed reports whether both checksums are absent, as upstream's clients leave them. One
// alone makes the frame sealed, and false.
func unsealed(frame []byte) bool {
	return getU128(frame, offsetChecksum).IsZero() && getU128(frame, offsetChecksumBody).IsZero()
}

func checkHeaderChecksum(header []byte) *FrameError {
	got := Checksum(getU128(header, offsetChecksum))
	if want := ChecksumOf(header[offsetChecksumBody:]); got != want {
		return refuse(ReasonChecksum, "checksum", got, want.String())
	}
	return nil
}

// FrameSize reads the size of a whole frame, in bytes, from its header. A stream transport
// reads [HeaderBytes] first, then the rest, then calls [Decode]. Nothing but the bounds has
// been verified then: a damaged size field is found out by Decode only.
//
// Errors: [*FrameError] with ReasonShort for less than a header, ReasonSize for a size below
// HeaderBytes or above [MaxFrameBytes]; the stream is lost then.
func FrameSize(header []byte) (int, error) {
	size, refused := frameSize(header)
	if refused != nil {
		return 0, refused
	}
	return size, nil
}

func frameSize(header []byte) (int, *FrameError) {
	if len(header) < HeaderBytes {
		return 0, refuse(ReasonShort, "frame", fmt.Sprintf("%d bytes", len(header)),
			fmt.Sprintf("at least %d", HeaderBytes))
	}
	size := sizeOf(header)
	if size < HeaderBytes || size > MaxFrameBytes {
		return 0, refuse(ReasonSize, "size", size,
			fmt.Sprintf("%d to %d", HeaderBytes, MaxFrameBytes))
	}
	return int(size), nil
}

// checkBodyLimit refuses a request or prepare that no RepairPrepare could carry.
func checkBodyLimit(size uint32) *FrameError {
	if size < HeaderBytes || size > HeaderBytes+MaxBodyBytes {
		return refuse(ReasonSize, "size", size,
			fmt.Sprintf("%d to %d", HeaderBytes, HeaderBytes+MaxBodyBytes))
	}
	return nil
}
