package verify

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
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
// is recovered, against reading the same files. The two alternate; both read from the page
// cache, so a disk only makes the share better. It judges nothing.
func BenchRecovery(below string, bytes int) Job {
	return benchJob("bench/recovery-"+strconv.Itoa(bytes), func(
		ctx context.Context,
	) (Figures, error) {
		return benchRecovery(ctx, below, bytes)
	})
}

func benchRecovery(ctx context.Context, below string, bytes int) (f Figures, err error) {
	root, err := os.MkdirTemp(below, "viewstamp-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = multierr.Append(err, os.RemoveAll(root)) }()
	disk, err := storage.OpenDirectory(root)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(disk))
	config := wal.DefaultConfig("wal")
	config.FileBytes, config.Incarnation.Lo = recoveryFileBytes, 1
	if err := fillLog(disk, config, bytes); err != nil {
		return nil, err
	}
	var ratios, rates, readingRates []float64
	figures := Figures{}
	for range recoveryRounds {
		reading, size, err := readFiles(disk, config.Directory)
		if err != nil {
			return nil, err
		}
		config.Incarnation.Lo++
		begin := time.Now()
		log, report, err := wal.Open(disk, config)
		if err != nil {
			return nil, err
		}
		recovering := time.Since(begin)
		if err := errors.Join(log.Close(), ctx.Err()); err != nil {
			return nil, err
		}
		ratios = append(ratios, float64(reading)/float64(recovering))
		rates = append(rates, float64(size>>20)/recovering.Seconds())
		readingRates = append(readingRates, float64(size>>20)/reading.Seconds())
		figures["mib"], figures["records"] = float64(size>>20), float64(len(report.Records))
	}
	figures["mib_per_second"] = middle(rates)
	figures["reading_mib_per_second"] = middle(readingRates)
	figures.share(ratios, recoveryShare)
	return figures, nil
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
