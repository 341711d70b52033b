package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// warmedUp is a sound run in which some ops are committed, and its first process.
func warmedUp(t *testing.T) (*simulation, *process) {
	t.Helper()
	options, err := Options{Seed: 1, Replicas: 3, Groups: 1, Only: []string{"delay"}}.withDefaults()
	require.NoError(t, err)
	s := newSimulation(options)
	require.NoError(t, s.start())
	for len(s.check.groups[0].log) < 3 {
		s.tick()
	}
	return s, s.processes[0]
}

// Every check of what a process has come back with, and hands on, must be able to fail: each case
// spoils one thing of a sound run.
func TestEachCheckOfAWitnessFails(t *testing.T) {
	t.Parallel()
	other := wire.PrepareID{Op: 1 << 20, Checksum: wire.Checksum{Lo: 1}}
	for name, tc := range map[string]struct {
		want   string
		victim bool
		spoil  func(*simulation, *process)
	}{
		"a trusted boot lacks a promised op": {FailPromise, true, func(s *simulation, p *process) {
			s.check.groups[0].promises[p.id].add(p.state(0).LogView, other)
			s.check.booted(p)
		}},
		"a trusted boot is in an older log view": {FailMonotone, true, func(s *simulation, p *process) {
			s.check.groups[0].durable[p.id].LogView = 1 << 20
			s.check.booted(p)
		}},
		"an op is promised that nobody can read": {FailPromise, false, func(s *simulation, p *process) {
			s.check.promised(p, 0, 0, other)
		}},
		"another body is handed on": {FailCorruption, true, func(s *simulation, p *process) {
			s.check.served(p, 0, &wire.Prepare{Body: []byte("another")})
		}},
		"a process boots without its superblock": {FailBoot, true, func(s *simulation, p *process) {
			s.check.refused(p, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := warmedUp(t)
			s.plan.atlas.victims[p.id] = tc.victim
			require.Nil(t, s.result.Failure)
			s.check.booted(p)
			require.Nil(t, s.result.Failure)
			tc.spoil(s, p)
			require.NotNil(t, s.result.Failure)
			require.Equal(t, tc.want, s.result.Failure.Kind, s.result.Failure.Text)
		})
	}
}

// A promise of an older view is forgotten with the first of a newer one.
func TestPromisesAreThoseOfTheNewestView(t *testing.T) {
	t.Parallel()
	var p promises
	p.add(2, wire.PrepareID{Op: 5})
	p.add(1, wire.PrepareID{Op: 9})
	require.Len(t, p.ids, 1)
	p.add(3, wire.PrepareID{Op: 4})
	require.Equal(t, map[wire.Op]wire.Checksum{4: {}}, p.ids)
}
