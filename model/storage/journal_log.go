package storage

import (
	"math/bits"
	"strconv"
	"strings"
)

// JournalLog is a log as Journal.tla has it: the sequence of the views in which its
// ops were first prepared, at most JournalOpMax of them, each 0 to JournalViewMax+1.
// One above the highest view is an op whose header is not known (Unknown). It is also
// the entry of its head, for a checksum names its whole chain.
//
// The value is its number among all logs: 0 is the empty log, then come those of one
// op, then those of two.
type JournalLog uint8

const (
	journalHeaders = JournalViewMax + 2            // Views, and Unknown.
	journalOneOp   = JournalLog(1)                 // The first log of one op.
	journalTwoOps  = journalOneOp + journalHeaders // The first log of two.
	journalLogs    = int(journalTwoOps) + journalHeaders*journalHeaders
)

// head is the number of ops, which is the highest op.
func (l JournalLog) head() uint8 {
	switch {
	case l >= journalTwoOps:
		return 2
	case l >= journalOneOp:
		return 1
	}
	return 0
}

// at returns the header of an op, 1 to head.
func (l JournalLog) at(op uint8) uint8 {
	switch {
	case l < journalTwoOps:
		return uint8(l - journalOneOp)
	case op == 1:
		return uint8((l - journalTwoOps) / journalHeaders)
	}
	return uint8((l - journalTwoOps) % journalHeaders)
}

// last is the header of the head, which must exist.
func (l JournalLog) last() uint8 { return l.at(l.head()) }

// add appends a header to a log of less than JournalOpMax ops.
func (l JournalLog) add(header uint8) JournalLog {
	switch l.head() {
	case 0:
		return journalOneOp + JournalLog(header)
	case 1:
		return journalTwoOps + (l-journalOneOp)*journalHeaders + JournalLog(header)
	}
	panic("log " + canonicalJournalLog(l) + " is full")
}

// with replaces the header of an op, 1 to head.
func (l JournalLog) with(op, header uint8) JournalLog {
	var changed JournalLog
	for o := uint8(1); o <= l.head(); o++ {
		if o == op {
			changed = changed.add(header)
		} else {
			changed = changed.add(l.at(o))
		}
	}
	return changed
}

// prefix is JournalDisk!Prefix: the first n ops, or all.
func (l JournalLog) prefix(n uint8) JournalLog {
	switch {
	case n >= l.head():
		return l
	case n == 0:
		return 0
	}
	return journalOneOp + JournalLog(l.at(1))
}

// suffix is JournalDisk!Suffix: the ops above the first n.
func (l JournalLog) suffix(n uint8) JournalLog {
	switch {
	case n == 0:
		return l
	case n >= l.head():
		return 0
	}
	return journalOneOp + JournalLog(l.at(2))
}

// then appends the ops of another log.
func (l JournalLog) then(more JournalLog) JournalLog {
	for o := uint8(1); o <= more.head(); o++ {
		l = l.add(more.at(o))
	}
	return l
}

// pad is JournalDisk!Pad: at least n ops, the new ones without a header.
func (l JournalLog) pad(n, unknown uint8) JournalLog {
	for l.head() < n {
		l = l.add(unknown)
	}
	return l
}

// fits is JournalDisk!Fits: l is a prefix of whole, as far as the headers are known.
func (l JournalLog) fits(whole JournalLog, unknown uint8) bool {
	if l.head() > whole.head() {
		return false
	}
	for o := uint8(1); o <= l.head(); o++ {
		a, b := l.at(o), whole.at(o)
		if a != b && a != unknown && b != unknown {
			return false
		}
	}
	return true
}

// holds reports whether some header of the log is the given one.
func (l JournalLog) holds(header uint8) bool {
	for o := uint8(1); o <= l.head(); o++ {
		if l.at(o) == header {
			return true
		}
	}
	return false
}

// JournalEntries is a set of entries; bit l is the entry of log l.
type JournalEntries uint32

func (e JournalEntries) has(l JournalLog) bool { return e&(1<<l) != 0 }

// each calls visit with the members, in the order of their numbers.
func (e JournalEntries) each(visit func(JournalLog)) {
	for ; e != 0; e &= e - 1 {
		visit(JournalLog(bits.TrailingZeros32(uint32(e))))
	}
}

// eachJournalLog calls visit with every log of at most maxOp ops, of the given number of
// headers, in the order of their numbers.
func eachJournalLog(maxOp, headers int, visit func(JournalLog)) {
	for l := range JournalLog(journalLogs) {
		fits := int(l.head()) <= maxOp
		for o := uint8(1); o <= l.head(); o++ {
			fits = fits && int(l.at(o)) < headers
		}
		if fits {
			visit(l)
		}
	}
}

// canonicalJournalLog is the canonical text: a sequence of views.
func canonicalJournalLog(l JournalLog) string {
	return canonicalFunction(1, int(l.head()), func(i int) string {
		return strconv.Itoa(int(l.at(uint8(i + 1))))
	})
}

// headersText returns the headers of a log, in words between separators.
func headersText(l JournalLog, separator string) string {
	views := make([]string, 0, JournalOpMax)
	for o := uint8(1); o <= l.head(); o++ {
		views = append(views, strconv.Itoa(int(l.at(o))))
	}
	return strings.Join(views, separator)
}
