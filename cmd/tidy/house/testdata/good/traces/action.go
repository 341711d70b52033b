package traces

const (
	ActionClientRequest = "ClientRequest"
	ActionStallTruncate = "StallTruncate"
)

func Actions() []string { return []string{ActionClientRequest, ActionStallTruncate} }
