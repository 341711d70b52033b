package sessions_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces/sessions"
)

type (
	message = clienttable.Message
	row     = clienttable.Row
)

// defective is a production table that a defect stands before: what it is told, what it says
// and what it stores may be changed on the way. A nil function changes nothing.
type defective struct {
	*clienttable.Table
	defect defect
}

type defect struct {
	// config changes what the table is made with.
	config func(c *clienttable.Config)
	// told changes a message that executes, asked one that is asked about. w is its client's
	// row, zero if there is none.
	told, asked func(m *message, w row)
	// said changes an answer, stored a snapshot before it is stored, restored before it is
	// read. op is the table's.
	said             func(a *clienttable.Answer, m message, op wire.Op)
	stored, restored func(c clienttable.Config, snapshot []byte) []byte
}

func (d defective) row(m message) row {
	for _, w := range d.Rows() {
		if w.Client == m.Client {
			return w
		}
	}
	return row{}
}

func (d defective) Execute(op wire.Op, m message) clienttable.Result {
	told := m
	if d.defect.told != nil {
		d.defect.told(&told, d.row(m))
	}
	return d.Table.Execute(op, told)
}

func (d defective) Answer(m message) clienttable.Answer {
	asked := m
	if d.defect.asked != nil {
		d.defect.asked(&asked, d.row(m))
	}
	a := d.Table.Answer(asked)
	if d.defect.said != nil {
		d.defect.said(&a, m, d.Op())
	}
	return a
}

func (d defective) AppendSnapshot(dst []byte) []byte {
	snapshot := d.Table.AppendSnapshot(nil)
	if d.defect.stored != nil {
		snapshot = reseal(d.defect.stored(d.Config(), snapshot))
	}
	return append(dst, snapshot...)
}

// maker makes tables with a defect.
func (d defect) maker() sessions.Maker {
	return sessions.Maker{
		New: func(c clienttable.Config) sessions.Table {
			if d.config != nil {
				d.config(&c)
			}
			return defective{clienttable.New(c), d}
		},
		Restore: func(c clienttable.Config, snapshot []byte) (sessions.Table, error) {
			if d.config != nil {
				d.config(&c)
			}
			if d.restored != nil {
				snapshot = reseal(d.restored(c, slices.Clone(snapshot)))
			}
			made, err := clienttable.Restore(c, snapshot)
			return defective{made, d}, err
		},
	}
}

// Places in a snapshot, see the package comment of impl/clienttable.
const (
	atCapacity, atRows, atSlots, checksumBytes = 8, 20, 32, 16
)

func reseal(snapshot []byte) []byte {
	end := len(snapshot) - checksumBytes
	sum := wire.ChecksumOf(snapshot[:end])
	binary.LittleEndian.PutUint64(snapshot[end:], sum.Lo)
	binary.LittleEndian.PutUint64(snapshot[end+8:], sum.Hi)
	return snapshot
}

// defects are named as the mutants of Sessions.tla where they are the same.
var defects = map[string]defect{
	"none":                   {},
	"gaps_allowed":           {config: func(c *clienttable.Config) { c.Shape = clienttable.Upstream }},
	"ring_too_small":         {config: func(c *clienttable.Config) { c.Ring = 1 }},
	"capacity_of_own_config": {config: func(c *clienttable.Config) { c.Capacity++ }},
	"replies_not_kept":       {config: func(c *clienttable.Config) { c.ReplyBytes = 0 }},
	"register_not_idempotent": {told: func(m *message, w row) {
		if m.Kind == clienttable.Register && m.Number == w.Registration {
			m.Number++
		}
	}},
	"owner_in_preflight_only": {told: func(m *message, w row) {
		if m.Kind == clienttable.Register && w.Session > 0 {
			m.User = w.Owner
		}
	}},
	"duplicate_in_pipeline": {told: func(m *message, w row) {
		if m.Kind == clienttable.Request && m.Session == w.Session && m.Number <= w.Watermark {
			m.Number = w.Watermark + 1
		}
	}},
	"gaps_closed": {told: func(m *message, w row) {
		if m.Kind == clienttable.Request && m.Session == w.Session && m.Number > w.Watermark {
			m.Number = w.Watermark + 1
		}
	}},
	"request_of_old_session_executes": {told: func(m *message, w row) {
		if m.Kind == clienttable.Request && w.Session > 0 {
			m.Session = w.Session
		}
	}},
	"logout_replayed": {told: func(m *message, w row) {
		if m.Kind == clienttable.Logout && w.Session > 0 {
			m.Session = w.Session
		}
	}},
	"resize_one_more": {told: func(m *message, _ row) {
		if m.Kind == clienttable.Resize {
			m.Capacity++
		}
	}},
	"session_told_to_anyone": {asked: func(m *message, w row) {
		if m.Kind == clienttable.Register && w.Session > 0 {
			m.User = w.Owner
		}
	}},
	"checksum_ignored": {asked: func(m *message, w row) {
		for _, r := range w.Replies {
			if m.Kind == clienttable.Request && r.Number == m.Number {
				m.Checksum = r.Checksum
			}
		}
	}},
	"preflight_on_stale_primary": {said: func(a *clienttable.Answer, m message, op wire.Op) {
		if a.Kind == clienttable.Silent && m.Session > wire.SessionNumber(op) {
			*a = clienttable.Answer{Kind: clienttable.Over, Session: m.Session}
		}
	}},
	"dead_session_unanswered": {said: func(a *clienttable.Answer, _ message, _ wire.Op) {
		if a.Kind == clienttable.Over {
			*a = clienttable.Answer{Kind: clienttable.Silent}
		}
	}},
	"watermark_of_now": {said: func(a *clienttable.Answer, _ message, _ wire.Op) {
		if a.Kind == clienttable.SessionGiven {
			a.Watermark++
		}
	}},
	"reply_made_again": {said: func(a *clienttable.Answer, _ message, op wire.Op) {
		if a.Kind == clienttable.Replied {
			a.Body = slices.Clone(a.Body)
			a.Body[1] = byte(op)
		}
	}},
	"snapshot_loses_slots": {stored: func(_ clienttable.Config, b []byte) []byte {
		slots := b[atSlots : atSlots+int(binary.LittleEndian.Uint32(b[atCapacity:]))]
		slices.Sort(slots)
		slices.Reverse(slots)
		return b
	}},
	"table_not_in_checkpoint": {restored: func(_ clienttable.Config, b []byte) []byte {
		capacity := int(binary.LittleEndian.Uint32(b[atCapacity:]))
		binary.LittleEndian.PutUint32(b[atRows:], 0)
		clear(b[atSlots : atSlots+capacity])
		return b[:atSlots+capacity+checksumBytes]
	}},
	"capacity_not_in_checkpoint": {restored: func(c clienttable.Config, b []byte) []byte {
		capacity := int(binary.LittleEndian.Uint32(b[atCapacity:]))
		if binary.LittleEndian.Uint32(b[atRows:]) > 0 || c.Capacity > capacity {
			return b
		}
		binary.LittleEndian.PutUint32(b[atCapacity:], uint32(c.Capacity))
		return b[:atSlots+c.Capacity+checksumBytes]
	}},
}

// A table that breaks a rule is found, and the same wrapping without a defect is not.
func TestEveryDefectOfTheTableIsFound(t *testing.T) {
	t.Parallel()
	const walks = 200
	for name, d := range defects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range sessions.Large() {
					err := sessions.NewGroup(b.Config, d.maker()).Follow(sessions.Walk(b.Config, seed))
					if err == nil {
						continue
					}
					var mismatch *sessions.Mismatch
					require.ErrorAs(t, err, &mismatch)
					assert.NotEmpty(t, mismatch.What)
					assert.NotEqual(t, mismatch.Model, mismatch.Table)
					require.NotEqual(t, "none", name)
					t.Log(err)
					return
				}
				if name == "none" && seed == walks/10 {
					return
				}
			}
			assert.Fail(t, "the defect was not found")
		})
	}
}

// A difference is said on one line: where, in which respect, and what the two sides say.
func TestAMismatchSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	c := sessions.Graphs()[3].Config
	p := sessions.Walk(c, 1)
	p[0].State.Table[0].Slots = 2
	err := sessions.NewGroup(c, sessions.Production()).Follow(p)
	require.EqualError(t, err, "step 0, initial state: replica 0, capacity: model 2, table 1")
}
