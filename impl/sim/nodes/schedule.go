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
	// spare is memory of ticks that are over: few of the next ones have events at a time.
	spare [][]event
	// due is what the last call of next returned.
	due []event
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
	s.reuse(s.due)
	s.due = nil
	for i, bucket := range s.buckets {
		s.reuse(bucket)
		s.buckets[i] = nil
	}
	schedules.Put(s)
}

// reuse takes the memory of events that are over.
func (s *schedule) reuse(bucket []event) {
	if cap(bucket) > 0 {
		clear(bucket)
		s.spare = append(s.spare, bucket[:0])
	}
}

// after puts an event into the calendar, delay ticks from now: at least one, at most the
// horizon.
func (s *schedule) after(delay int, e event) {
	at := s.now + max(1, min(delay, horizon-1))
	bucket := &s.buckets[at%horizon]
	if last := len(s.spare) - 1; *bucket == nil && last >= 0 {
		*bucket, s.spare = s.spare[last], s.spare[:last]
	}
	*bucket = append(*bucket, e)
}

// next lets one tick pass and returns what is due. The slice is valid until the next call.
func (s *schedule) next() []event {
	s.reuse(s.due)
	s.now++
	bucket := &s.buckets[s.now%horizon]
	s.due, *bucket = *bucket, nil
	return s.due
}
