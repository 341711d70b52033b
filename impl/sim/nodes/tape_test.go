package nodes

import (
	"encoding/binary"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// write changes a file of a disk behind everybody's back, without a flush.
func write(t *testing.T, p *process, name string, offset int64, content []byte) {
	t.Helper()
	f, err := p.disk.Open(name)
	require.NoError(t, err)
	_, err = f.WriteAt(content, offset)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// unchain gives a batch another one before it, in both of its headers.
func unchain(t *testing.T, p *process, b rawBatch) {
	t.Helper()
	h := append([]byte(nil), p.disk.Contents(b.at.path, false)[b.at.offset:][:rawHeaderBytes]...)
	h[32] ^= 1
	sum := wire.ChecksumOf(h[:rawChecked])
	binary.LittleEndian.PutUint64(h[rawChecked:], sum.Lo)
	binary.LittleEndian.PutUint64(h[rawChecked+8:], sum.Hi)
	write(t, p, b.at.path, b.at.offset, h)
	write(t, p, b.at.path, b.at.offset+b.at.bytes-rawHeaderBytes, h)
}

// Every check of a log and of its superblock must be able to fail: each case spoils one thing of a
// sound run.
func TestEachCheckOfALogFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		want  string
		spoil func(*testing.T, *simulation, *process)
	}{
		"a batch does not follow the one before": {
			want: FailBoot,
			spoil: func(t *testing.T, s *simulation, p *process) {
				unchain(t, p, p.tape.newest)
				s.check.recovered(p)
			},
		},
		"what was flushed last is gone": {
			want: FailPromise,
			spoil: func(_ *testing.T, s *simulation, p *process) {
				p.tape.flushed = "of no batch here"
				s.check.recovered(p)
			},
		},
		"a doubt ends with a boot": {
			want: FailPromise,
			spoil: func(_ *testing.T, s *simulation, p *process) {
				p.tape.doubted = map[wire.GroupID]uint64{0: p.tape.newest.sequence}
				s.check.recovered(p)
			},
		},
		"what was cut stays": {
			want: FailBoot,
			spoil: func(t *testing.T, s *simulation, p *process) {
				at := p.tape.next
				write(t, p, at.path, at.offset+1024, []byte("left over"))
				s.check.cleared(p, []wal.Discard{
					{File: path.Base(at.path), Offset: at.offset, Bytes: 9, Reason: wal.Orphaned},
				})
			},
		},
		"the superblock has one copy": {
			want: FailDurableFirst,
			spoil: func(t *testing.T, s *simulation, p *process) {
				at := path.Join(datadir.Superblock, superblock.FileB)
				require.NoError(t, p.disk.Rot(at, 40, 1))
				s.check.recovered(p)
			},
		},
		"a copy of the superblock is not flushed": {
			want: FailDurableFirst,
			spoil: func(t *testing.T, s *simulation, p *process) {
				at := path.Join(datadir.Superblock, superblock.FileA)
				write(t, p, at, 0, p.disk.Contents(at, false)[:1])
				s.check.recovered(p)
			},
		},
		"the log goes on, and is not flushed": {
			want: FailPromise,
			spoil: func(t *testing.T, s *simulation, p *process) {
				write(t, p, p.tape.next.path, p.tape.next.offset+1024, []byte("more"))
				f, err := p.disk.Create(fileName(p.tape.newest.sequence + 1))
				require.NoError(t, err)
				require.NoError(t, f.Allocate(1024))
				s.check.follow(p)
			},
		},
		"the log goes beyond its view": {
			want: FailAgreement,
			spoil: func(_ *testing.T, s *simulation, p *process) {
				s.check.groups[0].heads = heads{}
				backup := (int(p.state(0).LogView) + 1) % len(s.processes)
				s.check.withinView(s.processes[backup])
			},
		},
		"a vote has an op of an older view": {
			want: FailAgreement,
			spoil: func(_ *testing.T, s *simulation, p *process) {
				s.check.groups[0].heads.started(&wire.StartView{View: 7, Base: wire.PrepareID{Op: 3}})
				s.check.voted(p, 0, &wire.DoViewChange{
					View: 8, LogView: 7, Headers: []wire.PrepareHeader{{Op: 4, View: 6}},
				})
			},
		},
		"the log lacks the log view": {
			want: FailDurableFirst,
			spoil: func(_ *testing.T, s *simulation, p *process) {
				s.check.groups[0].durable[p.id].LogView = 1 << 20
				s.check.recorded(p, 0)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := warmedUp(t)
			s.plan.atlas.victims[p.id] = false
			s.check.recovered(p)
			require.Nil(t, s.result.Failure)
			tc.spoil(t, s, p)
			require.NotNil(t, s.result.Failure)
			require.Equal(t, tc.want, s.result.Failure.Kind, s.result.Failure.Text)
		})
	}
}

// A batch whose first index has rotted is read by the one at its end.
func TestABatchIsReadByEitherIndex(t *testing.T) {
	t.Parallel()
	_, p := warmedUp(t)
	before, broken := rawLog(p.disk)
	require.Empty(t, broken)
	require.Greater(t, len(before), 3)
	require.NoError(t, p.disk.Rot(before[1].at.path, before[1].at.offset+40, 1))
	after, broken := rawLog(p.disk)
	require.Empty(t, broken)
	require.Equal(t, before, after)
}
