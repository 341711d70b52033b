package sessions_test

import (
	model "github.com/viewstamp/viewstamp/model/sessions"
)

// graphs are bounds whose every edge is taken: those of the cfgs sessions-graph-*, by what is
// behind the last hyphen.
var graphs = map[string]model.Config{
	"misuse": {
		N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: model.Numbered,
		MaxOp: 3, MaxRegister: 1, MaxRequest: 2, Misuse: true,
	},
	"evict": {
		N: 1, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: model.Numbered,
		MaxOp: 3, MaxRegister: 2, MaxRequest: 1,
	},
	"resize": {
		N: 1, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: model.Numbered,
		MaxOp: 4, MaxRegister: 1, MaxRequest: 1, MaxCapacity: 1,
	},
	"ring": {
		N: 1, Clients: 1, Capacity: 1, Ring: 2, Window: 2, Shape: model.Numbered,
		MaxOp: 4, MaxRegister: 1, MaxRequest: 2, MaxRestart: 1,
	},
	"transfer": {
		N: 2, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: model.Numbered,
		MaxOp: 3, MaxRegister: 1, MaxRestart: 1, Logouts: true, Transfers: true,
	},
	"upstream": {
		N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: model.Upstream,
		MaxOp: 4, MaxRegister: 2, MaxRequest: 2,
	},
}

// large are bounds for walks, beyond what can be searched.
var large = map[string]model.Config{
	"three clients in two slots": {
		N: 3, Clients: 3, Capacity: 2, MaxCapacity: 3, Ring: 2, Window: 2, Shape: model.Numbered,
		MaxOp: 6, MaxRegister: 2, MaxRequest: 2, MaxRestart: 3, Logouts: true, Transfers: true,
	},
	"four requests in a ring of three": {
		N: 2, Clients: 1, Capacity: 1, Ring: 3, Window: 3, Shape: model.Numbered,
		MaxOp: 6, MaxRegister: 3, MaxRequest: 4, MaxRestart: 2, Transfers: true,
	},
	"strangers and second processes": {
		N: 2, Clients: 2, Capacity: 1, Ring: 2, Window: 1, Shape: model.Numbered,
		MaxOp: 5, MaxRegister: 2, MaxRequest: 2, MaxRestart: 2, Misuse: true, Intruders: true,
	},
	"upstream's": {
		N: 2, Clients: 2, Capacity: 1, MaxCapacity: 2, Ring: 2, Window: 2, Shape: model.Upstream,
		MaxOp: 6, MaxRegister: 3, MaxRequest: 2, MaxRestart: 2, Logouts: true, Transfers: true,
	},
}
