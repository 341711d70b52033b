package client

// defect is a rule that a test has switched off, to see that its checker notices.
type defect uint8

const (
	// brokenRepeats: what may have been executed is sent again under a new number.
	brokenRepeats defect = iota + 1
	// brokenForgets: a copy that got no answer counts for nothing.
	brokenForgets
	// brokenBorn: a row is taken for the old one, whenever it was born.
	brokenBorn
	// brokenNumbers: a number that may have been used is used again.
	brokenNumbers
	// brokenMatch: any reply is taken for the one expected.
	brokenMatch
	// brokenUnborn: a reply counts whatever row its request executed in.
	brokenUnborn
)
