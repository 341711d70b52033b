package protocol

import "fmt"

// Status says why something was not done. It stands in the header of a reply to a request
// that did not enter the log, and in the result of one that did. The numbers are upstream's.
type Status uint32

// The statuses. Zero is success.
const (
	StatusOK                 Status = 0
	StatusInvalidCommand     Status = 3
	StatusInvalidFormat      Status = 4
	StatusFeatureUnavailable Status = 5
	StatusResourceNotFound   Status = 20
	StatusStaleClient        Status = 30
	StatusUnauthenticated    Status = 40
	StatusUnauthorized       Status = 41
	StatusInvalidCredentials Status = 42
	StatusInvalidUsername    Status = 43
	StatusInvalidPassword    Status = 44
	StatusInvalidUserStatus  Status = 45
	StatusUserExists         Status = 46
	StatusUserInactive       Status = 47
	StatusCannotDeleteUser   Status = 48
	StatusCannotPermit       Status = 49
	StatusInvalidTokenName   Status = 50
	StatusTokenExists        Status = 51
	StatusTooManyTokens      Status = 52
	StatusInvalidToken       Status = 53
	StatusTokenExpired       Status = 54
	StatusTooManyUsers       Status = 55
	StatusInvalidTokenExpiry Status = 56
	// StatusNotCommitted: the outcome is not known. Only the same request in the same session
	// may find out.
	StatusNotCommitted Status = 57
	// StatusNotAccepted: the request entered no log. It may be sent again, anywhere.
	StatusNotAccepted Status = 58
	// StatusAlreadyApplied: a request of this number was executed, and its reply is gone.
	StatusAlreadyApplied     Status = 59
	StatusStreamIDNotFound   Status = 1009
	StatusStreamNameNotFound Status = 1010
	StatusStreamExists       Status = 1012
	StatusInvalidStreamName  Status = 1013
	StatusInvalidTopicSize   Status = 1019
	StatusTooManyStreams     Status = 1020
	StatusTopicIDNotFound    Status = 2010
	StatusTopicNameNotFound  Status = 2011
	StatusTopicExists        Status = 2013
	StatusInvalidTopicName   Status = 2014
	StatusTooManyPartitions  Status = 2015
	StatusInvalidPartitions  Status = 2019
	StatusTooManyTopics      Status = 2099
	StatusPartitionNotFound  Status = 3007
	StatusOffsetNotFound     Status = 3021
	StatusInvalidMessages    Status = 4009
	StatusMessagesTooLarge   Status = 4022
	StatusInvalidOffset      Status = 4100
	StatusGroupIDNotFound    Status = 5000
	StatusGroupNameNotFound  Status = 5003
	StatusGroupExists        Status = 5004
	StatusInvalidGroupName   Status = 5005
	StatusMemberNotFound     Status = 5006
	StatusTooManyGroups      Status = 5099
	StatusAlreadyLoggedIn    Status = 14000
	StatusInvalidSession     Status = 14001
	// StatusDiskFull: the request entered no log, since the primary's has no room. It may be sent
	// again, anywhere; it helps to make room. The number is ours; upstream's stay below 2^30.
	StatusDiskFull Status = 0x4000_0001
)

// Open says that the request of such a reply entered no log here, and may be sent again: there
// may be another answer elsewhere, or later.
func (s Status) Open() bool { return s == StatusNotAccepted || s == StatusDiskFull }

var statusTexts = map[Status]string{
	StatusDiskFull:           "the disk is full; nothing was done",
	StatusOK:                 "done",
	StatusInvalidCommand:     "unknown command",
	StatusInvalidFormat:      "malformed request",
	StatusFeatureUnavailable: "not available on this node",
	StatusResourceNotFound:   "no such thing",
	StatusStaleClient:        "the client was silent for too long",
	StatusUnauthenticated:    "not logged in",
	StatusUnauthorized:       "not permitted",
	StatusInvalidCredentials: "wrong user name or password",
	StatusInvalidUsername:    "a user name has 3 to 50 characters",
	StatusInvalidPassword:    "a password has 3 to 100 characters",
	StatusInvalidUserStatus:  "unknown status of a user",
	StatusUserExists:         "a user of this name exists",
	StatusUserInactive:       "the user is inactive",
	StatusCannotDeleteUser:   "this user cannot be deleted",
	StatusCannotPermit:       "the permissions of this user cannot be changed",
	StatusInvalidTokenName:   "not a name for an access token",
	StatusTokenExists:        "an access token of this name exists",
	StatusTooManyTokens:      "the user has as many access tokens as there may be",
	StatusInvalidToken:       "wrong access token",
	StatusTokenExpired:       "the access token has expired",
	StatusTooManyUsers:       "there are as many users as there may be",
	StatusInvalidTokenExpiry: "not an expiry for an access token",
	StatusNotCommitted:       "outcome unknown",
	StatusNotAccepted:        "not accepted; nothing was done",
	StatusAlreadyApplied:     "executed before; the reply is gone",
	StatusStreamIDNotFound:   "no stream of this id",
	StatusStreamNameNotFound: "no stream of this name",
	StatusStreamExists:       "a stream of this name exists",
	StatusInvalidStreamName:  "not a name for a stream",
	StatusInvalidTopicSize:   "not a size for a topic",
	StatusTooManyStreams:     "there are as many streams as there may be",
	StatusTopicIDNotFound:    "no topic of this id",
	StatusTopicNameNotFound:  "no topic of this name",
	StatusTopicExists:        "a topic of this name exists",
	StatusInvalidTopicName:   "not a name for a topic",
	StatusTooManyPartitions:  "too many partitions",
	StatusInvalidPartitions:  "not a number of partitions",
	StatusTooManyTopics:      "the stream has as many topics as there may be",
	StatusPartitionNotFound:  "no such partition",
	StatusOffsetNotFound:     "no offset is stored",
	StatusInvalidMessages:    "not a batch of messages",
	StatusMessagesTooLarge:   "the messages are too large",
	StatusInvalidOffset:      "no message has this offset",
	StatusGroupIDNotFound:    "no consumer group of this id",
	StatusGroupNameNotFound:  "no consumer group of this name",
	StatusGroupExists:        "a consumer group of this name exists",
	StatusInvalidGroupName:   "not a name for a consumer group",
	StatusMemberNotFound:     "not a member of the consumer group",
	StatusTooManyGroups:      "the topic has as many consumer groups as there may be",
	StatusAlreadyLoggedIn:    "logged in already",
	StatusInvalidSession:     "the session has ended",
}

// String returns the meaning for people, with the number of an unknown status.
func (s Status) String() string {
	if text, known := statusTexts[s]; known {
		return text
	}
	return fmt.Sprintf("status %d", uint32(s))
}

// Known reports whether s is one of the statuses above.
func (s Status) Known() bool { return statusTexts[s] != "" }
