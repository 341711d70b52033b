package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// atlas says where faults may go that take away what a replica acknowledged. The protocol
// promises nothing to clients if all of a replication quorum lose the same op, so one process
// fewer than that, the victims, may lose anything at all; a process alone may lose nothing.
// What takes away only what nobody acknowledged may happen everywhere: kills, torn and unsynced
// writes, full disks, failed operations.
type atlas struct {
	victims [processesMax]bool
	// everywhere says that power may be lost by all processes, even at once: no group of the
	// run is of the policy replicated, whose acknowledgements die with the power of a quorum.
	everywhere bool
}

// drawAtlas lets the seed choose the victims.
func drawAtlas(r random, replicas int, replicated int) atlas {
	a := atlas{everywhere: replicated == 0}
	order := r.Perm(replicas)
	for _, p := range order[:vsr.QuorumsOf(replicas).Replication-1] {
		a.victims[p] = true
	}
	return a
}

// mayLose says whether a process may lose what it acknowledged: by rot, by a write that the
// disk drops or puts elsewhere.
func (a *atlas) mayLose(p *process) bool { return a.victims[p.id] }

// mayLosePower says whether a process may lose what it did not flush. One that the disk owes a
// write may not until later batches show the hole: nobody could tell a log that ends before the
// lost write from one that never had it.
func (a *atlas) mayLosePower(p *process) bool {
	return (a.everywhere || a.victims[p.id]) && !p.owesWrite() && p.mayDoubt()
}

// mayLoseDisk says whether a process may lose its whole disk. A replica that has lost it takes
// no part in quorums until the others are in a view (R16), which two are not without each other.
func (a *atlas) mayLoseDisk(p *process) bool {
	return a.mayLose(p) && len(p.s.processes) > 2 && p.mayMissVote(1)
}

// mayDoubt says whether a process may come to doubt its log: by a torn write, by rot. Votes in
// doubt make up no quorum, unless all have voted (R15), and one whose disk is new does not vote.
// So while there is one, as many others must trust their logs as a view change needs: else a
// person would have to help, which is no matter of the protocol. While the body of an op may have
// rotted that nobody else has, as many others must trust their logs as can say together that it
// was never acknowledged (R12).
func (p *process) mayDoubt() bool { return p.replaced || p.mayMissVote(0) }

// mayRot says whether the log of a process may rot, which the op of no other log may survive.
func (p *process) mayRot() bool {
	before := p.rotten
	p.rotten = true
	defer func() { p.rotten = before }()
	return p.mayDoubt()
}

// mayMissVote says whether the vote of a process may be missing, given that so many disks are
// about to be new.
func (p *process) mayMissVote(replaced int) bool {
	missing, rotten := 1, p.rotten
	if p.marked {
		replaced++
	}
	for _, other := range p.s.processes {
		rotten = rotten || other.rotten
		switch {
		case other == p:
		case other.replaced || other.wiped() || other.doubts() && other.marked:
			replaced++
			missing++
		case other.doubts():
			missing++
		}
	}
	n := len(p.s.processes)
	quorums := vsr.QuorumsOf(n)
	return (replaced == 0 || missing <= n-quorums.ViewChange) &&
		(!rotten || missing <= n-quorums.Nack)
}

// keepsMark takes note, after a boot, whether the log has still the mark of a new disk, which is in
// its first file.
func (p *process) keepsMark() {
	p.marked = p.marked && slices.Contains(liveFiles(p.disk), fileName(1))
}

// doubts says that a process may vote in doubt, or be in doubt about an op: nobody knows of one
// that is down.
func (p *process) doubts() bool {
	return !p.up || p.latent || slices.ContainsFunc(p.hosts, (*replica.Host).Doubts)
}

// wiped says that some replica takes no part in votes, as if its disk were new (R16).
func (p *process) wiped() bool {
	return slices.ContainsFunc(p.hosts, (*replica.Host).Wiped)
}

// rot takes note that the log of a process has rotted.
func (p *process) rot() {
	p.hurt.elsewhere, p.latent, p.rotten = true, true, true
}

// rejoin takes note that the replicas of a process on a new disk hold logs of the others again,
// and that those of one whose log has rotted miss no body of it.
func (p *process) rejoin() {
	if p.rotten && p.up && !p.doubts() {
		p.rotten = slices.ContainsFunc(p.hosts, func(h *replica.Host) bool {
			now := h.Standing()
			return now.Head != now.CommitMin
		})
	}
	if p.replaced && len(p.hosts) > 0 {
		p.replaced = p.wiped()
	}
}

// words says where what may happen.
func (a *atlas) words() string {
	var victims []string
	for i, victim := range a.victims {
		if victim {
			victims = append(victims, fmt.Sprint(i))
		}
	}
	where := "nowhere"
	if len(victims) > 0 {
		where = strings.Join(victims, ",")
	}
	power := where
	if a.everywhere {
		power = "everywhere"
	}
	return fmt.Sprintf("loss:%s power_loss:%s", where, power)
}
