package partition

import "fmt"

// Defect is a deliberate mistake, a mutant that the comparison of replicas must catch.
type Defect uint8

// The defects. Zero is none.
const (
	// DefectRetainsByFiles lets retention see only what was materialised: replicas that
	// materialise at different ops drop different segments.
	DefectRetainsByFiles Defect = iota + 1
	// DefectStartInsideSegment goes on in a segment that a purge has dropped, if the purge came
	// before the batches were materialised: the files differ.
	DefectStartInsideSegment
	// DefectAdvanceLowers lets the automatic offset go back.
	DefectAdvanceLowers
)

var defectNames = [...]string{
	0: "none", DefectRetainsByFiles: "retains_by_files",
	DefectStartInsideSegment: "start_inside_segment", DefectAdvanceLowers: "advance_lowers",
}

// String returns the name in snake_case.
func (d Defect) String() string {
	if int(d) >= len(defectNames) {
		return fmt.Sprintf("defect(%d)", uint8(d))
	}
	return defectNames[d]
}
