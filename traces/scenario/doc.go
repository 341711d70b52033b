// Package scenario runs hand-written stories: text files of commands with the output that is
// expected of them, on real cores (see [impl/sim]) and on real write-ahead logs.
//
// # Format
//
// A file is blocks, separated by empty lines. A block is commands, one a line, then a line of
// four dashes, then the expected output up to the next empty line. Lines that begin with # are
// comments; a block of comments alone explains what follows.
//
//	cluster
//	----
//	r0 normal primary view=0 log_view=0 op_head=0 commit=0/0
//	...
//
//	request n=2
//	settle
//	----
//	r0 ClientRequest op=1
//	...
//
// Commands for a cluster of replicas:
//
//	cluster [mutant=NAME]     start it, with a rule broken on purpose if a mutant is named
//	        [replicas=N]      three unless said otherwise
//	        [suffix=N]        headers of an adoption beside what is uncommitted: with few of
//	                          them, and checkpoints, whoever lags fetches a checkpoint
//	        [chunk=N]         bytes of a checkpoint that are sent at a time
//	request [n=N] [to=rI]     N writes to the primary, or to rI
//	drop COMMAND [from=rI] [to=rI] [op=N]
//	                          lose such packets from now on ("any" for every command)
//	heal                      lose no more packets
//	delay COMMAND [...]       such packets, named as for drop, come with the next deliver
//	duplicate COMMAND [...]   such packets come now, and again with the next deliver
//	deliver [quiet]           what was kept comes, oldest first; nothing more is kept
//	read rI [local]           ask for what the last write wrote: linearizable, or as rI has it
//	hold rI [disk|reads]      the state machine of rI stands still, or its writes, or its reads
//	release rI                all of it goes on
//	settle [quiet]            deliver and finish all that is under way, first come first served
//	tick [n=N] [quiet]        N ticks at every replica, each settled
//	                          (quiet: without a line for each event)
//	leave rI                  rI starts a view change, and all settles
//	elect rI                  view changes until rI is the primary
//	crash rI | restart rI     (a crash loses unfinished writes)
//	wipe rI                   rI stops, and gets an empty disk
//	rot rI op=N               rI has stored op N and can no longer read it
//	checkpoint rI             rI takes a checkpoint and releases its log below
//	state                     what every replica is
//	check KEY[=VALUE]...      caught_up, head=N, view=N, answered=N, no_second_vote
//
// Commands for a partition of three write-ahead logs:
//
//	partition policy=persisted|replicated [recovery=NAME] [first_not_longest]
//	append n=N bytes=B        kill_all        restart_all
//	power_loss [torn=first|last|both]         (of each log's newest batch, the sectors lost)
//	publish                   poll [want=N]
//
// A command that cannot be carried out is an error that names file and line.
package scenario
