package node

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

// recorder writes what the cores of this process do to a file, as 'viewstamp trace' reads it.
// Each event is handed to the system before anybody can hear of it, so that the file of a killed
// process has all that the others saw. It never holds more than its bound: then it begins anew
// and keeps the older half beside it. A disk that does not take it ends the recording, not the
// process.
type recorder struct {
	replica int
	path    string
	header  traces.Header
	// half is how many bytes a file may have.
	half int64
	log  *slog.Logger

	mu     sync.Mutex
	to     *traces.Writer
	last   int64 // the time of the last event: times rise
	writes int   // since the size was looked at
}

// looksEvery is how many events lie between two looks at the size of the file.
const looksEvery = 1024

// openRecorder goes on with the configured file, or begins it; nil if none is configured. What
// begins with a process that has served before is no beginning, and says so.
func openRecorder(c Config, served bool, log *slog.Logger) (*recorder, error) {
	if c.Trace.File == "" {
		return nil, nil
	}
	r := &recorder{
		replica: c.Cluster.Replica, path: c.Trace.File, half: int64(c.Trace.Max) / 2, log: log,
		header: record.NodeHeader(len(c.Replicas), c.Trace.Spec),
	}
	if served {
		r.header.Continues = 1 // At least: nobody has counted.
	}
	var err error
	if r.to, err = traces.Append(r.path, r.header); err != nil {
		return nil, fmt.Errorf("trace.file: %w", err)
	}
	return r, nil
}

// of returns what records the events of a group; nil records nothing.
func (r *recorder) of(group wire.GroupID) func(vsr.Event) {
	if r == nil {
		return nil
	}
	id := strconv.FormatUint(uint64(group), 10)
	return func(e vsr.Event) {
		if e.Action == vsr.EventRefuse {
			return // There are many, and no step needs them.
		}
		event := record.Event(r.replica, e)
		event.Group = id
		r.mu.Lock()
		defer r.mu.Unlock()
		r.write(event)
	}
}

func (r *recorder) write(e traces.Event) {
	if r.to == nil {
		return
	}
	r.last = max(r.last+1, time.Now().UnixNano())
	e.At = r.last
	err := errors.Join(r.to.Write(e), r.to.Flush())
	r.writes++
	if err == nil && r.writes%looksEvery == 0 {
		err = r.rotate()
	}
	if err != nil {
		r.log.Error("recording ends", "file", r.path, "reason", err)
		_ = r.to.Abort() // It is of no use any more.
		r.to = nil
	}
}

// rotate begins a new file where this one has become too large.
func (r *recorder) rotate() error {
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // Somebody has taken it away.
	case err != nil:
		return err
	case info.Size() <= r.half:
		return nil
	}
	header := r.header
	header.Continues = r.to.Steps()
	if err := r.to.Close(); err != nil {
		return err
	}
	if info != nil {
		if err := os.Rename(r.path, r.path+".old"); err != nil {
			return err
		}
	}
	r.to, err = traces.Append(r.path, header)
	return err
}

func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		return nil
	}
	err := r.to.Close()
	r.to = nil
	return err
}
