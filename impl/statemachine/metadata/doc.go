// Package metadata is the catalogue of a cluster as a state machine: streams, their topics with
// partitions and options, consumer groups, users with permissions, access tokens. It says which
// partition groups exist.
//
// # What it owns
//
// What each operation of the client protocol does to the catalogue, and to what it comes
// ([Machine.Execute]); what of it can be asked ([Machine.Query], [Machine.QueryAs]); who may do
// what ([Machine.MayPoll] and the like for the partitions); names, ids and limits; which group
// replicates which partition ([Machine.Groups], [Machine.TakeChanges]); the form of all this in
// a checkpoint ([Machine.AppendSnapshot], [Machine.Restore]).
//
// A node turns a request into a body for the log with [Admit], and takes the groups from the
// feed:
//
//	request ---> Admit: hash the password, make the token ---> prepare, commit
//	         ---> Execute ---> reply
//	                      \--> TakeChanges: start and stop replicas of partition groups
//
// # What it never does
//
// It reads no clock, draws nothing at random, follows no order of a map, owns no goroutine and
// does no I/O. Time is the timestamp of the prepare, in microseconds. It hashes no password and
// sees no token: bodies in the log have their hashes. It does not know clients and sessions:
// each op that it gets is executed, and at most once is the client table's matter (R18). It
// believes the user of a prepare's header: whoever admits a request stamps it from the session,
// and 0 is the root. Sizes
// and offsets of partitions are the partitions'; the caller lends them to answers ([Figures]).
//
// # Invariants
//
//   - Equal logs, equal states and results, to the byte. A restored machine goes on as the first
//     one would.
//   - A refused op changes nothing but for tokens that had expired. Its result says why, by code.
//   - Names are unique: of streams and users in the cluster, of topics in their stream, of
//     consumer groups in their topic, of tokens in their user. So are ids.
//   - Ids rise and are never given twice, so that neither a request nor a permission for
//     something that is gone can reach what was made later. (Upstream gives the lowest free one.)
//   - The groups are those of the partitions, one each, from 1; a group's id is never given
//     twice. A partition's id is its place in the topic, from 0.
//   - Each partition of a topic is one member's of each of its consumer groups; a member has a
//     session; a generation is one distribution (spec/ConsumerGroups.tla).
//   - The root exists, is active and may do everything. Nobody else is user 0.
//   - No text that is not a hash is stored as a password.
//   - Whoever carries out the changes of the feed, whenever taken, has the groups that exist.
//
// # Bodies
//
// Operations, codes and bodies are upstream's, client-protocol sections 3 to 9, with package
// protocol's codecs. What differs in the log, since [Admit] made it so:
//
//   - The passwords of CreateUser and ChangePassword are hashes; the current one of
//     ChangePassword is the stored hash against which the given one was verified, so that the
//     operation is a compare and set.
//   - CreatePersonalAccessToken is followed by the digest of the token, 32 bytes.
//   - DeleteSegments is followed by the offset below which segments are dropped, 8 bytes: where
//     the oldest segments end was asked of the partition. So nothing is dropped twice, whoever
//     sends again.
//
// The reply of CreatePersonalAccessToken has no payload: the secret is not in the log. The node
// that admitted it adds it, and nobody can again.
//
// # Snapshot
//
// Numbers are little-endian, a name is one byte of length and its bytes. Nothing follows the
// checksum.
//
//	 0   4  magic        "VMD2"
//	 4  36  limits       nine, 4 bytes each, in the order of [Limits]
//	40   8  next group
//	48   4  next user
//	52   4  users        that follow, by id
//	56   4  next stream
//	60   4  streams      that follow, by id
//	        users
//	        streams
//	    16  checksum     BLAKE3-128 of all bytes before it
//
// Label, of everything with an id and a name:
//
//	id 4 | created 8 | name
//
// User:
//
//	label | status 1 | hash, as a name | 1, permissions size 4, permissions; or 0
//	tokens 4 | of each, by name: created 8 | expires 8, 0 is never | digest 32 | name
//
// Stream:
//
//	label | next topic 4 | topics 4 | of each, by id, the following
//
// Topic:
//
//	label | what holds, 41 bytes
//	options 4 | of each, as the clients gave them: key | kind 1 | value, as a name
//	partitions 4 | next consumer group 4 | consumer groups 4
//	of each partition: group 8 | created 8 | purges 8 | below 8
//	of each consumer group, by id: label | next member 4 | generation 8
//	    members 4 | of each, as they joined: id 4 | client 16
//
// What holds:
//
//	compression 1 | expiry 8 | max bytes 8 | segment bytes 8 | durability 1
//	offset durability 1 | flush messages 4 | flush bytes 8 | enforce fsync 1 | preallocate 1
//
// The limits are in it because the state is a function of them and the log. The checksum guards
// against accidents. What passes it is still checked against the invariants, and counts against
// the bytes that are left, before memory is taken.
package metadata
