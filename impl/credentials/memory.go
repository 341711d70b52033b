package credentials

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync"
	"time"
)

// Memory remembers for a while which passwords were right, so that a client that logs in again and
// again, while its cluster has no primary say, does not keep the processor busy with hashing. What
// it remembers is a digest under a key of its own; a wrong password is never remembered, and one
// that was right counts for the very hash that it was compared with: a new password ends it.
//
// It may be used from several goroutines.
type Memory struct {
	key  [sha256.Size]byte
	max  int
	keep time.Duration

	mu   sync.Mutex
	seen map[[sha256.Size]byte]time.Time
}

// NewMemory returns one for so many passwords, each for so long, with a key from random.
//
// Errors: random's.
func NewMemory(random io.Reader, passwords int, keep time.Duration) (*Memory, error) {
	m := &Memory{max: passwords, keep: keep, seen: make(map[[sha256.Size]byte]time.Time)}
	if _, err := io.ReadFull(random, m.key[:]); err != nil {
		return nil, err
	}
	return m, nil
}

// Knows says whether the password was right for the hash, at most so long ago as it is kept.
func (m *Memory) Knows(stored, password string, now time.Time) bool {
	digest := m.digest(stored, password)
	m.mu.Lock()
	defer m.mu.Unlock()
	at, known := m.seen[digest]
	return known && now.Sub(at) < m.keep
}

// Verify is [VerifyPassword], which it leaves out for what it knows.
func (m *Memory) Verify(stored, password string, now time.Time) bool {
	if m.Knows(stored, password, now) {
		return true
	}
	if !VerifyPassword(stored, password) {
		return false
	}
	digest := m.digest(stored, password)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) >= m.max {
		clear(m.seen) // Each is found out again at the cost of one hash.
	}
	m.seen[digest] = now
	return true
}

func (m *Memory) digest(stored, password string) [sha256.Size]byte {
	text := append([]byte(nil), m.key[:]...)
	text = binary.LittleEndian.AppendUint64(text, uint64(len(stored)))
	text = append(append(text, stored...), password...)
	return sha256.Sum256(text)
}
