package nodes

import (
	"sync"

	"github.com/viewstamp/viewstamp/impl/replica"
)

// event is something that comes due at a tick.
type event struct {
	kind eventKind
	// process it happens to; boot is the one that it belongs to: a crash takes it along.
	process, boot int
	packet        packet
	lane          replica.Lane
	done          replica.Completion
}

// eventKind says what comes due.
type eventKind uint8

const (
	eventPacket  eventKind = iota + 1 // a frame arrives at a process
	eventReply                        // a frame arrives at a client
	eventLane                         // the disk has time for a lane of the storage
	eventDone                         // a completion reaches its host
	eventRestart                      // the process boots
)

// horizon is how many ticks ahead an event can be put off, a power of two.
const horizon = 1 << 10

// schedule is a calendar of events by tick.
type schedule struct {
	now     int
	buckets [horizon][]event
}

// schedules are calendars of runs that are over, for the next ones: their memory.
var schedules = sync.Pool{New: func() any { return new(schedule) }}

// newSchedule returns a calendar without events, at tick 0.
func newSchedule() *schedule {
	return schedules.Get().(*schedule) //nolint:forcetypeassert // nothing else is in there
}

// giveBack ends the use of a calendar.
func (s *schedule) giveBack() {
	s.now = 0
	for i, bucket := range s.buckets {
		clear(bucket)
		s.buckets[i] = bucket[:0]
	}
	schedules.Put(s)
}

// after puts an event into the calendar, delay ticks from now: at least one, at most the
// horizon.
func (s *schedule) after(delay int, e event) {
	at := s.now + max(1, min(delay, horizon-1))
	s.buckets[at%horizon] = append(s.buckets[at%horizon], e)
}

// next lets one tick pass and returns what is due. The slice is valid until the next call.
func (s *schedule) next() []event {
	old := s.buckets[s.now%horizon]
	clear(old)
	s.buckets[s.now%horizon] = old[:0]
	s.now++
	return s.buckets[s.now%horizon]
}
