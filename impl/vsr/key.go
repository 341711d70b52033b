package vsr

import (
	"cmp"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// AppendKey appends a canonical encoding of all that decides what the replica does from here
// on, and returns it: two replicas of equal configuration and equal keys give equal outputs for
// equal inputs, as long as no Tick is among them ([Replica.ForgetTime]).
//
// A change of view or log that is under way remembers which input began it; the caller adds
// that input to the key while [Replica.InTransition] holds.
func (r *Replica) AppendKey(dst []byte) []byte {
	k := keyWriter{dst}
	k.checksum(wire.Checksum(r.config.Incarnation))
	k.number(uint64(r.status), uint64(r.view), uint64(r.logView))
	k.log(r.log)
	r.appendBase(&k)
	k.number(uint64(len(r.journal.stored)))
	for _, checksums := range r.journal.stored {
		k.number(uint64(len(checksums)))
		for _, c := range slices.SortedFunc(slices.Values(checksums), compareChecksums) {
			k.checksum(c)
		}
	}
	k.ids(r.missing.faulty)
	k.ids(r.missing.doubtful)
	k.flag(r.untrusted)
	r.lost.appendKey(&k)
	k.number(uint64(r.commitMin), uint64(r.commitMax))
	k.flag(r.executing)
	if k.flag(r.executed != nil); r.executed != nil {
		k.id(r.executed.ID)
		k.bytes(r.executed.Result)
		k.number(uint64(len(r.executed.Results)))
		for i := range r.executed.Results {
			k.result(&r.executed.Results[i])
		}
	}
	k.number(uint64(len(r.appending)))
	for i := range r.appending {
		k.id(r.appending[i].prepare.Header.ID())
		k.flag(r.appending[i].stored)
	}
	for _, p := range r.stash {
		if k.flag(p != nil); p != nil {
			k.id(p.Header.ID())
		}
	}
	k.number(uint64(len(r.filling)))
	for _, id := range r.filling {
		k.id(id)
	}
	k.number(uint64(len(r.pipeline)))
	for i := range r.pipeline {
		k.id(r.pipeline[i].id)
		k.number(uint64(r.pipeline[i].oks))
		k.flag(r.pipeline[i].prepare != nil)
	}
	k.number(uint64(len(r.queue.requests)))
	for _, m := range r.queue.requests {
		k.bytes(wire.Encode(m))
	}
	r.reads.appendKey(&k)
	r.appendViewChange(&k)
	for _, t := range r.timers.all() {
		k.flag(t.running)
		k.number(uint64(t.left), uint64(t.attempts))
	}
	return k.dst
}

// appendBase writes what concerns checkpoints, holes and transfers.
func (r *Replica) appendBase(k *keyWriter) {
	k.id(r.checkpoint)
	k.id(r.applied)
	k.id(r.handed)
	k.id(r.rebase.next)
	k.id(r.rebase.to)
	k.flag(r.rebase.repeat)
	k.flag(r.rebase.repeating)
	k.flag(r.transfer.storing)
	k.number(uint64(r.transfer.stage), uint64(r.transfer.sender), r.transfer.total,
		r.transfer.stored)
	k.id(r.transfer.target)
	k.checksum(r.transfer.snapshot)
	k.number(uint64(len(r.below)))
	for _, p := range r.below {
		k.id(p.Header.ID())
	}
}

func (r *Replica) appendViewChange(k *keyWriter) {
	if k.flag(r.transition != nil); r.transition != nil {
		k.number(uint64(r.transition.phase), uint64(r.transition.view))
		k.flag(r.transition.hasLog)
		k.log(r.transition.log)
	}
	k.flag(r.vote != nil)
	k.flag(r.merged != nil)
	// Who wants the view decides when to vote, the votes what to merge, until nothing of it
	// is open; afterwards neither decides anything.
	if r.vote == nil {
		k.number(uint64(r.svcFrom))
	} else {
		k.bytes(wire.Encode(r.vote))
	}
	if r.merged == nil || len(r.merged.open) > 0 {
		for _, vote := range r.votes {
			if k.flag(vote != nil); vote != nil {
				k.bytes(wire.Encode(vote))
			}
		}
	}
	if r.merged != nil {
		k.log(r.merged.log)
		k.number(uint64(r.merged.commit), uint64(len(r.merged.voters)))
		for _, replica := range r.merged.voters {
			k.number(uint64(replica))
		}
		k.number(uint64(len(r.merged.open)))
		for _, op := range r.merged.open {
			k.number(uint64(op))
		}
		k.flag(r.merged.blocked)
	}
	if k.flag(r.startView != nil); r.startView != nil {
		k.bytes(wire.Encode(r.startView))
	}
}

// InTransition reports whether a change of view or log is on its way to the disk.
func (r *Replica) InTransition() bool { return r.transition != nil }

func compareChecksums(a, b wire.Checksum) int {
	switch {
	case a == b:
		return 0
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	}
	return 1
}

// keyWriter appends values so that they can be told apart: numbers in eight bytes, what has no
// fixed length after its length.
type keyWriter struct{ dst []byte }

func (k *keyWriter) number(numbers ...uint64) {
	for _, n := range numbers {
		for shift := 0; shift < 64; shift += 8 {
			k.dst = append(k.dst, byte(n>>shift))
		}
	}
}

func (k *keyWriter) flag(set bool) {
	if set {
		k.dst = append(k.dst, 1)
	} else {
		k.dst = append(k.dst, 0)
	}
}

func (k *keyWriter) bytes(b []byte) {
	k.number(uint64(len(b)))
	k.dst = append(k.dst, b...)
}

func (k *keyWriter) checksum(c wire.Checksum) { k.number(c.Hi, c.Lo) }

func (k *keyWriter) id(id wire.PrepareID) {
	k.number(uint64(id.Op))
	k.checksum(id.Checksum)
}

func (k *keyWriter) result(x *RequestResult) {
	k.number(x.Client.Hi, x.Client.Lo, uint64(x.Number), uint64(x.Operation))
	k.checksum(x.RequestChecksum)
	k.bytes(x.Body)
}

// ids writes a list that stands for a set.
func (k *keyWriter) ids(ids []wire.PrepareID) {
	sorted := slices.Clone(ids)
	slices.SortFunc(sorted, func(a, b wire.PrepareID) int {
		if a.Op != b.Op {
			return cmp.Compare(a.Op, b.Op)
		}
		return compareChecksums(a.Checksum, b.Checksum)
	})
	k.number(uint64(len(sorted)))
	for _, id := range sorted {
		k.id(id)
	}
}

func (k *keyWriter) log(l log) {
	k.id(l.base)
	k.number(uint64(len(l.headers)))
	for i := range l.headers {
		k.id(l.headers[i].ID())
	}
}

// PrepareAt returns the identity of an op from the base of the log to its head.
func (r *Replica) PrepareAt(op wire.Op) wire.PrepareID { return r.log.identity(op) }
