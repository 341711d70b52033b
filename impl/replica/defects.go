package replica

import "fmt"

// Defects are rules broken on purpose, so that every check can be seen to fail.
type Defects uint16

// The defects that a host and its storage can have.
const (
	// DefectReportBeforeFlush reports prepares and state records as stored when the system has
	// them, whatever the policy (R3, R2).
	DefectReportBeforeFlush Defects = 1 << iota
	// DefectExecuteTwice gives every seventh op to the machine a second time (R5).
	DefectExecuteTwice
	// DefectNoSessions lets every request that commits reach the machine (R18).
	DefectNoSessions
	// DefectSessionsVolatile leaves the client table out of checkpoints (R18; seed 004).
	DefectSessionsVolatile
	// DefectLocalReads answers linearizable reads like local ones (R19).
	DefectLocalReads
)

var defectNames = []struct {
	defect Defects
	name   string
}{
	{DefectReportBeforeFlush, "report_before_flush"},
	{DefectExecuteTwice, "execute_twice"},
	{DefectNoSessions, "no_sessions"},
	{DefectSessionsVolatile, "sessions_volatile"},
	{DefectLocalReads, "local_reads"},
}

// Has reports whether a defect is switched on.
func (d Defects) Has(defect Defects) bool { return d&defect != 0 }

// DefectNames lists the names of all defects.
func DefectNames() []string {
	names := make([]string, len(defectNames))
	for i, d := range defectNames {
		names[i] = d.name
	}
	return names
}

// ParseDefect returns the defect of a mutant's name.
func ParseDefect(name string) (Defects, error) {
	for _, d := range defectNames {
		if d.name == name {
			return d.defect, nil
		}
	}
	return 0, fmt.Errorf("mutant %q: expected one of %v", name, DefectNames())
}
