package wire

import "fmt"

// Statuses of a [Reply] to a request that a core did not take into its log. They are the core's
// to its host, which may know better and tells clients in their protocol's numbers. None refuses
// for good: the request may be sent again, but for ReplyTooLarge and ReplyInvalid as it is.
const (
	// ReplyNotPrimary: this replica is no primary, or leaves its view. Ask another.
	ReplyNotPrimary uint32 = 1
	// ReplyQueueFull: as many requests wait as may. Ask again later.
	ReplyQueueFull uint32 = 2
	// ReplyTooLarge: the body is larger than the group takes.
	ReplyTooLarge uint32 = 3
	// ReplyInvalid: the operation is none that goes through the log.
	ReplyInvalid uint32 = 4
)

// ReplyStatusName returns the name of a status in snake_case, fit for a metric's label.
func ReplyStatusName(status uint32) string {
	switch status {
	case 0:
		return "executed"
	case ReplyNotPrimary:
		return "not_primary"
	case ReplyQueueFull:
		return "queue_full"
	case ReplyTooLarge:
		return "too_large"
	case ReplyInvalid:
		return "invalid"
	}
	return fmt.Sprintf("status(%d)", status)
}
