package linearizability

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	// PictureBytesMax bounds a picture to what browsers open without pain.
	PictureBytesMax = 20 << 20
	// pictureOperationsMax bounds the operations drawn: at first of all partitions
	// together, then halved until the picture is small enough.
	pictureOperationsMax = 400
	// pictureSearchMax bounds the search that finds the partial orders to draw.
	pictureSearchMax = 5 * time.Second
	conflictColour   = "#ffb3b3"
)

// WriteHTML draws the history as a page for browsers, by Porcupine's visualizer:
// one row a client, the orders that were found, and at a violation what cannot be
// ordered. The report must be that of [Check] for this history.
//
// A violation shows its partition, or if that is large the witness alone. Otherwise
// the partitions are shown in the order of their keys, up to a few hundred
// operations: of a linearizable one the beginning of its order; of an undecided one
// the place where the search stopped. A note says what was left out, as are
// operations of unknown outcome that nobody saw.
//
// Errors: a history that is not valid, with nothing written; those of to.
func WriteHTML(to io.Writer, h *History, report Report) error {
	if err := h.Validate(); err != nil {
		return err
	}
	var page bytes.Buffer
	for operations := pictureOperationsMax; ; operations /= 2 {
		page.Reset()
		if err := newPicture(h, report, operations).draw(&page); err != nil {
			return fmt.Errorf("draw history: %w", err)
		}
		if page.Len() <= PictureBytesMax || operations == 1 {
			break
		}
	}
	if _, err := to.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

// panel is the part of one partition that is drawn.
type panel struct {
	initial    Value // What the object holds before.
	candidates []candidate
}

// picture collects panels until there is no more room.
type picture struct {
	history *History
	spec    *specification
	report  Report
	room    int
	panels  []panel
	// whole are, of operations that are drawn by what they do to a part of a log, the whole ones.
	whole map[identity]*Operation
	rows  map[int]int // Client to row: the visualizer wants rows without gaps.

	start, end int64 // What is drawn lies in between.
}

// drawn is an operation as the visualizer gets it.
type drawn struct {
	panel     int
	operation *Operation
	initial   Value
}

func newPicture(h *History, report Report, room int) *picture {
	spec, _ := h.Model.specification()
	p := &picture{history: h, spec: spec, report: report, room: room, rows: map[int]int{}}
	for i, part := range h.partitions() {
		if i >= len(report.Partitions) || p.room == 0 {
			break
		}
		// Of a history that did not pass, only the parts that did not are of interest.
		if found := report.Partitions[i]; found.Verdict == report.Verdict {
			p.addPartition(part, found)
		}
		if len(p.panels) == 1 && report.Verdict == Violation {
			break
		}
	}
	return p
}

func (p *picture) addPartition(part partition, found PartitionReport) {
	candidates := reduce(p.spec, part.operations)
	witness := p.report.Witness
	switch {
	case len(candidates) <= p.room:
		p.add(panel{initial: p.spec.initial, candidates: candidates})
	case found.Verdict == Violation && witness != nil && len(witness.Operations) <= p.room:
		whole := witness.pointers()
		if witness.Base > 0 {
			whole = pointersTo(witness.parts)
			p.whole = map[identity]*Operation{}
			for i := range witness.Operations {
				p.whole[whole[i].identity()] = &witness.Operations[i]
			}
		}
		p.add(panel{initial: p.spec.initial, candidates: reduce(p.spec, whole)})
	default:
		p.add(p.window(candidates, found))
	}
}

// window is the part of a large partition that is drawn: the beginning of its
// order, or where there is none, the end of the longest one and what should have
// come next.
func (p *picture) window(candidates []candidate, found PartitionReport) panel {
	skipped := 0
	if found.Verdict != Linearizable {
		skipped = max(0, len(found.prefix)-p.room/2)
	}
	places := make(map[identity]int, len(found.prefix))
	for i, o := range found.prefix {
		places[o] = i
	}
	before := make([]*Operation, skipped)
	result := panel{initial: p.spec.initial}
	room := p.room - min(len(found.prefix)-skipped, p.room)
	for _, c := range candidates {
		place, placed := places[c.operation.identity()]
		switch {
		case placed && place < skipped:
			before[place] = c.operation
		case placed && place < skipped+p.room:
			result.candidates = append(result.candidates, c)
		case !placed && room > 0:
			result.candidates = append(result.candidates, c)
			room--
		}
	}
	for _, o := range before {
		_, result.initial = p.spec.step(result.initial, o)
	}
	return result
}

func (p *picture) add(window panel) {
	if len(window.candidates) == 0 {
		return
	}
	p.panels = append(p.panels, window)
	p.room -= len(window.candidates)
}

func (p *picture) draw(to io.Writer) error {
	operations := p.operations()
	model := p.model()
	_, info := porcupine.CheckOperationsVerbose(model, operations, pictureSearchMax)
	info.AddAnnotations(p.annotations(len(operations)))
	return porcupine.Visualize(model, info, to)
}

// operations turns the panels into the visualizer's form.
func (p *picture) operations() []porcupine.Operation {
	p.measure()
	p.numberRows()
	var result []porcupine.Operation
	for i, panel := range p.panels {
		for _, c := range panel.candidates {
			result = append(result, porcupine.Operation{
				ClientId: p.rows[c.operation.Client],
				Input:    drawn{panel: i, operation: c.operation, initial: panel.initial},
				Call:     c.operation.Call, Return: min(c.until, p.end),
				Metadata: c.operation,
			})
		}
	}
	return result
}

// measure finds the first moment drawn, and the one just behind all others, at
// which open operations are drawn to end.
func (p *picture) measure() {
	for i, panel := range p.panels {
		for j, c := range panel.candidates {
			if i == 0 && j == 0 {
				p.start, p.end = c.operation.Call, c.operation.Call
			}
			p.start = min(p.start, c.operation.Call)
			p.end = max(p.end, c.operation.Call, c.operation.Return)
		}
	}
	p.end++
}

func (p *picture) numberRows() {
	var clients []int
	for _, panel := range p.panels {
		for _, c := range panel.candidates {
			clients = append(clients, c.operation.Client)
		}
	}
	slices.Sort(clients)
	for _, client := range slices.Compact(clients) {
		p.rows[client] = len(p.rows)
	}
}

// model steps values, without the limits of a search. A panel's initial value comes
// with its operations, since the visualizer has one Init for all of them.
func (p *picture) model() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := make([][]porcupine.Operation, len(p.panels))
			for _, o := range history {
				at := o.Input.(drawn).panel
				parts[at] = append(parts[at], o)
			}
			return parts
		},
		Init: func() any { return nil },
		Step: func(state, input, _ any) (bool, any) {
			d := input.(drawn)
			holds, begun := state.(Value)
			if !begun {
				holds = d.initial
			}
			possible, after := p.spec.step(holds, d.operation)
			return possible, after
		},
		DescribeOperation: func(input, _ any) string {
			o := input.(drawn).operation
			if whole := p.whole[o.identity()]; whole != nil {
				o = whole
			}
			return o.String()
		},
		// The visualizer puts states into its page as they are.
		DescribeState: func(state any) string {
			return html.EscapeString(shorten(state.(Value).String()))
		},
		DescribeOperationMetadata: func(metadata any) string {
			o := metadata.(*Operation)
			return fmt.Sprintf("client %d, id %d, %s", o.Client, o.ID, o.times(p.history.Unit))
		},
	}
}

// annotations say the verdict, what was left out, and the operations in conflict.
func (p *picture) annotations(drawn int) []porcupine.Annotation {
	notes := []porcupine.Annotation{{
		Tag: "verdict", Start: p.start, Description: p.report.Verdict.String(),
		Details: fmt.Sprintf("%s; %d operations drawn", p.report.Summary(), drawn),
	}}
	if w := p.report.Witness; w != nil && w.Base > 0 {
		notes[0].Details += fmt.Sprintf("; the states are of the log from offset %d on", w.Base)
	}
	if p.report.Witness == nil || p.report.Witness.Conflict == nil {
		return notes
	}
	conflict := p.report.Witness.Conflict
	for _, o := range []*Operation{conflict.First, conflict.Second} {
		if o == nil {
			continue
		}
		notes = append(notes, porcupine.Annotation{
			Tag: "conflict", Start: o.Call, End: min(o.end(), p.end),
			Description: o.String(), Details: conflict.String(),
			BackgroundColor: conflictColour,
		})
	}
	return notes
}
