package protocol

import "math"

// Stats is what a node says of itself and of what the cluster has; the answer of [CodeStats]. What
// a node does not know is zero, or empty. Sizes are in bytes, times in microseconds.
type Stats struct {
	Process uint32
	// CPU is the share of one processor that the process has used since its start, in percent;
	// TotalCPU that of the machine.
	CPU, TotalCPU                        float32
	Memory, TotalMemory, AvailableMemory uint64
	RunTime, StartTime                   uint64
	Read, Written, MessageBytes          uint64

	Streams, Topics, Partitions, Segments uint32
	Messages                              uint64
	Clients, ConsumerGroups               uint32

	Host, OS, OSVersion, Kernel, Version string
	SemanticVersion                      uint32
	Caches                               []CacheStats
	Threads                              uint32
	FreeDisk, TotalDisk                  uint64
}

// CacheStats are those of a partition's cache.
type CacheStats struct {
	Stream, Topic, Partition uint32
	Hits, Misses             uint64
	Ratio                    float32
}

func (s *Stats) layout(c *coder) {
	c.u32("process_id", &s.Process)
	c.f32("cpu_usage", &s.CPU)
	c.f32("total_cpu_usage", &s.TotalCPU)
	c.u64("memory_usage", &s.Memory)
	c.u64("total_memory", &s.TotalMemory)
	c.u64("available_memory", &s.AvailableMemory)
	c.u64("run_time", &s.RunTime)
	c.u64("start_time", &s.StartTime)
	c.u64("read_bytes", &s.Read)
	c.u64("written_bytes", &s.Written)
	c.u64("messages_size_bytes", &s.MessageBytes)
	c.u32("streams_count", &s.Streams)
	c.u32("topics_count", &s.Topics)
	c.u32("partitions_count", &s.Partitions)
	c.u32("segments_count", &s.Segments)
	c.u64("messages_count", &s.Messages)
	c.u32("clients_count", &s.Clients)
	c.u32("consumer_groups_count", &s.ConsumerGroups)
	c.text32("hostname", &s.Host)
	c.text32("os_name", &s.OS)
	c.text32("os_version", &s.OSVersion)
	c.text32("kernel_version", &s.Kernel)
	c.text32("server_version", &s.Version)
	c.u32("server_semver", &s.SemanticVersion)
	counted(c, "cache_metrics", &s.Caches, func(c *coder, m *CacheStats) { m.layout(c) })
	c.u32("threads_count", &s.Threads)
	c.u64("free_disk_space", &s.FreeDisk)
	c.u64("total_disk_space", &s.TotalDisk)
}

func (m *CacheStats) layout(c *coder) {
	c.u32("stream_id", &m.Stream)
	c.u32("topic_id", &m.Topic)
	c.u32("partition_id", &m.Partition)
	c.u64("hits", &m.Hits)
	c.u64("misses", &m.Misses)
	c.f32("hit_ratio", &m.Ratio)
}

func (c *coder) f32(field string, v *float32) {
	bits := math.Float32bits(*v)
	c.u32(field, &bits)
	if c.decoding {
		*v = math.Float32frombits(bits)
	}
}
