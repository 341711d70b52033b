// Package protocol holds what clients and nodes say to each other inside of requests and
// replies: codes and operations, statuses, and the bodies, with their bytes.
//
// # What it owns
//
// [Code] and the operations behind it, [Status], the bodies (one type each), identifiers,
// options, the framing of results, and the rule which of two logins a body is. The headers
// around the bodies are package wire's: Request, Reply, Eviction.
//
// # What it never does
//
// It does no I/O, keeps no state, knows no stream or user: whether a name exists is the state
// machine's matter. It does not look into batches of messages, which are bytes here.
//
// # Invariants
//
//   - [Decode] never panics, whatever the bytes, and takes memory in proportion to them.
//   - There is one form for each value: what Decode accepts, [Encode] gives back to the byte.
//   - What Encode writes, Decode accepts, and gives the value back.
//   - Encode and Decode follow one and the same description of a body's layout.
//   - An error says which body, which field, at which byte, and what was expected there.
//
// # Layouts
//
// They are upstream's at protocol version 0.11.0; all integers are little-endian. "name" is a
// length of one byte, 1 to 255, and that many bytes; "text" may be empty; "text32" has a length
// of four bytes. "ident" is a kind (1 number, 2 name), a length and the value: four bytes, or a
// name's. "options" is a list of {kind u8, length u32, key, kind u8, length u32, value}, where
// the key's kind is 2 (text) and the fields have 1 to 255 bytes. "x*" is repeated to the end.
//
//	code  op   request                                        reply
//	   1       -                                              -
//	  12       -                                              name text32, n u32, node*
//	  39   3   -                                              -
//	  40   1   version, user name, password text, context     user u32, session u64, server
//	           text32                                         version u32, its name text
//	  45   1   version, token name, context text32            as 40
//	  31       user ident                                     user, has u8, [size u32, permissions]
//	  32       -                                              user*
//	  33 141   name, password, status u8, has u8, [size       as 31
//	           u32, permissions]
//	  34 143   user ident                                     -
//	  35 142   user ident, has u8, [name], has u8, [status]   -
//	  36 145   user ident, has u8, [size u32, permissions]    -
//	  37 144   user ident, current text, new text             -
//	  41       -                                              {name, expiry u64}*
//	  42 146   name, expiry u64                               token text
//	  43 147   name                                           -
//	 100       consumer, stream, topic, has u8, partition     partition u32, current u64,
//	           u32, strategy u8, value u64, count u32,        count u32, batches
//	           auto commit u8
//	 101 160   size u32, {stream, topic, kind u8, value       n u32, {stream u32, topic u32,
//	           text, count u32}, batch                        partition u32, base offset u64}*
//	 120       consumer, stream, topic, has u8, partition     partition u32, current u64,
//	           u32                                            stored u64
//	 121 161   as 120, offset u64, quorum u8                  -
//	 122 162   as 120, quorum u8                              -
//	 200       stream                                         stream header, topic header*
//	 201       -                                              stream header*
//	 202 128   name, options                                  stream header
//	 203 130   stream                                         -
//	 204 129   stream, name, options                          -
//	 205 131   stream                                         -
//	 300       stream, topic                                  topic header, partition*
//	 301       stream                                         n u32, topic header*
//	 302 132   stream, partitions u32, name, options          as 300
//	 303 134   stream, topic                                  -
//	 304 133   stream, topic, name, options                   -
//	 305 135   stream, topic                                  -
//	 402 136   stream, topic, count u32                       -
//	 403 137   as 402                                         -
//	 503 138   stream, topic, partition u32, segments u32     -
//	 600       stream, topic, group                           group, member*
//	 601       stream, topic                                  group*
//	 602 139   stream, topic, name                            as 600
//	 603 140   stream, topic, group                           -
//	 604 148   as 603                                         -
//	 605 149   as 603                                         -
//	 606       as 603                                         generation u64, n u32, partition u32*
//
// version: protocol u32, name, version name. node: name text32, address text32, four ports u16
// (tcp, quic, http, ws), role u8 (0 primary, 1 backup), health u8. consumer: kind u8, ident.
// user: id u32, created u64, status u8, name. stream header: id u32, created u64, topics u32,
// bytes u64, messages u64, name, size u32, options. topic header: id u32, created u64,
// partitions u32, expiry u64, compression u8, largest u64, bytes u64, messages u64, name, size
// u32, options, size u32, derived options. partition: id u32, created u64, segments u32, current
// u64, bytes u64, messages u64. group: id u32, partitions u32, members u32, name. member: id
// u32, n u32, partition u32*. permissions: ten flags, has u8, {stream u32, six flags, has u8,
// {topic u32, four flags, more u8}, more u8}.
//
// The reply of a metadata operation, of an offset's and of a login stands behind a result: n
// u32, then n rejections {place u32, status u32}; none means success, and the payload follows.
//
// # Ours
//
//   - [Code.Linearizable]: a question with the highest bit of its code set is answered after a
//     read-index round (R19); without it, from what the node has executed.
//   - [CodeFindPrimary]: which node has the primary of a partition's group.
//   - A login whose request has a number (R18) is answered with two more fields: born u64 and
//     watermark u64. A request of upstream's has none, and neither has its answer.
package protocol
