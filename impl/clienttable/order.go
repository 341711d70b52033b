package clienttable

// order holds the rows from the oldest newest op to the youngest. Each request touches one
// row and becomes its newest, by op and place in it, so there is no tie, and whoever is touched
// goes to the young end: no clock and no search. Source: Sessions!Victims.
type order struct{ oldest, youngest *row }

// append puts a row at the young end.
func (o *order) append(w *row) {
	w.older, w.newer = o.youngest, nil
	if o.youngest == nil {
		o.oldest = w
	} else {
		o.youngest.newer = w
	}
	o.youngest = w
}

// remove takes a row out.
func (o *order) remove(w *row) {
	if w.older == nil {
		o.oldest = w.newer
	} else {
		w.older.newer = w.newer
	}
	if w.newer == nil {
		o.youngest = w.older
	} else {
		w.newer.older = w.older
	}
	w.older, w.newer = nil, nil
}

// touch moves a row to the young end.
func (o *order) touch(w *row) {
	o.remove(w)
	o.append(w)
}
