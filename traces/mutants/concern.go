package mutants

import (
	"slices"
	"strings"
)

// Concern is what a mutant's rules are about, as far as the simulators claim to find all of it.
type Concern string

// The concerns.
const (
	// Liveness: what is owed is done (R6, R9, R10, R13).
	Liveness Concern = "liveness"
	// Storage: what is said is on the disk, and what is on the disk is found (R1, R2, R3, R14, R16,
	// R17), and all that the log and the superblock do.
	Storage Concern = "storage"
	// Recovery: a replica that was away, in doubt or behind comes back (R4, R11, R14, R15, R16, R17,
	// R21).
	Recovery Concern = "recovery"
)

// concerns say what the rules are about. The rules that are not here are of the order of ops, of
// votes, of clients and of reads.
var concerns = []struct {
	concern Concern
	rules   []string
	folders []string
}{
	{Liveness, []string{"R6", "R9", "R10", "R13"}, nil},
	{
		Storage,
		[]string{"R1", "R2", "R3", "R14", "R16", "R17"},
		[]string{"impl/wal/", "impl/superblock/"},
	},
	{Recovery, []string{"R4", "R11", "R14", "R15", "R16", "R17", "R21"}, nil},
}

// Concerns returns what a mutant is about, in a fixed order; nothing if it is about none of them.
func (p Patch) Concerns() []Concern {
	var all []Concern
	for _, c := range concerns {
		rule := slices.ContainsFunc(p.Rules, func(r string) bool {
			return slices.Contains(c.rules, r)
		})
		folder := slices.ContainsFunc(p.Changes, func(change Change) bool {
			return slices.ContainsFunc(c.folders, func(folder string) bool {
				return strings.HasPrefix(change.File, folder)
			})
		})
		if rule || folder {
			all = append(all, c.concern)
		}
	}
	return all
}

// swarmSeedsMax is within how many seeds the mutants that concern liveness, storage or recovery
// are to be found.
const swarmSeedsMax = 2000

// Open returns the names of the mutants that concern liveness, storage or recovery and that no
// seed was found for within 2,000, without a word in the patch that says why none can be.
func Open(patches []Patch, hunted map[string]Seeds) []string {
	var open []string
	for _, p := range Hunted(patches) {
		s := hunted[p.Name]
		found := s.Failure != "" && s.Seed <= swarmSeedsMax
		if len(p.Concerns()) > 0 && !found && p.Unseen == "" {
			open = append(open, p.Name)
		}
	}
	return open
}
