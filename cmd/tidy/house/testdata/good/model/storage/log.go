package storage

type PartitionActionKind int

const AppendPrepare PartitionActionKind = 1

func appendPrepare() {}
