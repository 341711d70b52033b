package metadata_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// large is a catalogue of 1,000 streams with 10 topics of 10 partitions each: 100,000 groups.
func large(b *testing.B) *metadata.Machine {
	m := metadata.New(metadata.DefaultLimits())
	for s := range uint32(1000) {
		run(b, m, 1, opCreateStream, body(fmt.Sprintf("stream-%d", s)))
		for t := range 10 {
			code, _ := run(b, m, 1, opCreateTopic,
				body(id(s+1), uint32(10), fmt.Sprintf("topic-%d", t)))
			require.Zero(b, code)
		}
	}
	m.TakeChanges()
	return m
}

func BenchmarkExecute(b *testing.B) {
	prepare := func(op wire.Operation, body []byte) *wire.Prepare {
		return &wire.Prepare{Header: wire.PrepareHeader{Operation: op}, Body: body}
	}
	b.Run("create and delete a stream", func(b *testing.B) {
		m := large(b)
		create := prepare(opCreateStream, body("new"))
		drop := prepare(opDeleteStream, body(named("new")))
		b.ReportAllocs()
		for b.Loop() {
			m.Execute(create)
			m.Execute(drop)
		}
	})
	b.Run("create and delete a topic of 10 partitions", func(b *testing.B) {
		m := large(b)
		create := prepare(opCreateTopic, body(id(500), uint32(10), "new"))
		drop := prepare(opDeleteTopic, body(id(500), named("new")))
		b.ReportAllocs()
		for b.Loop() {
			m.Execute(create)
			m.Execute(drop)
		}
	})
	b.Run("refuse", func(b *testing.B) {
		m := large(b)
		create := prepare(opCreateStream, body("stream-7"))
		b.ReportAllocs()
		for b.Loop() {
			m.Execute(create)
		}
	})
}

func BenchmarkQuery(b *testing.B) {
	m := large(b)
	for name, tc := range map[string]struct {
		code uint32
		body []byte
	}{
		"a topic by name": {codeGetTopic, body(named("stream-7"), named("topic-3"))},
		"1,000 streams":   {codeListStream, nil},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Query(tc.code, tc.body)
			}
		})
	}
}

func BenchmarkFindPartition(b *testing.B) {
	m := large(b)
	ref := protocol.TopicRef{Stream: protocol.Named("stream-7"), Topic: protocol.Named("topic-3")}
	b.ReportAllocs()
	for b.Loop() {
		if group, status := m.FindPartition(ref, 3); status != 0 || m.MaySend(0, group) != 0 {
			b.Fatal(status)
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	m := large(b)
	snapshot := m.AppendSnapshot(nil)
	b.Run("append", func(b *testing.B) {
		b.SetBytes(int64(len(snapshot)))
		b.ReportAllocs()
		for b.Loop() {
			snapshot = m.AppendSnapshot(snapshot[:0])
		}
	})
	b.Run("restore", func(b *testing.B) {
		b.SetBytes(int64(len(snapshot)))
		b.ReportAllocs()
		for b.Loop() {
			if err := metadata.New(metadata.DefaultLimits()).Restore(snapshot); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("changes of 100,000 groups", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fresh := metadata.New(metadata.DefaultLimits())
			if err := fresh.Restore(snapshot); err != nil {
				b.Fatal(err)
			}
			if len(fresh.TakeChanges()) != 100_000 {
				b.Fatal("not all groups")
			}
		}
	})
}
