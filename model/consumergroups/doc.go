// Package consumergroups is the reference model of consumer groups: ConsumerGroups.tla in Go,
// as a model that package explore can search. It has the module's initial state, actions,
// mutants and invariants, and at equal bounds the same labelled state graph.
//
// # What it owns
//
// Who is a member of a group, in which order and under which generation, as a function of the
// committed log (R5), and which partitions each member has. What the end of a session does to
// that (R18), and what a checkpoint and a restart do (R17). The state ([State]) with its
// canonical text, the actions with their labels ([Action]), the invariants and the goals.
// [ActionCalls] lists every action with its TLA+ call, so that a wrapper module can make TLC
// write the same labels.
//
// # What it never does
//
// It knows no views, no network, no numbers of requests and no polls. There is one topic with
// one group. It imports no package under impl.
//
// # Invariants
//
//   - OneReader: each partition is in the share of exactly one member, if there are any.
//   - MembersLive: each member has a session.
//   - EndsForAReason: a member stays one until it leaves, logs out, or is evicted.
//   - MemberOnce: a client is a member at one place.
//   - IDsOnce: an id is given once.
//   - GroupsEqual: at equal ops the groups are equal, also those of checkpoints.
//   - GenerationTells: in one generation there is one deal.
//   - GenerationRises: later ops have no lower generation.
//
// # Labels and canonical text
//
// A label is the action as the module calls it, without spaces and quotes:
// CommitMessage(join,1,1).
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements.
package consumergroups
