// Package sessions is the reference model of client sessions: Sessions.tla in Go, as a
// model that package explore can search. It has the module's initial state, actions,
// mutants and invariants, and at equal bounds the same labelled state graph.
//
// # What it owns
//
// The client table as a function of the committed log ([Table]), what a replica may
// answer from it, and what a client may conclude from an answer (R17, R18, R19,
// and R21 for the transfer of a table). The
// state ([State]) with its canonical text, the actions with their labels ([Action]),
// the invariants and the goals. [ActionCalls] lists every action with its TLA+ call, so
// that a wrapper module can make TLC write the same labels.
//
// [Config.Shape] switches to upstream's clients, whose Registers have no number and whose
// requests leave gaps. All invariants hold for them but two: a late Register ends the
// session in use (OnlyEviction), and with more than one request open at a time one that
// its successor overtakes is gone (GoneIsForeign).
//
// # What it never does
//
// It knows no views, no network and no disk: any message that a client ever sent may
// commit at any time, any number of times, and every replica may answer any message
// from what it has executed. It imports no package under impl.
//
// # Invariants
//
//   - AtMostOnce: a payload executes at most once, over all sessions and restarts.
//   - NumberOnce: so does a number in its session.
//   - PositiveExecuted: a positive answer names the op that executed this payload.
//   - RefusedNever: what a client took for refused never executes.
//   - ReplyRight: a reply is that of the request's execution.
//   - GoneIsForeign: a reply that is still wanted is lost to a second process only.
//   - TablesEqual: equal ops, equal tables, slot by slot; also after a restart.
//   - CapacityAgreed: equal ops, equal slots: the capacity is agreed in the log.
//   - OwnerOnly: a session is bound for and told to its owner alone.
//   - DeadStaysDead: nothing executes in a session after its end.
//   - OverTrue: "over" is said only of sessions that have ended.
//   - OnlyEviction: a client loses the session that it uses to eviction alone.
//   - NoStuck: whatever a client waits for gets an answer that it takes.
//
// # Labels and canonical text
//
// A label is the action as the module calls it, without spaces:
//
//	TakeAnswer(1,0,1,RequestMessage(1,2,1,1))
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements, an empty slot is ["client":0].
package sessions
