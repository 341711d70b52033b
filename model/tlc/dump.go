package tlc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

// dumpLineMax bounds a line of a dump, that is the text of one state, in bytes.
const dumpLineMax = 64 << 20

// dump is the graph that TLC wrote with -dump dot,actionlabels:
//
//	strict digraph DiskGraph {
//	...
//	-15839 [label="/\\ n = 0\n/\\ s = {}",style = filled]
//	-15839 -> 79427 [label="Step_1_0",color="black",fontcolor="black"];
//	79427 [label="/\\ n = 1\n/\\ s = {}"];
//	...
//	}
//
// The numbers are TLC's 64-bit fingerprints; here they only say which states an
// edge joins. A state that is filled is initial. A state may come after the first
// edge to it.
type dump struct {
	graph    *explore.Graph
	states   map[int64]explore.StateID // By fingerprint.
	byState  map[explore.StateID]int64 // The reverse.
	pending  []pendingEdge
	edges    int // As written: TLC writes an edge once for each way to take it.
	initials int

	byOperator map[string]string
	parser     tlaval.Parser
	label      []byte
	canonical  []byte
}

// pendingEdge is an edge with an end that has not been read yet.
type pendingEdge struct {
	from, to int64
	label    string
	line     int
}

// readDump reads a dump to its end.
//
// Errors name the line: an edge from or to a state that is not there, an action
// that byOperator lacks, a value that cannot be read, two states with one
// canonical text, a dump that breaks off.
func readDump(r io.Reader, byOperator map[string]string, keepText bool) (*dump, error) {
	d := &dump{
		graph:      explore.NewGraph(),
		states:     make(map[int64]explore.StateID),
		byState:    make(map[explore.StateID]int64),
		byOperator: byOperator,
	}
	if keepText {
		d.graph.KeepText()
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<20), dumpLineMax)
	number, ended := 0, false
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		ended = line[0] == '}'
		if line[0] != '-' && (line[0] < '0' || line[0] > '9') {
			continue // Of interest to a program that draws.
		}
		if err := d.readLine(line, number); err != nil {
			return nil, fmt.Errorf("dump line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("dump line %d: %w", number+1, err)
	}
	if !ended {
		return nil, fmt.Errorf(
			"dump line %d: the dump breaks off, expected a closing brace", number)
	}
	return d, d.resolve()
}

var (
	filled     = []byte("style = filled]")
	arrow      = []byte("-> ")
	labelStart = []byte(`[label="`)
)

// readLine reads a line that begins with a fingerprint.
func (d *dump) readLine(line []byte, number int) error {
	from, rest, err := cutFingerprint(line)
	if err != nil {
		return err
	}
	rest, isEdge := bytes.CutPrefix(rest, arrow)
	var to int64
	if isEdge {
		if to, rest, err = cutFingerprint(rest); err != nil {
			return err
		}
	}
	rest, err = d.cutLabel(rest)
	if err != nil {
		return err
	}
	rest = bytes.TrimSuffix(rest, []byte(";"))
	if !bytes.HasSuffix(rest, []byte("]")) {
		return errors.New("expected the line to end with a bracket")
	}
	if isEdge {
		return d.addEdge(from, to, number)
	}
	return d.addState(from, bytes.HasSuffix(rest, filled))
}

// cutFingerprint takes a fingerprint and a space off a line.
func cutFingerprint(line []byte) (fingerprint int64, rest []byte, err error) {
	text, rest, _ := bytes.Cut(line, []byte(" "))
	fingerprint, err = strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, nil, fmt.Errorf("expected a fingerprint, found %.40q", text)
	}
	return fingerprint, rest, nil
}

// cutLabel reads the label into d.label, escapes resolved, and returns what
// follows its closing quote.
func (d *dump) cutLabel(line []byte) (rest []byte, err error) {
	line, ok := bytes.CutPrefix(line, labelStart)
	if !ok {
		return nil, fmt.Errorf("expected a label, found %.40q", line)
	}
	d.label = d.label[:0]
	for {
		end := bytes.IndexAny(line, `"\`)
		if end < 0 || end+1 == len(line) {
			return nil, errors.New("the label breaks off, expected a closing quote")
		}
		d.label = append(d.label, line[:end]...)
		if line[end] == '"' {
			return line[end+1:], nil
		}
		switch c := line[end+1]; c {
		case 'n':
			d.label = append(d.label, '\n')
		case '"', '\\':
			d.label = append(d.label, c)
		default:
			return nil, fmt.Errorf(`expected one of \n \" \\ in a label, found \%c`, c)
		}
		line = line[end+2:]
	}
}

// addState adds the state whose text is in d.label.
func (d *dump) addState(fingerprint int64, initial bool) error {
	state, err := d.parser.ParseState(d.label)
	if err != nil {
		return fmt.Errorf("state %d: %w", fingerprint, err)
	}
	if _, again := d.states[fingerprint]; again {
		return fmt.Errorf("state %d: a second time, expected each state once", fingerprint)
	}
	d.canonical = state.AppendCanonical(d.canonical[:0])
	id := d.graph.AddState(d.canonical, initial)
	if other, ok := d.byState[id]; ok {
		return fmt.Errorf("state %d: same canonical text as state %d: %.200s",
			fingerprint, other, d.canonical)
	}
	d.states[fingerprint], d.byState[id] = id, fingerprint
	if initial {
		d.initials++
	}
	return nil
}

// addEdge adds the edge whose action is in d.label.
func (d *dump) addEdge(from, to int64, line int) error {
	label, ok := d.byOperator[string(d.label)]
	if !ok {
		return fmt.Errorf("action %.80q: expected one of the wrapper's", d.label)
	}
	d.edges++
	fromID, fromKnown := d.states[from]
	toID, toKnown := d.states[to]
	if !fromKnown || !toKnown {
		d.pending = append(d.pending, pendingEdge{from: from, to: to, label: label, line: line})
		return nil
	}
	d.graph.AddEdge(fromID, toID, label)
	return nil
}

// resolve adds the edges that came before one of their ends.
func (d *dump) resolve() error {
	for _, e := range d.pending {
		from, fromKnown := d.states[e.from]
		to, toKnown := d.states[e.to]
		if !fromKnown || !toKnown {
			missing := e.to
			if !fromKnown {
				missing = e.from
			}
			return fmt.Errorf("dump line %d: %s joins states %d and %d: the dump has no state %d",
				e.line, e.label, e.from, e.to, missing)
		}
		d.graph.AddEdge(from, to, e.label)
	}
	return nil
}

// matches compares the dump with the figures that TLC printed.
func (d *dump) matches(o *Outcome) error {
	if len(d.states) != o.Distinct {
		return fmt.Errorf("the dump has %d states, expected %d as TLC counted",
			len(d.states), o.Distinct)
	}
	if edges := o.Generated - o.initialGenerated; d.edges != edges {
		return fmt.Errorf("the dump has %d edges, expected %d as TLC counted", d.edges, edges)
	}
	if d.initials == 0 {
		return errors.New("the dump has no initial state")
	}
	return nil
}
