package canonical

import (
	"slices"
	"strconv"
	"strings"
)

// Function is the canonical text of a function on from, ..., from+n-1, all below 10: text order is
// then number order.
func Function(from, n int, value func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(from + i))
		b.WriteByte(':')
		b.WriteString(value(from + i))
	}
	b.WriteByte(']')
	return b.String()
}

// Set is the canonical text of a set: its elements in the order of their texts. It sorts them in
// place.
func Set(elements []string) string {
	slices.Sort(elements)
	return "{" + strings.Join(elements, ",") + "}"
}
