// Package replica is the production host: it joins the core of a replica with its storage, its
// state machine and its clients. Whoever runs it gives it [Clock], [Network] and storage.Disk:
// a process real ones, a test ones that obey it.
//
// # What it owns
//
// [Storage] is what all groups of a process share: write-ahead log and superblock. It takes
// work from hosts at any time and does it in two lanes, a batch at a time. [Host] is one
// group's replica: it steps the core, carries out what the core asks for, feeds completions
// back, executes ops through the sessions, and answers clients.
//
// # What it never does
//
// It starts no goroutine, reads no clock but [Clock], opens no socket, and waits for nothing.
// It decides nothing about the protocol: the core does. It does not authenticate: who a client
// is stands in the request that it is given. It keeps one checkpoint, the newest.
//
// # How a caller turns the crank
//
// A process formats its directory once, and at each boot opens the storage and then a host for
// each of its groups:
//
//	replica.Format(disk, cluster)
//	storage, err := replica.Open(disk, replica.Options{Cluster: ..., Incarnation: ..., ...})
//	host, err := replica.NewHost(config, storage, machine, clock, network)
//
// After that it calls, for each host from one goroutine at a time (a shard has several hosts):
//
//	host.Tick()              at a steady pace, 10 ms say
//	host.Receive(message)    for each decoded frame of another replica
//	host.Request(request)    for each decoded request of a client, with its user filled in
//	host.Complete(done)      for each completion of the storage that names its group
//	host.Work()              while host.Busy(): executions that are left over
//
// During each of these calls the host hands messages and replies to [Network], which queues
// them or loses them. A frame whose message was handed in is the host's from then on.
//
// And for the storage, for each lane from one goroutine at a time (the two may run side by side),
// when storage.Wake(lane) has a value and, for the log's lane, after calls of hosts:
//
//	for storage.Ready(lane) {
//		done, err := storage.Work(lane) // blocks as long as the disk does
//		...                             // hand each of done to its host
//	}
//
// plus storage.Tick() at the same pace as the hosts'. An error of Work is fatal to the process
// (R14): it must end, and boot anew.
//
// # Invariants
//
//   - Nothing is reported to a core as stored before the storage has it as the group's policy
//     demands (R3). Mutant report_before_flush breaks it.
//   - A state record is durable before the superblock that names its log view; the core sees
//     to the order, and the storage never swaps what a group asked for in one lane (R2). Prepares
//     that find a full log wait; a state record may pass them.
//   - One flush for each batch of the log, whatever the number of groups in it; one update of
//     the superblock for all groups that wait for one.
//   - An op reaches the machine once per boot, in op order, with the body of its checksum (R5).
//     Mutant execute_twice breaks it.
//   - What a client sends again is executed once (R18). Mutant no_sessions breaks it; and, as the
//     client table is in each checkpoint, sessions_volatile.
//   - A read at level linearizable shows what was acknowledged before it, or is refused (R19).
//     Mutant local_reads breaks it.
//   - The log below a checkpoint goes only when the snapshot is durable, the superblock names it,
//     and a state record above the new base is flushed (R17). After a crash at any operation of a
//     checkpoint the boot finds the old one or the new one.
//   - What is left of a group that exists no more goes when no boot can ask for the group: the
//     checkpoint of the group that says so covers the removal ([Storage.Forget]). Mutant
//     replica_gone_too_early breaks it.
//   - A failed write or flush ends the storage: nothing is done or reported any more.
//
// # Checkpoints
//
// A host takes one every so many ops (Config.CheckpointOps), and when the log asks for it: once
// it is more than half full, the groups that keep its oldest file take a checkpoint or, with
// nothing new to cover, write their state record anew. The phases:
//
//	machine's files flushed by the host, snapshot made of the state after that very op
//	log lane    flush of all that the snapshot covers
//	state lane  snapshot written; then its pairing, together with what else the superblock is told
//	core        Checkpointed: a state record above the new base, and with its flush the release
//	log lane    files let go, to be used again
//
// A checkpoint of another replica (R21) comes in parts into a file, is verified as a whole, and
// goes through the same lanes before the machine is put there. A host reads and writes the
// machine's files and the parts by itself, which takes its goroutine as long as the disk does.
//
// # Full disk
//
// When the log or the disk is full the storage keeps the records that it was given and says so
// ([Storage.Full]); hosts then answer requests with [StatusDiskFull] and drop further prepares,
// which their senders send again. Space elsewhere on the disk ends it, or a checkpoint. A host
// whose ops above the checkpoint fill half a state record refuses, too: that record must fit into
// a file of the log. A boot takes the room that it needs from what the log has set aside.
//
// Where no op commits the log does not fill with the state records of view changes alone: what no
// checkpoint will cover soon is moved from the oldest file to the head of the log before the files
// that are kept back for state records are full (spec/JournalGroups.tla Move, NoStall). Mutant
// no_slot_for_moving breaks it.
package replica
