package consumergroups

import (
	"fmt"
	"slices"
)

// Bug is a deliberate defect of a replica: a mutant, which an invariant must catch.
type Bug uint8

// The mutants of ConsumerGroups.tla, in the order of ConsumerGroups!BugNames.
const (
	// ShareCountsDeparted (R5): partitions are dealt to all who have ever joined. Breaks
	// OneReader.
	ShareCountsDeparted Bug = iota + 1
	// JoinsTwice (R5): who is a member and joins is one once more. Breaks MemberOnce.
	JoinsTwice
	// IDIsPlace (R5): an id is given again when a member has left. Breaks IDsOnce.
	IDIsPlace
	// JoinKeepsGeneration (R5): the partitions are dealt out in the old generation. Breaks
	// GenerationTells.
	JoinKeepsGeneration
	// LeaveKeepsGeneration (R5): the same when a member leaves. Breaks GenerationTells.
	LeaveKeepsGeneration
	// EndKeepsGeneration (R5): the same when a session ends. Breaks GenerationTells.
	EndKeepsGeneration
	// ChangeKeepsGeneration (R5): the same when the topic has other partitions. Breaks
	// GenerationTells.
	ChangeKeepsGeneration
	// GenerationIsSize (R5): a generation is the number of members. Breaks GenerationRises.
	GenerationIsSize
	// EvictionKeepsMember (R18): a client that was evicted stays a member. Breaks MembersLive.
	EvictionKeepsMember
	// LogoutKeepsMember (R18): so does one that has logged out. Breaks MembersLive.
	LogoutKeepsMember
	// RebindEndsMembership (R18): a client that comes back is a member no more. Breaks
	// EndsForAReason.
	RebindEndsMembership
	// LogoutOfOlderSession (R18): a late Logout ends a newer session. Breaks EndsForAReason.
	LogoutOfOlderSession
	// JoinWithoutSession (R18): a join executes though its session has ended. Breaks
	// MembersLive.
	JoinWithoutSession
	// MembersUnknownAtBoot (R17): after a restart no end of a session is noticed. Breaks
	// MembersLive.
	MembersUnknownAtBoot
	// GenerationNotInCheckpoint (R17): after a restart generations begin again. Breaks
	// GroupsEqual.
	GenerationNotInCheckpoint
	// OrderNotInCheckpoint (R17): after a restart members are in the order of their clients.
	// Breaks GroupsEqual.
	OrderNotInCheckpoint

	bugMax = OrderNotInCheckpoint
)

// bugNames are the names in the module; element i is that of bug i+1.
var bugNames = [bugMax]string{
	"share_counts_departed", "joins_twice", "id_is_place", "join_keeps_generation",
	"leave_keeps_generation", "end_keeps_generation", "change_keeps_generation",
	"generation_is_size", "eviction_keeps_member", "logout_keeps_member",
	"rebind_ends_membership", "logout_of_older_session", "join_without_session",
	"members_unknown_at_boot", "generation_not_in_checkpoint", "order_not_in_checkpoint",
}

// String is the mutant's name in the module.
func (b Bug) String() string {
	if b < 1 || b > bugMax {
		return fmt.Sprintf("Bug(%d)", uint8(b))
	}
	return bugNames[b-1]
}

// ParseBug reads what [Bug.String] writes.
func ParseBug(name string) (Bug, error) {
	at := slices.Index(bugNames[:], name)
	if at < 0 {
		return 0, fmt.Errorf("ConsumerGroups: unknown bug %q, expected one of %v", name, bugNames)
	}
	return Bug(at + 1), nil
}

// Bugs returns all mutants, in the order of ConsumerGroups!BugNames.
func Bugs() []Bug {
	var all []Bug
	for b := Bug(1); b <= bugMax; b++ {
		all = append(all, b)
	}
	return all
}

// bugSet is a set of mutants: bit b is mutant b.
type bugSet uint32

func (s bugSet) has(b Bug) bool { return s&(1<<b) != 0 }
