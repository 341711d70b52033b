package inspect

import (
	"path"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// readLog asks recovery about the write-ahead log, which has begun if the process has hosted
// groups. Its bounds are those that the files have.
func readLog(disk storage.Disk, begun bool) (Log, error) {
	if begun {
		if err := wal.Begun(disk, datadir.Log); err != nil {
			return Log{}, err
		}
	}
	names, err := disk.List(datadir.Log)
	if err != nil || len(names) == 0 {
		return Log{Discarded: []string{}}, err
	}
	config := wal.DefaultConfig(datadir.Log)
	config.FilesMax += len(names)
	config.Incarnation = wire.Uint128{Hi: ^uint64(0), Lo: ^uint64(0)} // Of no boot: nothing stays.
	size := int64(0)
	for _, name := range names {
		f, err := disk.Open(path.Join(datadir.Log, name))
		if err != nil {
			return Log{}, err
		}
		bytes, err := f.Size()
		if err != nil {
			return Log{}, err
		}
		size = max(size, bytes)
	}
	if size > 0 {
		config.FileBytes = (size + wal.SectorBytes - 1) / wal.SectorBytes * wal.SectorBytes
	}
	l, report, err := wal.Open(disk, config)
	if err != nil {
		return Log{}, err
	}
	found := Log{
		Batches: report.Batches, Records: len(report.Records), Damaged: report.Damaged,
		Discarded: []string{},
	}
	for i := range report.Records {
		r := &report.Records[i]
		if found.highest == nil {
			found.highest = make(map[wire.GroupID]wire.Op)
		}
		found.highest[r.Group] = max(found.highest[r.Group], r.Op)
	}
	for _, d := range report.Discarded {
		found.Discarded = append(found.Discarded, d.String())
	}
	return found, l.Close()
}
