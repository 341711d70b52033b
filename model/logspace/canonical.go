package logspace

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// appendCanonical appends the canonical text of the state (see the package comment):
// the variables in the order of their names.
func (m *machine) appendCanonical(dst []byte, s *State) []byte {
	each := func(value func(x *Standing) string) string {
		return canonical.Function(1, m.Groups, func(g int) string { return value(&s.Group[g]) })
	}
	numbers := func(value func(x *Standing) uint8) string {
		return each(func(x *Standing) string { return number(value(x)) })
	}
	truths := func(value func(x *Standing) bool) string {
		return each(func(x *Standing) string { return truth(value(x)) })
	}
	for _, f := range []struct{ name, value string }{
		{`["asked":`, each(func(x *Standing) string { return x.Asked.canonical() })},
		{`,"base":`, numbers(func(x *Standing) uint8 { return x.Base })},
		{`,"commit":`, numbers(func(x *Standing) uint8 { return x.Commit })},
		{`,"fails":`, number(s.Fails)},
		{`,"files":`, s.Files.canonical()},
		{`,"gone":`, truths(func(x *Standing) bool { return x.Gone })},
		{`,"head":`, numbers(func(x *Standing) uint8 { return x.Head })},
		{`,"moved":`, truth(s.Moved)},
		{`,"owes":`, truths(func(x *Standing) bool { return x.Owes })},
		{`,"released":`, numbers(func(x *Standing) uint8 { return x.Released })},
		{`,"running":`, numbers(func(x *Standing) uint8 { return x.Running })},
		{`,"stored":`, numbers(func(x *Standing) uint8 { return x.Stored })},
		{`,"waits":`, truths(func(x *Standing) bool { return x.Waits })},
	} {
		dst = append(dst, f.name...)
		dst = append(dst, f.value...)
	}
	return append(dst, ']')
}

func number(n uint8) string { return strconv.Itoa(int(n)) }

func truth(is bool) string {
	if is {
		return "T"
	}
	return "F"
}

func (a Asks) canonical() string {
	var all []string
	if a.Checkpoint {
		all = append(all, `"checkpoint"`)
	}
	if a.State {
		all = append(all, `"state"`)
	}
	return canonical.Set(all)
}

func (f *Files) canonical() string {
	return canonical.Function(1, int(f.Count), func(i int) string {
		file := &f.Each[i-1]
		return canonical.Function(1, file.count(), func(j int) string {
			x := file[j-1]
			return fmt.Sprintf(`["group":%d,"kind":"%s","op":%d]`, x.Group, x.kind(), x.Op)
		})
	})
}

// kind is what the module calls the kind of a record.
func (x Record) kind() string {
	if x.IsState {
		return "state"
	}
	return "op"
}
