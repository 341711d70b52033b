// Package traces is the format.
package traces
