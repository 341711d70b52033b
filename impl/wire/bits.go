package wire

// Bits holds one bit an op, by position in the message's Headers: bit i speaks for
// Headers[i]. On the wire bit i is bit i%8, least significant first, of byte i/8; the bits
// that pad the last byte are zero.
type Bits []bool

// NewBits returns n cleared bits.
func NewBits(n int) Bits { return make(Bits, n) }

// Get returns bit i. A bit outside the set reads as false.
func (b Bits) Get(i int) bool { return i >= 0 && i < len(b) && b[i] }

// Count returns how many bits are set.
func (b Bits) Count() int {
	n := 0
	for _, set := range b {
		if set {
			n++
		}
	}
	return n
}

// bitsBytes is the size of n bits on the wire, in bytes.
func bitsBytes(n int) int { return (n + 7) / 8 }

// put writes the bits into dst, which must be zeroed and bitsBytes(len(b)) long.
func (b Bits) put(dst []byte) {
	for i, set := range b {
		if set {
			dst[i/8] |= 1 << (i % 8)
		}
	}
}

// getBits reads n bits from src. It reports false if a padding bit is set.
func getBits(src []byte, n int) (Bits, bool) {
	if n == 0 {
		return nil, true
	}
	b := NewBits(n)
	for i := range b {
		b[i] = src[i/8]&(1<<(i%8)) != 0
	}
	return b, n%8 == 0 || src[n/8]>>(n%8) == 0
}
