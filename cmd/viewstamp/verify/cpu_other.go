//go:build !unix

package verify

// cpuSeconds is 0: this system does not tell.
func cpuSeconds() float64 { return 0 }
