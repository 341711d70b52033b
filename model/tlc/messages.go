package tlc

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// With -tool, TLC encloses each thing that it says between two marker lines:
//
//	@!@!@STARTMSG 2110:1 @!@!@
//	Invariant Small is violated.
//	@!@!@ENDMSG 2110 @!@!@
//
// The numbers are a code and a severity. Messages may nest, and the opening
// marker of an inner one may stand behind other text. What SANY says, and what a
// module prints, stands outside of messages.
const (
	markerStart = "@!@!@STARTMSG "
	markerEnd   = "@!@!@ENDMSG "
	markerClose = " @!@!@"
)

// The codes of the messages that matter here (tlc2.output.EC).
const (
	codeUnexpected        = 1000 // Wraps the exception that ended the run.
	codePositions         = 2103 // Where an evaluation failed, outermost first.
	codeInvariantInitial  = 2107
	codePropertyInitial   = 2108
	codeInvariantViolated = 2110
	codeActionProperty    = 2112
	codeDeadlock          = 2114
	codeTemporalViolated  = 2116
	codeBackToState       = 2122
	codeInitialStates     = 2190
	codeInitialTwice      = 2191 // The same where some were generated twice.
	codeNoError           = 2193
	codeDepth             = 2194
	codeFigures           = 2199
	codeState             = 2217
	codeStuttering        = 2218
	codeParsed            = 2219
	codeParsing           = 2220
	codeActionCoverage    = 2772
	codeParseFailed       = 3002 // SANY has said why.
)

// severityError is the severity of a message that reports an error.
const severityError = 1

// message is one outermost message; the text of those inside is part of its text.
type message struct {
	code     int
	severity int
	text     string
}

// listener receives TLC's output in its order.
type listener interface {
	onMessage(m message)
	// onLine receives a line outside of messages, without its line break.
	onLine(line string)
}

// readMessages reads TLC's output to the end. A message that never ends, because
// the process was killed in the middle, is not reported.
func readMessages(r io.Reader, to listener) {
	reader := bufio.NewReaderSize(r, 64<<10)
	var open message
	var text strings.Builder
	depth := 0
	for {
		line, err := reader.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" || err == nil {
			before, code, severity, isStart := cutStart(line)
			switch {
			case isStart:
				if depth == 0 {
					open = message{code: code, severity: severity}
					text.Reset()
				} else {
					text.WriteString(before)
				}
				depth++
			case depth > 0 && strings.HasPrefix(line, markerEnd):
				depth--
				if depth == 0 {
					open.text = strings.TrimRight(text.String(), "\n")
					to.onMessage(open)
				}
			case depth > 0:
				text.WriteString(line)
				text.WriteByte('\n')
			default:
				to.onLine(line)
			}
		}
		if err != nil {
			return
		}
	}
}

// cutStart takes apart a line that opens a message.
func cutStart(line string) (before string, code, severity int, ok bool) {
	before, rest, ok := strings.Cut(line, markerStart)
	if !ok {
		return "", 0, 0, false
	}
	numbers, ok := strings.CutSuffix(rest, markerClose)
	if !ok {
		return "", 0, 0, false
	}
	first, second, ok := strings.Cut(numbers, ":")
	if !ok {
		return "", 0, 0, false
	}
	code, codeErr := strconv.Atoi(first)
	severity, severityErr := strconv.Atoi(second)
	return before, code, severity, codeErr == nil && severityErr == nil
}
