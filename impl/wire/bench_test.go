package wire

import (
	"strings"
	"testing"
)

// The path that every op takes at every replica: a prepare with a body of 1 KiB.

func benchPrepare() *Prepare {
	p := samplePrepare(21, strings.Repeat("x", 1024))
	return &p
}

func BenchmarkSealPrepare(b *testing.B) {
	p := benchPrepare()
	b.ReportAllocs()
	for b.Loop() {
		p.Seal()
	}
}

func BenchmarkEncodePrepare(b *testing.B) {
	p := benchPrepare()
	frame := Encode(p)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		frame = AppendEncode(frame[:0], p)
	}
}

func BenchmarkDecodePrepare(b *testing.B) {
	frame := Encode(benchPrepare())
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(frame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodePrepareOK(b *testing.B) {
	m := &PrepareOK{Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Op: 21}
	frame := Encode(m)
	b.ReportAllocs()
	for b.Loop() {
		frame = AppendEncode(frame[:0], m)
	}
}

func BenchmarkDecodePrepareOK(b *testing.B) {
	frame := sampleFrame(CommandPrepareOK)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(frame); err != nil {
			b.Fatal(err)
		}
	}
}
