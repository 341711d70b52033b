package nodes

import (
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A reader of the write-ahead log of its own, by the format that package wal documents: what a
// boot says of a log is compared with its bytes.

// rawBatch is what a batch says of itself.
type rawBatch struct {
	at       batchPlace
	sequence uint64
	marked   bool // with the mark of doubt
	// checksum is that of its header, chain that of the batch before, as bytes.
	checksum, chain string
	records         []rawRecord
}

// rawRecord is what an index says of a record, whose body may have rotted.
type rawRecord struct {
	kind    wal.Kind
	group   wire.GroupID
	op      wire.Op
	view    wire.View
	inDoubt bool
	// offset is where in the file its body begins.
	offset, bytes int64
}

// The format.
const (
	rawMagic       = "VSJ2"
	rawHeaderBytes = 128
	rawIndexBytes  = 64
	rawIndexSum    = 96  // where in a header half of the index's checksum lies
	rawChecked     = 112 // so many bytes of a header does its checksum cover
	rawSuffix      = ".wal"
)

// readBatch reads the batch that begins at an offset of a file, by its first index. It reports
// false if there is none that belongs there.
func readBatch(name string, content []byte, offset int64) (rawBatch, bool) {
	if offset+rawHeaderBytes > int64(len(content)) {
		return rawBatch{}, false
	}
	h := content[offset:][:rawHeaderBytes]
	b, ok := readHeader(h, name, offset)
	index := offset + rawHeaderBytes
	if !ok || b.at.bytes > int64(len(content))-offset ||
		index+rawIndexBytes*recordsOf(h) > int64(len(content)) {
		return rawBatch{}, false
	}
	return b, b.read(h, content[index:][:rawIndexBytes*recordsOf(h)])
}

// readBack reads the batch that begins at an offset of a file by the index at its end.
func readBack(name string, content []byte, offset int64) (rawBatch, bool) {
	for end := offset + 2*memdisk.SectorBytes; end <= int64(len(content)); end += memdisk.SectorBytes {
		h := content[end-rawHeaderBytes : end]
		b, ok := readHeader(h, name, offset)
		if index := rawIndexBytes * recordsOf(h); ok && b.at.bytes == end-offset && index < b.at.bytes {
			if b.read(h, content[end-rawHeaderBytes-index:][:index]) {
				return b, true
			}
		}
	}
	return rawBatch{}, false
}

func recordsOf(header []byte) int64 { return int64(binary.LittleEndian.Uint32(header[4:])) }

// readHeader reads the header of a batch that begins at an offset of a file.
func readHeader(h []byte, name string, offset int64) (rawBatch, bool) {
	if string(h[:len(rawMagic)]) != rawMagic {
		return rawBatch{}, false
	}
	u64 := binary.LittleEndian.Uint64
	file, named := fileNumber(name)
	if !named || u64(h[80:]) != file || u64(h[88:]) != uint64(offset) {
		return rawBatch{}, false // before the checksum, which costs more
	}
	sum := wire.ChecksumOf(h[:rawChecked])
	if u64(h[rawChecked:]) != sum.Lo || u64(h[rawChecked+8:]) != sum.Hi {
		return rawBatch{}, false
	}
	return rawBatch{
		at:       batchPlace{name, offset, int64(binary.LittleEndian.Uint32(h[24:]))},
		sequence: u64(h[8:]), marked: h[28]&1 != 0,
		checksum: string(h[rawChecked:]), chain: string(h[32:48]),
	}, true
}

// read takes the index of a batch. It reports false if the index has rotted.
func (b *rawBatch) read(header, index []byte) bool {
	if binary.LittleEndian.Uint64(header[rawIndexSum:]) != wire.ChecksumOf(index).Lo {
		return false
	}
	u64, u32 := binary.LittleEndian.Uint64, binary.LittleEndian.Uint32
	body := b.at.offset + rawHeaderBytes + int64(len(index))
	for x := index; len(x) > 0; x = x[rawIndexBytes:] {
		size := int64(u32(x[52:]))
		b.records = append(b.records, rawRecord{
			kind: wal.Kind(x[56]), group: wire.GroupID(u64(x)), op: wire.Op(u64(x[8:])),
			view: wire.View(u32(x[48:])), inDoubt: x[57]&2 != 0, offset: body, bytes: size,
		})
		body += size
	}
	return true
}

// fileNumber is the sequence that the name of a live file stands for.
func fileNumber(name string) (uint64, bool) {
	digits, live := strings.CutSuffix(name[strings.LastIndexByte(name, '/')+1:], rawSuffix)
	if !live {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, err == nil
}

// fileName is the path of the live file that begins with a sequence.
func fileName(sequence uint64) string {
	return path.Join(datadir.Log, fmt.Sprintf("%016x%s", sequence, rawSuffix))
}

// liveFiles are the paths of the files of a log that have batches, oldest first.
func liveFiles(d *memdisk.Disk) []string {
	names, err := d.List(datadir.Log)
	if err != nil {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(name, rawSuffix)
	})
	for i := range names {
		names[i] = datadir.Log + "/" + names[i]
	}
	return names
}

// rawLog walks over the batches of a log in their order. Where one has no index that is legible,
// or is missing, it goes on with the next that is. What it returns as broken are batches
// that follow the one before them with another chain than its checksum.
func rawLog(d *memdisk.Disk) (all, broken []rawBatch) {
	names := liveFiles(d)
	next, before := uint64(0), ""
	for i, name := range names {
		content := d.Contents(name, false)
		if first, _ := fileNumber(name); first != next {
			next, before = first, ""
		}
		for offset := int64(0); offset < int64(len(content)); {
			b, ok := readBatch(name, content, offset)
			if !ok {
				b, ok = readBack(name, content, offset)
			}
			ended := i+1 < len(names) && names[i+1] == fileName(next)
			follows := before == "" || b.chain == before
			switch {
			case ok && b.sequence == next && (follows || !ended):
				if !follows {
					broken = append(broken, b)
				}
			case ended:
				offset = int64(len(content))
				continue
			case !ok || b.sequence < next:
				offset, before = offset+memdisk.SectorBytes, ""
				continue
			}
			all = append(all, b)
			next, before = b.sequence+1, b.checksum
			offset += b.at.bytes
		}
	}
	return all, broken
}

// hasState says whether the batch has a state record of a group, of that log view at least, that
// ends its doubt if trusted.
func (b *rawBatch) hasState(group wire.GroupID, view wire.View, trusted bool) bool {
	return slices.ContainsFunc(b.records, func(x rawRecord) bool {
		return x.kind == wal.KindState && x.group == group && x.view >= view &&
			!(trusted && x.inDoubt)
	})
}

// onDisk says whether the disk itself has a state record of a group, of that log view at least. A
// batch that was torn at its start is whole for its end, so that one counts where no other does.
func onDisk(d *memdisk.Disk, group wire.GroupID, view wire.View) bool {
	return onDiskBy(readBatch, d, group, view) || onDiskBy(readBack, d, group, view)
}

func onDiskBy(
	read func(name string, content []byte, offset int64) (rawBatch, bool), d *memdisk.Disk,
	group wire.GroupID, view wire.View,
) bool {
	for _, name := range slices.Backward(liveFiles(d)) {
		content := d.Contents(name, true)
		for offset := int64(0); offset < int64(len(content)); offset += memdisk.SectorBytes {
			b, ok := read(name, content, offset)
			if ok && b.hasState(group, view, false) {
				return true
			}
		}
	}
	return false
}
