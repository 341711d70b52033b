package memdisk

import (
	"fmt"
	"slices"
)

// operationsMax bounds the log of operations: the oldest half goes when it is full.
const operationsMax = 8192

// OperationKind names what was done to the disk.
type OperationKind uint8

// The kinds. Kill and PowerLoss are noted too, so that the log can be read alone.
const (
	OperationCreate OperationKind = iota + 1
	OperationOpen
	OperationRename
	OperationRemove
	OperationSyncDir
	OperationRead
	OperationWrite
	OperationTruncate
	OperationAllocate
	OperationSync
	OperationKill
	OperationPowerLoss
)

var operationNames = [...]string{
	OperationCreate:    "create",
	OperationOpen:      "open",
	OperationRename:    "rename",
	OperationRemove:    "remove",
	OperationSyncDir:   "sync directory",
	OperationRead:      "read",
	OperationWrite:     "write",
	OperationTruncate:  "truncate",
	OperationAllocate:  "allocate",
	OperationSync:      "sync",
	OperationKill:      "kill",
	OperationPowerLoss: "power loss",
}

// String returns the name in prose: "sync directory".
func (k OperationKind) String() string {
	if k == 0 || int(k) >= len(operationNames) {
		return fmt.Sprintf("operation(%d)", uint8(k))
	}
	return operationNames[k]
}

// Operation is one call that reached the disk.
type Operation struct {
	Kind OperationKind
	// Path is the file's or directory's path, To the new name of a rename.
	Path, To string
	// Offset and Bytes say which part was read or written; Bytes of a truncate and of an
	// allocate is the new size.
	Offset, Bytes int64
	// DelayTicks is how long a slow operation took, as its fault announced; else 0.
	DelayTicks uint64
	// Err is what the caller got.
	Err error
}

// String returns the operation in one line: "write wal offset=0 bytes=389".
func (o Operation) String() string {
	text := o.Kind.String()
	if o.Path != "" {
		text += " " + o.Path
	}
	switch o.Kind {
	case OperationRename:
		text += " to " + o.To
	case OperationRead, OperationWrite:
		text += fmt.Sprintf(" offset=%d bytes=%d", o.Offset, o.Bytes)
	case OperationTruncate, OperationAllocate:
		text += fmt.Sprintf(" bytes=%d", o.Bytes)
	case OperationCreate, OperationOpen, OperationRemove, OperationSyncDir, OperationSync,
		OperationKill, OperationPowerLoss:
	}
	if o.DelayTicks > 0 {
		text += fmt.Sprintf(" delay=%d", o.DelayTicks)
	}
	if o.Err != nil {
		text += " error=" + fmt.Sprintf("%q", o.Err)
	}
	return text
}

// Operations returns what was done to the disk, oldest first: the newest 4,096
// operations at least.
func (d *Disk) Operations() []Operation {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.operations)
}

// KeepNoLog ends the log of operations, which costs memory: [Disk.Operations] returns what was done
// before.
func (d *Disk) KeepNoLog() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unlogged = true
}

// note adds an operation to the log.
func (d *Disk) note(op Operation) {
	if d.unlogged {
		return
	}
	if len(d.operations) == operationsMax {
		d.operations = append(d.operations[:0], d.operations[operationsMax/2:]...)
	}
	d.operations = append(d.operations, op)
}
