package linearizability

// The plants of the models with shapes. Each is a few operations of one client, one after
// the other, the answers of which the object gave truly but for one lie that no order of
// the others can explain:
//
//   - lost_append: a linearizable poll from the offset that an append was told finds
//     nothing there, after the append had returned.
//   - reordered_offsets: the first of two appends is told the offset of the second.
//   - back_read: a serializable poll shows a record, and the client's next one does not.
//   - stale_read: an offset is read that was overwritten; nobody else stores it.
//   - resurrected_name: a name that was deleted has its old id, which is nobody's again.
//   - duplicate_execution: a request that is sent again has another position.
//   - lost_add: a set does not show what was added to it.
const (
	// PlantLostAppend is of Partition.
	PlantLostAppend Plant = "lost_append"
	// PlantReorderedOffsets is of Partition.
	PlantReorderedOffsets Plant = "reordered_offsets"
	// PlantBackRead is of Partition.
	PlantBackRead Plant = "back_read"
	// PlantResurrectedName is of Metadata.
	PlantResurrectedName Plant = "resurrected_name"
	// PlantDuplicateExecution is of Sessions.
	PlantDuplicateExecution Plant = "duplicate_execution"
	// PlantLostAdd is of Set.
	PlantLostAdd Plant = "lost_add"
)

// PlantsOf lists the plants that the model has, without [PlantNone].
func PlantsOf(model Model) []Plant {
	if model == Partition {
		return []Plant{PlantLostAppend, PlantReorderedOffsets, PlantBackRead}
	}
	if model == Offsets {
		return []Plant{PlantStaleRead}
	}
	if model == Metadata {
		return []Plant{PlantResurrectedName}
	}
	if model == Sessions {
		return []Plant{PlantDuplicateExecution}
	}
	if model == Set {
		return []Plant{PlantLostAdd}
	}
	return Plants()[1:]
}

// script fills the next operation of the plant, given those before.
func (p Plant) script(g *generator, o *Operation, before []*Operation) {
	first := len(before) == 0
	poll := func(level Level) {
		o.Kind, o.Input.Number, o.Input.Level = Poll, before[0].Output.Number, level
		o.Input.Max = Int(4)
	}
	switch {
	case p == PlantBackRead && !first:
		poll(LevelSerializable)
	case p == PlantLostAppend && !first:
		poll(LevelLinearizable)
	case g.options.Model == Partition:
		o.Kind, o.Input.Value = Append, g.unique()
	case p == PlantStaleRead && len(before) == 2:
		o.Kind = GetOffset
	case p == PlantStaleRead:
		g.values++
		o.Kind, o.Input.Number = StoreOffset, Int(int64(g.values))
	case p == PlantResurrectedName:
		o.Kind, o.Input.Value = []Kind{Create, Delete, Lookup}[len(before)], Text("planted")
	case p == PlantDuplicateExecution:
		o.Kind, o.Input.Value, o.Input.Number = Execute, Text("planted"), Int(1)
	case p == PlantLostAdd && first:
		o.Kind, o.Input.Value = Add, g.unique()
	default:
		o.Kind = Members
	}
}

// lie spoils what the operations of the plant were told.
func (p Plant) lie(planted []*Operation) {
	last := planted[len(planted)-1]
	if p == PlantLostAppend || p == PlantBackRead {
		last.Output.Values = nil
	}
	if p == PlantReorderedOffsets {
		planted[0].Output, last.Output = last.Output, planted[0].Output
	}
	if p == PlantStaleRead {
		last.Output.Number = planted[0].Input.Number
	}
	if p == PlantResurrectedName {
		last.Output.Number = planted[0].Output.Number
	}
	if p == PlantDuplicateExecution {
		last.Output.Number.Value++
	}
	if p == PlantLostAdd {
		last.Output.Values = without(last.Output.Values, planted[0].Input.Value.Text)
	}
}

func without(values []string, lost string) []string {
	var kept []string
	for _, value := range values {
		if value != lost {
			kept = append(kept, value)
		}
	}
	return kept
}
