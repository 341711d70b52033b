package replica

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// readers are the reads that wait for the core, by the id that they were given.
type readers struct {
	last    uint64
	waiting map[uint64]func(why vsr.Refusal)
}

// Read asks for a read of a level (R19). done is called once: with 0 when the machine's state
// answers the read, so that it must be asked then and not later; else with why there is no
// answer here, which refuses nothing for good. That is during this call or a later one of the
// host, on the same goroutine; never for a host that is given up.
func (h *Host) Read(level vsr.ReadLevel, done func(why vsr.Refusal)) {
	if h.readers.waiting == nil {
		h.readers.waiting = make(map[uint64]func(vsr.Refusal))
	}
	h.readers.last++
	h.readers.waiting[h.readers.last] = done
	h.step(vsr.ReadRequest{ID: h.readers.last, Level: level})
}

// Ask answers a client's question, which is not for the log, through [Network]: with what query
// says of the machine's state once a read of the level may be answered, or with
// [StatusNotAccepted] if there is no such answer here. A status of query other than 0 is the
// answer, without a body. A reply names the op that the machine has come to.
func (h *Host) Ask(
	m *wire.Request, level vsr.ReadLevel, query func() (answer []byte, status uint32),
) {
	if h.storage.options.Defects.Has(DefectLocalReads) {
		level = vsr.ReadLocal
	}
	h.Read(level, func(why vsr.Refusal) {
		if why != 0 {
			h.send(h.frame(m, StatusNotAccepted))
			return
		}
		answer, status := query()
		reply := h.frame(m, status)
		if status == 0 {
			at := h.sessions.Op()
			reply.Op, reply.Commit, reply.Body = at, at, answer
		}
		h.send(reply)
	})
}

// answerReads calls back for the reads that a step of the core has decided. The machine has
// executed what each of them must see: the core counts executed ops only.
func (h *Host) answerReads(out *vsr.Output) {
	for _, read := range out.ReadsReady {
		h.readers.take(read.ID)(0)
	}
	for _, read := range out.ReadsRefused {
		h.readers.take(read.ID)(read.Reason)
	}
}

func (r *readers) take(id uint64) func(vsr.Refusal) {
	done := r.waiting[id]
	if done == nil {
		panic(fmt.Sprintf("replica: the core answers read %d, which does not wait", id))
	}
	delete(r.waiting, id)
	return done
}
