package refine

// transferCfgs are searches with checkpoints and state transfer, held against Transfer.tla, and
// those in which disks are lost.
func transferCfgs() []Cfg {
	return []Cfg{
		{
			Name: "core-transfer-101", Verify: true,
			Bounds: Bounds{
				Replicas: 3, Requests: 1, Crashes: 1, Checkpoints: 1, Chunks: 2, Suffix: 1,
			},
		},
		{
			Name: "core-transfer-200", Verify: true,
			Bounds: Bounds{Replicas: 3, Requests: 2, Checkpoints: 1, Suffix: 1},
		},
		{
			Name:   "core-transfer-110",
			Bounds: Bounds{Replicas: 3, Requests: 1, Views: 1, Checkpoints: 1, Suffix: 1},
		},
		{
			Name: "core-transfer-walks", Verify: true, Walks: 200, Steps: 1000,
			Bounds: Bounds{
				Replicas: 3, Requests: 4, Views: 2, Crashes: 3, Checkpoints: 4, Chunks: 2, Suffix: 1,
			},
		},
		{
			Name:   "core-wipe-110",
			Bounds: Bounds{Replicas: 3, Requests: 1, Views: 1, Wipes: 1},
		},
		{
			Name: "core-wipe-walks", Verify: true, Walks: 100, Steps: 1000,
			Bounds: Bounds{Replicas: 3, Requests: 12, Views: 8, Crashes: 6, Wipes: 1},
		},
		{
			Name: "core-transfer-201", Nightly: true,
			Bounds: Bounds{Replicas: 3, Requests: 2, Crashes: 1, Checkpoints: 1, Suffix: 1},
		},
		{
			Name: "core-transfer-111", Nightly: true,
			Bounds: Bounds{
				Replicas: 3, Requests: 1, Views: 1, Crashes: 1, Checkpoints: 1, Suffix: 1,
			},
		},
		{
			Name: "core-wipe-111", Nightly: true,
			Bounds: Bounds{Replicas: 3, Requests: 1, Views: 1, Crashes: 1, Wipes: 1},
		},
		{
			Name: "core-transfer-100-unreduced", Nightly: true,
			Bounds: Bounds{Replicas: 3, Requests: 1, Checkpoints: 1, Suffix: 1, Full: true},
		},
	}
}
