package protocol

import (
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Rejection says why one part of a committed request was not carried out.
type Rejection struct {
	// Place is that of the part in the request, 0 where there is only one.
	Place  uint32
	Status Status
}

// Result is the reply's body of an operation that [Framed] reports: rejections, or a payload.
type Result struct {
	// Rejections are empty if the request succeeded.
	Rejections []Rejection
	// Payload is the reply itself; there is none beside rejections.
	Payload []byte
}

func (r *Result) layout(c *coder) {
	counted(c, "rejections", &r.Rejections, func(c *coder, r *Rejection) {
		c.u32("place", &r.Place)
		at := c.offset()
		c.u32("status", (*uint32)(&r.Status))
		if c.refused == nil && r.Status == StatusOK {
			c.refuseAt(at, "status", "0", "a reason")
		}
	})
	at := c.offset()
	c.rest("payload", &r.Payload)
	if c.refused == nil && len(r.Rejections) > 0 && len(r.Payload) > 0 {
		c.refuseAt(at, "payload", "more bytes", "none behind rejections")
	}
}

// Success appends the result of a request that was carried out. The payload may be nil.
//
// Errors: those of [Append], for the payload.
func Success(dst []byte, payload Body) ([]byte, error) {
	out := append(dst, 0, 0, 0, 0)
	if payload == nil {
		return out, nil
	}
	out, err := Append(out, payload)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Reject appends the result of a request that was committed and not carried out.
func Reject(dst []byte, status Status) []byte {
	return MustAppend(dst, &Result{Rejections: []Rejection{{Status: status}}})
}

// Framed reports whether replies of the operation stand behind a result: those of metadata
// operations, of offsets, and of a login unless they are empty.
func Framed(o wire.Operation) bool {
	switch PlaneOf(o) {
	case PlaneMetadata:
		return o != wire.OperationLogout
	case PlanePartition:
		return o != OperationSend
	case PlaneNone:
	}
	return false
}
