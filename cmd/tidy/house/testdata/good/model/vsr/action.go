package vsr

// ActionKind is one.
type ActionKind int

const (
	ActionClientRequest ActionKind = iota + 1
	ActionStallTruncate
	actionEnd
)

func ClientRequest() {}

func StallTruncate() {}

type Mutants int

const AckEarly Mutants = 1
