package storage

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	model "github.com/viewstamp/viewstamp/model/storage"
)

// Recording is what a process did to its storage and what it found there, line by line.
type Recording struct {
	// Persisted is the policy of the group; else it is replicated.
	Persisted bool
	Lines     []Line
}

// The things that a line can tell.
const (
	// DoView: the replica entered the next view.
	DoView = "view"
	// DoAppend: the log took a batch.
	DoAppend = "append"
	// DoSync: the log was flushed.
	DoSync = "sync"
	// DoSuperblock: the superblock was written.
	DoSuperblock = "superblock"
	// DoKill: the process died. Batch and superblock are what was under way.
	DoKill = "kill"
	// DoPowerLoss: so did the kernel.
	DoPowerLoss = "power loss"
	// DoRot: a byte in one index of a batch went bad.
	DoRot = "rot"
	// DoBoot: the process booted and found this.
	DoBoot = "boot"
)

// Line is one thing that was done.
type Line struct {
	Do         string          `json:"do"`
	Batch      []LineRecord    `json:"batch,omitempty"`
	Superblock *LineSuperblock `json:"superblock,omitempty"`
	Found      *LineFound      `json:"found,omitempty"`
}

// LineRecord is a record of the driven group.
type LineRecord struct {
	// State: a state record. Views are the headers of a prepare's whole log, or those of a state
	// record above From.
	State   bool  `json:"state,omitempty"`
	LogView int   `json:"log_view"`
	From    int   `json:"from,omitempty"`
	Views   []int `json:"views"`
	InDoubt bool  `json:"in_doubt,omitempty"`
}

// LineSuperblock is what the superblock says of the group.
type LineSuperblock struct {
	View    int `json:"view"`
	LogView int `json:"log_view"`
}

// LineFound is what a boot found.
type LineFound struct {
	Refused bool `json:"refused,omitempty"`
	View    int  `json:"view"`
	LogView int  `json:"log_view"`
	LogLost bool `json:"log_lost,omitempty"`
	InDoubt bool `json:"in_doubt,omitempty"`
	// Headers are the views of the ops; Bodies the logs whose last op has its body.
	Headers []int   `json:"headers"`
	Bodies  [][]int `json:"bodies"`
}

// String is the line as it is written.
func (l Line) String() string { return textOf(l) }

func textOf(line any) string {
	b, err := json.Marshal(line)
	if err != nil {
		return err.Error() // Nothing in a line can bring this about.
	}
	return string(b)
}

// header is the first line of a file.
type header struct {
	Format    string `json:"format"`
	Persisted bool   `json:"persisted"`
}

const format = "viewstamp storage recording 1"

// Write writes a recording as JSON lines.
func (r Recording) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	if err := e.Encode(header{format, r.Persisted}); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	for _, l := range r.Lines {
		if err := e.Encode(l); err != nil {
			return fmt.Errorf("write recording: %w", err)
		}
	}
	return nil
}

// Read reads what Write wrote. An error says in which line what is wrong.
func Read(r io.Reader) (Recording, error) {
	var recording Recording
	lines, n := bufio.NewScanner(r), 0
	for lines.Scan() {
		n++
		var head header
		var line Line
		var into any = &line
		if n == 1 {
			into = &head
		}
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		err := d.Decode(into)
		if err == nil && n == 1 && head.Format != format {
			err = fmt.Errorf("format %q, expected %q", head.Format, format)
		}
		if err == nil && n > 1 {
			err = line.check()
		}
		if err != nil {
			return Recording{}, fmt.Errorf("read recording: line %d: %w", n, err)
		}
		if n == 1 {
			recording.Persisted = head.Persisted
		} else {
			recording.Lines = append(recording.Lines, line)
		}
	}
	if err := lines.Err(); err != nil {
		return Recording{}, fmt.Errorf("read recording: %w", err)
	}
	if n == 0 {
		return Recording{}, errors.New("read recording: no lines, expected a format and what was done")
	}
	return recording, nil
}

func (l Line) check() error {
	switch l.Do {
	case DoView, DoSync, DoKill, DoPowerLoss, DoRot:
	case DoAppend:
		if len(l.Batch) == 0 {
			return errors.New("append without a batch")
		}
	case DoSuperblock:
		if l.Superblock == nil {
			return errors.New("superblock without its content")
		}
	case DoBoot:
		if l.Found == nil {
			return errors.New("boot without what it found")
		}
	default:
		return fmt.Errorf("do is %q, expected view, append, sync, superblock, kill, power loss, "+
			"rot or boot", l.Do)
	}
	if len(l.Batch) > 1 {
		return fmt.Errorf("a batch of %d records, expected at most 1", len(l.Batch))
	}
	for _, r := range l.Batch {
		for _, v := range append([]int{r.LogView}, r.Views...) {
			if v < 0 || v > model.JournalViewMax+1 {
				return fmt.Errorf("view %d, expected 0 to %d", v, model.JournalViewMax+1)
			}
		}
		if r.From < 0 || r.From+len(r.Views) > model.JournalOpMax {
			return fmt.Errorf("a log of %d ops, expected at most %d",
				r.From+len(r.Views), model.JournalOpMax)
		}
	}
	return nil
}

func numbers(views []uint8) []int {
	all := make([]int, len(views))
	for i, v := range views {
		all[i] = int(v)
	}
	return all
}

func logOf(views []int) model.JournalLog {
	all := make([]uint8, len(views))
	for i, v := range views {
		all[i] = uint8(v)
	}
	return model.JournalLogOf(all...)
}

// lineOf is a model's record in a line.
func lineOf(r model.JournalRecord) LineRecord {
	return LineRecord{
		State: r.Kind == model.JournalStateRecord, LogView: int(r.LogView), From: int(r.From),
		Views: numbers(r.Entry.Views()), InDoubt: r.InDoubt,
	}
}

// recordsOfLine is the model's form of a batch.
func recordsOfLine(batch []LineRecord) model.JournalRecords {
	var records model.JournalRecords
	for _, l := range batch {
		r := model.JournalRecord{
			Kind: model.JournalPrepare, Entry: logOf(l.Views), LogView: uint8(l.LogView),
		}
		if l.State {
			r.Kind, r.InDoubt = model.JournalStateRecord, l.InDoubt
			r.From, r.Head = uint8(l.From), uint8(l.From+len(l.Views))
		}
		records.All[records.Count] = r
		records.Count++
	}
	return records
}

// boundsOf are the bounds of the model within which recordings are made.
func boundsOf(persisted bool) model.JournalConfig {
	c := model.JournalConfig{
		Policy: model.Replicated, MaxOp: 2, MaxView: 2, MaxBatch: 4, Slots: 4, MaxAhead: 4,
		MaxRecords: 1, MaxCrash: 9, MaxRot: 1, Twin: true, Misdirects: true, Mirror: true,
	}
	if persisted {
		c.Policy = model.Persisted
	}
	return c
}
