package storage

import (
	"fmt"
	"strconv"
	"strings"
)

// JournalActionKind names an action of Journal.tla.
type JournalActionKind uint8

// The actions, in the order of Journal!Next.
const (
	JournalAppendPrepare JournalActionKind = iota + 1
	JournalRepairPrepare
	JournalAppendOther
	JournalEnterView
	JournalAdopt
	JournalWriteBatch
	JournalSyncWAL
	JournalWriteSuperblock
	JournalMirrorSuperblock
	JournalSyncSuperblock
	JournalTakeSnapshot
	JournalSyncSnapshot
	JournalRepeatState
	JournalRelease
	JournalKill
	JournalPowerLoss
	JournalRot
	JournalMisdirect
	JournalDamageSuperblock
	JournalDamageSnapshot
	JournalBoot
)

// journalActionNames are the names in the module, by kind.
var journalActionNames = [...]string{
	JournalAppendPrepare: "AppendPrepare", JournalRepairPrepare: "RepairPrepare",
	JournalAppendOther: "AppendOther", JournalEnterView: "EnterView", JournalAdopt: "Adopt",
	JournalWriteBatch: "WriteBatch", JournalSyncWAL: "SyncWAL",
	JournalWriteSuperblock: "WriteSuperblock", JournalMirrorSuperblock: "MirrorSuperblock",
	JournalSyncSuperblock: "SyncSuperblock", JournalTakeSnapshot: "TakeSnapshot",
	JournalSyncSnapshot: "SyncSnapshot", JournalRepeatState: "RepeatState",
	JournalRelease: "Release", JournalKill: "Kill", JournalPowerLoss: "PowerLoss",
	JournalRot: "Rot", JournalMisdirect: "Misdirect", JournalDamageSuperblock: "DamageSuperblock",
	JournalDamageSnapshot: "DamageSnapshot", JournalBoot: "Boot",
}

// JournalActionKinds returns all actions, in the order of Journal!Next.
func JournalActionKinds() []JournalActionKind {
	var kinds []JournalActionKind
	for k := JournalAppendPrepare; k <= JournalBoot; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// String returns the action's name in the module.
func (k JournalActionKind) String() string {
	if k == 0 || int(k) >= len(journalActionNames) {
		return fmt.Sprintf("JournalActionKind(%d)", uint8(k))
	}
	return journalActionNames[k]
}

// JournalLeft is what SIGKILL leaves of the write under way.
type JournalLeft uint8

// What SIGKILL leaves: nothing, a batch of which nothing verifies, or one whose index
// does.
const (
	JournalLeftNothing JournalLeft = iota + 1
	JournalLeftTorn
	JournalLeftLegible
)

// String is the argument of Kill.
func (l JournalLeft) String() string {
	switch l {
	case JournalLeftNothing:
		return "nothing"
	case JournalLeftTorn:
		return "torn"
	case JournalLeftLegible:
		return "legible"
	}
	return "none"
}

// JournalFate is what power loss makes of an unsynced batch.
type JournalFate uint8

// The fates of JournalBoot!Fates: on the disk, not there, there in part.
const (
	JournalKept JournalFate = iota + 1
	JournalLost
	JournalTorn
)

// String is the fate as the module writes it.
func (f JournalFate) String() string {
	switch f {
	case JournalKept:
		return "kept"
	case JournalLost:
		return "lost"
	case JournalTorn:
		return "torn"
	}
	return "none"
}

// JournalAction is one labelled step: an action with its parameters. Fields that an
// action has no use for are zero, so that equal steps are equal values.
type JournalAction struct {
	Kind JournalActionKind
	// Number is the op, view, sequence, slot or file that the action is about.
	Number uint8
	// To is the slot that a misdirected write went to.
	To uint8
	// Log is the log adopted (Adopt).
	Log JournalLog
	// Left is the argument of Kill.
	Left JournalLeft
	// Slots is the number of fates; Fate is that of each slot (PowerLoss).
	Slots uint8
	Fate  [JournalSlotsMax]JournalFate
	// Files has bit k set if superblock file k+1 reached the disk (PowerLoss).
	Files uint8
	// Legible: the index of the torn batches verifies. Snapshot: it reached the disk.
	Legible, Snapshot bool
}

// Name returns the action's name without parameters.
func (a JournalAction) Name() string { return a.Kind.String() }

// arguments returns the arguments, as canonical text, as TLA+ and as part of an
// identifier. All are nil where the action has none.
func (a JournalAction) arguments() (canonical, tla, word []string) {
	number := strconv.Itoa(int(a.Number))
	switch a.Kind { //nolint:exhaustive // the others have no argument
	case JournalRepairPrepare, JournalTakeSnapshot, JournalRelease, JournalRot,
		JournalDamageSuperblock:
		return []string{number}, []string{number}, []string{number}
	case JournalMisdirect:
		both := []string{number, strconv.Itoa(int(a.To))}
		return both, both, both
	case JournalAdopt:
		headers := headersText(a.Log, "")
		if a.Log == 0 {
			headers = "none"
		}
		return []string{number, canonicalJournalLog(a.Log)},
			[]string{number, "<<" + headersText(a.Log, ", ") + ">>"}, []string{number, headers}
	case JournalKill:
		quoted := strconv.Quote(a.Left.String())
		return []string{quoted}, []string{quoted}, []string{a.Left.String()}
	case JournalPowerLoss:
		return a.powerLossArguments()
	default:
		return nil, nil, nil
	}
}

func (a JournalAction) powerLossArguments() (canonical, tla, word []string) {
	fates, letters := make([]string, a.Slots), make([]byte, a.Slots)
	for p := range fates {
		fates[p] = strconv.Quote(a.Fate[p].String())
		letters[p] = a.Fate[p].String()[0]
	}
	fate := canonicalFunction(1, int(a.Slots), func(p int) string { return fates[p] })
	files := canonicalBits(uint16(a.Files) << 1)
	truth := func(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }
	return []string{fate, canonicalBool(a.Legible), files, canonicalBool(a.Snapshot)},
		[]string{"<<" + strings.Join(fates, ", ") + ">>", truth(a.Legible), files, truth(a.Snapshot)},
		[]string{
			string(letters), canonicalBool(a.Legible), strconv.Itoa(int(a.Files)),
			canonicalBool(a.Snapshot),
		}
}

// String returns the label: the name and its arguments as canonical text, as in
// PowerLoss([1:"kept",2:"torn"],F,{1},T). The first says what became of the batch in
// each slot, then whether torn ones are legible, which superblock files and whether
// the snapshot reached the disk.
func (a JournalAction) String() string {
	canonical, _, _ := a.arguments()
	if len(canonical) == 0 {
		return a.Name()
	}
	return a.Name() + "(" + strings.Join(canonical, ",") + ")"
}

// call returns the TLA+ text of the action.
func (a JournalAction) call() ActionCall {
	_, tla, word := a.arguments()
	call := ActionCall{Operator: a.Name() + "_", Call: a.Name(), Label: a.String()}
	if len(tla) > 0 {
		call.Operator += strings.Join(word, "_")
		call.Call += "(" + strings.Join(tla, ", ") + ")"
	}
	return call
}

// JournalActions returns every action that the module can take under c, each with all
// its parameters, in the order of Journal!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func JournalActions(c JournalConfig) []ActionCall {
	j := newJournal(c)
	var calls []ActionCall
	add := func(a JournalAction) { calls = append(calls, a.call()) }
	for _, kind := range JournalActionKinds() {
		switch kind { //nolint:exhaustive // the others have no argument
		case JournalRepairPrepare, JournalTakeSnapshot:
			addNumbers(add, kind, c.MaxOp)
		case JournalRelease:
			addNumbers(add, kind, c.MaxBatch)
		case JournalRot:
			addNumbers(add, kind, c.Slots)
		case JournalMisdirect:
			for p := range c.Slots {
				for q := range c.Slots {
					add(JournalAction{Kind: kind, Number: uint8(p) + 1, To: uint8(q) + 1})
				}
			}
		case JournalDamageSuperblock:
			addNumbers(add, kind, 2)
		case JournalAdopt:
			for v := range c.MaxView + 1 {
				eachJournalLog(c.MaxOp, c.MaxView+2, func(l JournalLog) {
					add(JournalAction{Kind: kind, Number: uint8(v), Log: l})
				})
			}
		case JournalKill:
			add(JournalAction{Kind: kind, Left: JournalLeftNothing})
			for _, left := range j.remains() {
				add(JournalAction{Kind: kind, Left: left})
			}
		case JournalPowerLoss:
			j.addPowerLosses(add)
		default:
			add(JournalAction{Kind: kind})
		}
	}
	return calls
}

func addNumbers(add func(JournalAction), kind JournalActionKind, to int) {
	for n := 1; n <= to; n++ {
		add(JournalAction{Kind: kind, Number: uint8(n)})
	}
}

// addPowerLosses adds every PowerLoss but those that nothing can bring about: a legible
// batch without an index at both ends or without a torn one, and a snapshot where none
// is taken.
func (j *journal) addPowerLosses(add func(JournalAction)) {
	choices := 1
	for range j.Slots {
		choices *= 3
	}
	for choice := range choices {
		a := JournalAction{Kind: JournalPowerLoss, Slots: uint8(j.Slots)}
		torn := false
		for p, rest := 0, choice; p < j.Slots; p, rest = p+1, rest/3 {
			a.Fate[p] = JournalKept + JournalFate(rest%3)
			torn = torn || a.Fate[p] == JournalTorn
		}
		for variant := range uint8(16) {
			a.Files = variant & 3
			a.Snapshot, a.Legible = variant&4 != 0, variant&8 != 0
			if a.Snapshot && !j.Checkpoints || a.Legible && !(j.Twin && torn) {
				continue
			}
			add(a)
		}
	}
}
