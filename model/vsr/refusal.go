package vsr

import "fmt"

// refusal says why an action is not enabled: the first of its guards that fails. The
// zero value means that no guard fails. It is a value without pointers to the heap,
// since the search asks for it far more often than anybody reads it.
type refusal struct {
	found  string // This and wanted are one format of numbers.
	wanted string
	values [3]uint32
	count  uint8
}

// refuse makes a refusal out of what was found and what was wanted instead; the two
// together are a format of at most three numbers.
func refuse(found, wanted string, values ...uint32) refusal {
	because := refusal{found: found, wanted: wanted, count: uint8(len(values))}
	copy(because.values[:], values)
	return because
}

// enabled is the refusal that refuses nothing.
var enabled refusal

func (f refusal) ok() bool {
	return f.found == ""
}

// String is the reason in words, empty if there is none.
func (f refusal) String() string {
	if f.ok() {
		return ""
	}
	values := make([]any, f.count)
	for i := range values {
		values[i] = f.values[i]
	}
	return fmt.Sprintf(f.found+", expected "+f.wanted, values...)
}

// statusFound has a text per status.
var statusFound = [...]string{
	StatusNormal:     "r%d is in status normal",
	StatusViewChange: "r%d is in status view_change",
	StatusRecovering: "r%d is in status recovering",
}

func (s *State) wantStatus(r int, status Status, wanted string) refusal {
	if s.status[r] == status {
		return enabled
	}
	return refuse(statusFound[s.status[r]], wanted, uint32(r))
}

func (s *State) wantPrimary(r int) refusal {
	if because := s.wantStatus(r, StatusNormal, "a primary in status normal"); !because.ok() {
		return because
	}
	if s.primaryOf(s.view[r]) != r {
		return refuse("r%d is a backup of view %d", "its primary", uint32(r), uint32(s.view[r]))
	}
	return enabled
}

func (s *State) wantBackup(r int) refusal {
	if because := s.wantStatus(r, StatusNormal, "a backup in status normal"); !because.ok() {
		return because
	}
	if s.primaryOf(s.view[r]) == r {
		return refuse("r%d is the primary of view %d", "a backup",
			uint32(r), uint32(s.view[r]))
	}
	return enabled
}
