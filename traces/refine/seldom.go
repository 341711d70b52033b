package refine

import "github.com/viewstamp/viewstamp/impl/vsr"

// seldom is a branch that walks may miss, since it takes several unlikely steps in a row, and a
// search that takes it.
type seldom struct {
	branch, search string
}

func seldomWalked() []seldom {
	return []seldom{
		{refusals(vsr.RefuseUnsolicited)[0], "core-111"},
		{admissions(vsr.RefuseNewerView)[0], "core-111"},
		{admissions(vsr.RefuseIsPrimary)[0], "core-111"},
		{admissions(vsr.RefuseTransferring)[0], "core-transfer-101"},
	}
}

// untakenByWalks lists the branches that walks did not take. That walks seldom come to one is a
// reason only where a search names it as taken.
func untakenByWalks(b Bounds, covered map[string]bool) []Untaken {
	out := untaken(b, covered)
	for i := range out {
		for _, s := range seldomWalked() {
			if out[i].Branch == s.branch && out[i].Why == "" {
				out[i].Why = "a walk seldom comes there; the search " + s.search + " does"
			}
		}
	}
	return out
}
