package verify

import (
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	recoveryLogBytes  = 128 << 20
	recoveryFileBytes = 4 << 20
	recoveryBatch     = 16 // Records.
	recoveryRounds    = 9
	// recoveryShare is the goal: recovery's speed as a share of reading the same files.
	recoveryShare = 0.5
)

// BenchRecovery is the job that measures how fast a log of 128 MiB in bodies of so many bytes
// is recovered, against reading the same files. The two alternate, and both find the page cache
// empty of them, where the system can do that (figure cold: 1). It judges nothing.
func BenchRecovery(below string, bytes int) Job {
	return benchJob("bench/recovery-"+strconv.Itoa(bytes), func(
		ctx context.Context,
	) (Figures, error) {
		return benchRecovery(ctx, below, bytes)
	})
}

func benchRecovery(ctx context.Context, below string, bytes int) (f Figures, err error) {
	disk, root, remove, err := benchDirectory(below)
	if err != nil {
		return nil, err
	}
	defer func() { err = multierr.Append(err, remove()) }()
	config := wal.DefaultConfig("wal")
	config.FileBytes, config.Incarnation.Lo = recoveryFileBytes, 1
	if err := fillLog(disk, config, bytes); err != nil {
		return nil, err
	}
	var ratios, rates, readingRates []float64
	figures := Figures{"cold": 0}
	for range recoveryRounds {
		config.Incarnation.Lo++
		round, err := recoverOnce(disk, filepath.Join(root, config.Directory), config)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		ratios = append(ratios, float64(round.reading)/float64(round.recovering))
		mib := float64(round.bytes >> 20)
		rates = append(rates, mib/round.recovering.Seconds())
		readingRates = append(readingRates, mib/round.reading.Seconds())
		figures["mib"], figures["records"] = mib, float64(round.records)
		if round.cold {
			figures["cold"] = 1
		}
	}
	figures["mib_per_second"] = middle(rates)
	figures["reading_mib_per_second"] = middle(readingRates)
	figures.share(ratios, recoveryShare)
	return figures, nil
}

// recovery is one round.
type recovery struct {
	reading, recovering time.Duration
	bytes               int64
	records             int
	cold                bool
}

// recoverOnce reads the files of a log, at path, then recovers it.
func recoverOnce(disk storage.Disk, path string, config wal.Config) (r recovery, err error) {
	if _, err := forgetPages(path); err != nil {
		return r, err
	}
	if r.reading, r.bytes, err = readFiles(disk, config.Directory); err != nil {
		return r, err
	}
	if r.cold, err = forgetPages(path); err != nil {
		return r, err
	}
	begin := time.Now()
	log, report, err := wal.Open(disk, config)
	if err != nil {
		return r, err
	}
	r.recovering, r.records = time.Since(begin), len(report.Records)
	return r, log.Close()
}

// fillLog makes a log of recoveryLogBytes and flushes it.
func fillLog(disk storage.Disk, config wal.Config, bytes int) (err error) {
	log, _, err := wal.Open(disk, config)
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(log))
	body := make([]byte, bytes)
	for i := range body {
		body[i] = byte(i * 7)
	}
	sum := wire.ChecksumOf(body)
	for op := wire.Op(1); int(op)*bytes < recoveryLogBytes; {
		var batch []wal.Record
		for range recoveryBatch {
			batch = append(batch, wal.Record{Head: wal.Head{
				Kind: wal.KindPrepare, Group: 1, Op: op, Checksum: wire.Checksum{Lo: uint64(op)},
			}, Body: body, ChecksumBody: sum})
			op++
		}
		if _, err := log.Append(batch...); err != nil {
			return err
		}
	}
	return log.Sync()
}

// readFiles reads all files of a log, one after the other, and returns how long that took.
func readFiles(disk storage.Disk, directory string) (took time.Duration, size int64, err error) {
	names, err := disk.List(directory)
	if err != nil {
		return 0, 0, err
	}
	buffer := make([]byte, recoveryFileBytes)
	begin := time.Now()
	for _, name := range names {
		if path.Ext(name) != ".wal" {
			continue
		}
		n, err := readFile(disk, path.Join(directory, name), buffer)
		if err != nil {
			return 0, 0, err
		}
		size += n
	}
	return time.Since(begin), size, nil
}

func readFile(disk storage.Disk, name string, buffer []byte) (n int64, err error) {
	f, err := disk.Open(name)
	if err != nil {
		return 0, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	got, err := f.ReadAt(buffer, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return int64(got), err
}
