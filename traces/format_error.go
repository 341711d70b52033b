package traces

import "strconv"

// FormatError says that a trace breaks the format: where, what was expected and
// what is there. A reader that returned one is finished; what it returned before
// stands.
type FormatError struct {
	// Path is the name of the trace, empty when it has none.
	Path string
	// Line is the 1-based line of the offence.
	Line int
	// Got is what was found.
	Got string
	// Want is what was expected.
	Want string
	// Truncated says that the trace ends inside this line: what came before it is whole.
	Truncated bool
}

// Error is one line, such as "run.jsonl:12: expected step 11, got step 13".
func (e *FormatError) Error() string {
	where := "line " + strconv.Itoa(e.Line)
	if e.Path != "" {
		where = e.Path + ":" + strconv.Itoa(e.Line)
	}
	return where + ": expected " + e.Want + ", got " + e.Got
}
