package storage_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	disk "github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

// defective is a log that a defect stands before. A nil function changes nothing.
type defective struct {
	storage.Log
	defect *defect
}

// defect is a deliberate one. It is of one disk: it may remember.
type defect struct {
	// stored changes a record before it is stored, found what a recovery reports.
	stored func(r *storage.Record)
	found  func(f *storage.Found)
	// read answers instead of an error.
	read func(l storage.Log, group wire.GroupID, id wire.PrepareID, err error) ([]byte, error)
	// lazy: a flush does nothing.
	lazy bool
	// last is the newest batch written, synced the newest flushed.
	last, synced storage.Sequence
}

func (d defective) Append(records ...storage.Record) (storage.Sequence, error) {
	if d.defect.stored != nil {
		for i := range records {
			d.defect.stored(&records[i])
		}
	}
	sequence, err := d.Log.Append(records...)
	d.defect.last = sequence
	return sequence, err
}

func (d defective) Sync() error {
	d.defect.synced = d.defect.last
	if d.defect.lazy {
		return nil
	}
	return d.Log.Sync()
}

func (d defective) Read(group wire.GroupID, id wire.PrepareID) ([]byte, error) {
	body, err := d.Log.Read(group, id)
	if err != nil && d.defect.read != nil {
		return d.defect.read(d.Log, group, id, err)
	}
	return body, err
}

func (d *defect) maker() storage.Maker {
	return storage.Maker{Open: func(
		on disk.Disk, boot storage.Boot,
	) (storage.Log, storage.Found, error) {
		l, found, err := storage.Production().Open(on, boot)
		if err == nil && d.found != nil {
			found.Records = slices.Clone(found.Records)
			d.found(&found)
		}
		return defective{l, d}, found, err
	}}
}

// wrapping opens the log that runs and puts something before it.
func wrapping(wrap func(storage.Log) storage.Log) storage.Maker {
	return storage.Maker{Open: func(
		on disk.Disk, boot storage.Boot,
	) (storage.Log, storage.Found, error) {
		l, found, err := storage.Production().Open(on, boot)
		return wrap(l), found, err
	}}
}

// defects make one of each kind, by name.
var defects = map[string]func() *defect{
	"none": func() *defect { return &defect{} },
	"adopts_torn": func() *defect {
		return &defect{found: func(f *storage.Found) {
			for i := range f.Records {
				f.Records[i].Present = true
			}
		}}
	},
	"forgets_doubt": func() *defect {
		return &defect{found: func(f *storage.Found) { f.Doubt = false }}
	},
	"doubts_always": func() *defect {
		return &defect{found: func(f *storage.Found) { f.Doubt = true }}
	},
	"state_record_forgets_doubt": func() *defect {
		return &defect{stored: func(r *storage.Record) { r.InDoubt = false }}
	},
	"record_forgets_log_view": func() *defect {
		return &defect{stored: func(r *storage.Record) { r.LogView = 0 }}
	},
	"flushes_nothing": func() *defect { return &defect{lazy: true} },
	"cuts_at_synced_through": func() *defect {
		d := &defect{}
		d.found = func(f *storage.Found) {
			f.Records = slices.DeleteFunc(f.Records, func(r storage.Recovered) bool {
				return r.Sequence > d.synced
			})
		}
		return d
	},
	"cut_comes_back": func() *defect {
		var all []storage.Recovered
		boots := 0
		return &defect{
			stored: func(r *storage.Record) {
				all = append(all, storage.Recovered{Head: r.Head, Present: true, Body: r.Body})
			},
			found: func(f *storage.Found) {
				if boots++; boots%2 == 0 {
					return
				}
				for _, r := range all {
					same := func(s storage.Recovered) bool { return s.Head == r.Head }
					if !slices.ContainsFunc(f.Records, same) {
						f.Records = append(f.Records, r)
					}
				}
			},
		}
	},
	"ends_one_early": func() *defect {
		return &defect{found: func(f *storage.Found) {
			f.Records = f.Records[:max(0, len(f.Records)-8)]
		}}
	},
	"loses_a_header": func() *defect {
		return &defect{found: func(f *storage.Found) {
			f.Records = slices.DeleteFunc(f.Records, func(r storage.Recovered) bool {
				return !r.Present
			})
		}}
	},
	"reads_by_op_only": func() *defect {
		return &defect{read: func(
			l storage.Log, group wire.GroupID, id wire.PrepareID, err error,
		) (body []byte, _ error) {
			model.EachJournalLog(func(entry model.JournalLog) {
				id.Checksum = wire.Checksum{Lo: 1000 + uint64(entry), Hi: 1}
				if found, missing := l.Read(group, id); missing == nil {
					body, err = found, nil
				}
			})
			return body, err
		}}
	},
	"says_no_reason": func() *defect {
		return &defect{found: func(f *storage.Found) { f.Reasons = 0 }}
	},
}

// unseen are the defects that no recording can show: reasons do not stand in it.
var unseen = map[string]bool{"none": true, "says_no_reason": true}

// A log that breaks a rule is found by following the model, and the same wrapping without a
// defect is not.
func TestEveryDefectOfTheLogIsFoundOnAWalk(t *testing.T) {
	t.Parallel()
	const walks = 200
	for name, made := range defects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range storage.Large() {
					_, err := storage.FollowWalk(b, made().maker(), seed)
					if err == nil {
						continue
					}
					var mismatch *storage.Mismatch
					require.ErrorAs(t, err, &mismatch)
					assert.NotEqual(t, mismatch.Model, mismatch.Code)
					require.NotEqual(t, "none", name)
					t.Log(err)
					return
				}
				if name == "none" && seed == walks/20 {
					return
				}
			}
			assert.Fail(t, "the defect was not found")
		})
	}
}

// And in recordings of what the log did by itself.
func TestEveryDefectOfTheLogIsFoundInARecording(t *testing.T) {
	t.Parallel()
	const seeds = 300
	for name, made := range defects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				r, err := storage.NewRecording(made().maker(), seed%2 == 0, seed, 6)
				if err == nil {
					_, err = storage.Explain(r)
				}
				if err != nil {
					t.Log(err)
					require.False(t, unseen[name])
					return
				}
				if unseen[name] && seed == 30 {
					return
				}
			}
			assert.Fail(t, "the defect was not found")
		})
	}
}
