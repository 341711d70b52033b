package sim

// eventKind says what comes due.
type eventKind uint8

const (
	eventPacket  eventKind = iota + 1 // a packet arrives
	eventLink                         // the oldest packet of a link arrives
	eventReply                        // a reply arrives at a client
	eventWrite                        // some write of the replica finishes
	eventRead                         // some read of the replica finishes
	eventExecute                      // the replica's oldest execution finishes
	eventCrash                        // the replica crashes
	eventRestart                      // the replica boots
)

// event is something that comes due at a tick.
type event struct {
	kind    eventKind
	replica int
	// boot is the replica's boot that the event belongs to: a crash takes it along.
	boot   int
	packet Packet
}

// horizon is how many ticks ahead an event can be put off, a power of two.
const horizon = 1 << 10

// schedule is a calendar of events by tick.
type schedule struct {
	now     int
	buckets [horizon][]event
}

// after puts an event into the calendar, delay ticks from now: at least one, at most the
// horizon.
func (s *schedule) after(delay int, e event) {
	at := s.now + max(1, min(delay, horizon-1))
	s.buckets[at%horizon] = append(s.buckets[at%horizon], e)
}

// next lets one tick pass and returns what is due. The slice is valid until the next call.
func (s *schedule) next() []event {
	s.buckets[s.now%horizon] = s.buckets[s.now%horizon][:0]
	s.now++
	return s.buckets[s.now%horizon]
}
