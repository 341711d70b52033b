package partition

import (
	"cmp"
	"slices"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// stored is the offset of a consumer.
type stored struct {
	consumer protocol.Consumer
	offset   uint64
}

// offsets are what consumers have stored, in the order of the consumers.
type offsets []stored

func compareConsumers(a, b protocol.Consumer) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID.Kind, b.ID.Kind),
		cmp.Compare(a.ID.ID, b.ID.ID), cmp.Compare(a.ID.Name, b.ID.Name),
	)
}

func (o offsets) find(c protocol.Consumer) (int, bool) {
	return slices.BinarySearchFunc(o, c, func(s stored, c protocol.Consumer) int {
		return compareConsumers(s.consumer, c)
	})
}

// get returns what a consumer has stored.
func (o offsets) get(c protocol.Consumer) (offset uint64, found bool) {
	i, found := o.find(c)
	if !found {
		return 0, false
	}
	return o[i].offset, true
}

// storeOffset sets an offset; as OperationAdvanceOffset it does not go back. It decides at the
// op, by what the partition has then.
func (m *Machine) storeOffset(p *wire.Prepare) protocol.Status {
	var body protocol.StoreOffset
	if protocol.Decode(p.Body, &body) != nil {
		return protocol.StatusInvalidFormat
	}
	if body.Offset >= m.next {
		return protocol.StatusInvalidOffset
	}
	i, found := m.offsets.find(body.Consumer)
	switch {
	case !found && len(m.offsets) >= ConsumersMax:
		return protocol.StatusFeatureUnavailable
	case !found:
		m.offsets = slices.Insert(m.offsets, i, stored{body.Consumer, body.Offset})
	case p.Header.Operation == OperationAdvanceOffset && m.config.Defect != DefectAdvanceLowers:
		m.offsets[i].offset = max(m.offsets[i].offset, body.Offset)
	default:
		m.offsets[i].offset = body.Offset
	}
	return protocol.StatusOK
}

func (m *Machine) deleteOffset(p *wire.Prepare) protocol.Status {
	var body protocol.DeleteOffset
	if protocol.Decode(p.Body, &body) != nil {
		return protocol.StatusInvalidFormat
	}
	i, found := m.offsets.find(body.Consumer)
	if !found {
		return protocol.StatusOffsetNotFound
	}
	m.offsets = slices.Delete(m.offsets, i, i+1)
	return protocol.StatusOK
}

// unread is the first offset that some consumer with a stored offset has not read.
func (m *Machine) unread() uint64 {
	least := m.next
	for _, s := range m.offsets {
		least = min(least, s.offset+1)
	}
	return least
}
