package partitionlog

// A contradiction is about a few offsets. To show it by operations that are a violation by
// themselves, all appends below would have to be among them, since a log has no record at
// offset 400,000 without as many before. So a witness is of a part of the log, from one offset
// to another: what a linearizable history does to such a part is linearizable, too. For take an
// order that explains the history and leave out what does not touch the part: appends land where
// they did, and a poll sees of the part what it saw. Hence if the part has no order, neither
// has the history.

// window returns what the operations do to the offsets that a contradiction is about, renumbered
// from 0, and the first of these offsets; nil if the contradiction is about no few offsets.
func window(operations []*Operation, f *fault) (part []*Operation, base int64) {
	if f.to < f.from {
		return nil, 0
	}
	here, elsewhere := map[uint64]bool{}, map[uint64]bool{} // Records by where they were shown.
	for _, o := range operations {
		if o.Open {
			continue
		}
		for i, value := range o.Records {
			if at := o.Offset + int64(i); at < f.from || at > f.to {
				elsewhere[value] = true
			} else {
				here[value] = true
			}
		}
	}
	for _, o := range operations {
		if o.Open && elsewhere[o.Value] && !here[o.Value] {
			continue
		}
		if clipped := o.within(f.from, f.to); clipped != nil {
			part = append(part, clipped)
		}
	}
	return part, f.from
}

// within returns what an operation does to the offsets from..to, or nil.
func (o *Operation) within(from, to int64) *Operation {
	clipped := *o
	if o.Kind == Append {
		if !o.Open && (o.Offset < from || o.Offset > to) {
			return nil
		}
		if !o.Open {
			clipped.Offset -= from
		}
		return &clipped
	}
	end := o.Offset + int64(len(o.Records))
	first, last := max(o.Offset, from), min(end, to+1)
	short := len(o.Records) < o.Max // It says where the log ended, or that it is stale.
	switch {
	case o.Open:
		return nil
	case first < last:
		clipped.Records = o.Records[first-o.Offset : last-o.Offset]
		clipped.Max -= int(first - o.Offset)
		if last < end {
			clipped.Max = len(clipped.Records)
		}
	case short && end >= from && end <= to:
		first, clipped.Records = end, nil
		clipped.Max -= len(o.Records)
	default:
		return nil
	}
	clipped.Offset = first - from
	return &clipped
}
