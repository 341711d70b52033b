package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// repairWindow counts what one question of repair, or the answer to one, may hold (R9): what a
// peer asks for must not decide how much a replica reads at once.
type repairWindow struct {
	ops, bytes int
	used       bool
}

func (r *Replica) newRepairWindow() repairWindow {
	return repairWindow{ops: r.config.Limits.RepairOps, bytes: r.config.Limits.RepairBytes}
}

// take reports whether there is room for one more op, and takes it. The first always has room,
// or a body above the limit could never be repaired.
func (w *repairWindow) take(bodyBytes int) bool {
	if w.used && (w.ops < 1 || w.bytes < bodyBytes) {
		return false
	}
	w.used = true
	w.ops--
	w.bytes -= max(bodyBytes, 0)
	return true
}

// bytesToAsk is the size of a body that is asked for, as far as it is known.
func bytesToAsk(wanted log, op wire.Op, checksum wire.Checksum) int {
	if checksum == wire.AnyPrepare || checksum == wire.NoPrepare {
		return 0
	}
	return wanted.at(op).BodyBytes()
}

// bytesToServe is the size of a stored body. The log does not know that of a superseded prepare:
// it counts as a whole answer.
func (r *Replica) bytesToServe(id wire.PrepareID) int {
	if r.log.contains(id) {
		return r.log.at(id.Op).BodyBytes()
	}
	return r.config.Limits.RepairBytes
}

// windowDone has the next window asked for at the next tick, once the last op of this one is
// stored: a replica that is far behind need not wait for its timer each time.
func (r *Replica) windowDone(op wire.Op) {
	if r.asked > 0 && op >= r.asked {
		r.asked = 0
		r.timers.repair.soon()
	}
}
