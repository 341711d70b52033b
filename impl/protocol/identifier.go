package protocol

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// IdentifierKind says how something is named.
type IdentifierKind uint8

// The kinds.
const (
	// ByID: by the number that its creation gave.
	ByID IdentifierKind = iota + 1
	// ByName: by its name.
	ByName
)

// Identifier names a stream, a topic, a user, a group or a consumer. The zero value names
// nothing and has no form. Identifiers are comparable.
type Identifier struct {
	Kind IdentifierKind
	// ID is the number, of kind ByID.
	ID uint32
	// Name is the name, of kind ByName: 1 to 255 bytes.
	Name string
}

// ID returns the identifier of a number.
func ID(id uint32) Identifier { return Identifier{Kind: ByID, ID: id} }

// Named returns the identifier of a name.
func Named(name string) Identifier { return Identifier{Kind: ByName, Name: name} }

// String returns the number in decimal, or the name quoted.
func (i Identifier) String() string {
	switch i.Kind {
	case ByID:
		return strconv.FormatUint(uint64(i.ID), 10)
	case ByName:
		return strconv.Quote(i.Name)
	}
	return "nothing"
}

// idBytes is the size of an identifier's number.
const idBytes = 4

func (c *coder) ident(field string, i *Identifier) {
	if c.refused != nil {
		return
	}
	enum(c, field+"_kind", &i.Kind, 0, uint8(ByName))
	if c.refused != nil {
		return
	}
	if i.Kind == ByName {
		c.name(field, &i.Name)
		return
	}
	at, value := c.offset(), []byte(nil)
	if !c.decoding {
		value = binary.LittleEndian.AppendUint32(nil, i.ID)
	}
	c.value(field, &value)
	switch {
	case c.refused != nil:
	case len(value) != idBytes:
		c.refuseAt(at, field, fmt.Sprintf("%d bytes", len(value)), "4 of a number")
	case c.decoding:
		i.ID = binary.LittleEndian.Uint32(value)
	}
}

// ConsumerKind says who reads.
type ConsumerKind uint8

// The kinds.
const (
	// Single: a consumer for itself.
	Single ConsumerKind = iota + 1
	// Group: a member of a group of consumers.
	Group
)

// Consumer is who reads a partition, and whose offset is stored.
type Consumer struct {
	Kind ConsumerKind
	ID   Identifier
}

func (c *coder) consumer(v *Consumer) {
	enum(c, "consumer_kind", &v.Kind, 0, uint8(Group))
	c.ident("consumer", &v.ID)
}

// Selector names a partition, or leaves it to the node. The zero value leaves it.
type Selector struct {
	// Given says that Partition is named.
	Given     bool
	Partition uint32
}

// InPartition names a partition.
func InPartition(id uint32) Selector { return Selector{Given: true, Partition: id} }

func (c *coder) selector(v *Selector) {
	c.flag("has_partition", &v.Given)
	at := c.offset()
	c.u32("partition", &v.Partition)
	if c.refused == nil && !v.Given && v.Partition != 0 {
		c.refuseAt(at, "partition", fmt.Sprint(v.Partition), "0 where none is given")
	}
}
