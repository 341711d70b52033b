package iggysim

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// Summary says what an import has read.
type Summary struct {
	// Lines are Events, Foreign lines and Missed ones; a foreign line that tells of a restart
	// is in the trace, too.
	Lines, Events, Foreign, Missed int
	// Lost are the first few lines that made no event though they should.
	Lost   []Lost
	Header traces.Header
}

// Lost is a line of iggy.sim that makes no event.
type Lost struct {
	Path   string
	Line   int // 1-based
	Reason string
}

// String is one line for people.
func (l Lost) String() string { return fmt.Sprintf("%s:%d: %s", l.Path, l.Line, l.Reason) }

// lostMax bounds Summary.Lost.
const lostMax = 10

// ErrNoEvent says that the logs have no line of iggy.sim.
var ErrNoEvent = errors.New("no line of iggy.sim: expected events at level DEBUG of that target")

// Import reads logs twice, first for what the header must say, and gives the trace's events to
// write, after its header to begin. replicas is the number of replicas of a group, or 0: then it
// is the smallest that explains the identifiers and quorums seen.
//
// Errors: a file that cannot be read, logs without an event ([ErrNoEvent]), more replicas than
// given, or what begin or write returned.
func Import(
	sources []Source, replicas int,
	begin func(traces.Header) error, write func(traces.Event) error,
) (Summary, error) {
	found := newSurvey()
	if _, err := pass(sources, found.see); err != nil {
		return Summary{}, err
	}
	header, err := found.header(sources, replicas)
	if err != nil {
		return Summary{}, err
	}
	if err := begin(header); err != nil {
		return Summary{}, err
	}
	step := 0
	summary, err := pass(sources, func(p placed) error {
		step++
		if len(found.clusters) > 1 && p.cluster == "" {
			origin := p.event.Origin
			p = gap("no cluster_id in a log of several clusters")
			p.event.Origin = origin
		}
		p.event.Step = step
		p.event.Group = found.group(p)
		return write(p.event)
	})
	summary.Header = header
	return summary, err
}

// pass reads all logs side by side, the earliest event first.
func pass(sources []Source, take func(placed) error) (summary Summary, err error) {
	var total counts
	var cursors []*cursor
	defer func() {
		for _, c := range cursors {
			err = errors.Join(err, c.file.Close())
		}
	}()
	lost := func(l Lost) {
		if len(summary.Lost) < lostMax {
			summary.Lost = append(summary.Lost, l)
		}
	}
	for i, s := range sources {
		c, err := openCursor(s, i, &total, lost)
		if err != nil {
			return summary, err
		}
		cursors = append(cursors, c)
		if err := c.advance(); err != nil {
			return summary, err
		}
	}
	for c := earliest(cursors); c != nil; c = earliest(cursors) {
		if err := take(c.next); err != nil {
			return summary, err
		}
		if err := c.advance(); err != nil {
			return summary, err
		}
	}
	summary.Lines, summary.Events = total.lines, total.events
	summary.Foreign, summary.Missed = total.foreign, total.lost
	return summary, nil
}

// earliest returns the log whose event in hand comes first, or nil after the last. The first of
// equals wins.
func earliest(cursors []*cursor) *cursor {
	var first *cursor
	for _, c := range cursors {
		if !c.done && (first == nil || c.time < first.time) {
			first = c
		}
	}
	return first
}

// survey is what the header of a trace must say about logs.
type survey struct {
	events    int
	highest   int               // The highest replica seen.
	quorums   map[int]int       // How often each size was said.
	planes    map[string]string // By group, as named in one cluster.
	clusters  map[string]bool   // Those that are named.
	roles     map[role]bool
	perGroups map[string]map[string]bool // Clusters by group.
}

func newSurvey() *survey {
	return &survey{
		quorums: map[int]int{}, planes: map[string]string{}, clusters: map[string]bool{},
		roles:     map[role]bool{},
		perGroups: map[string]map[string]bool{},
	}
}

func (s *survey) see(p placed) error {
	e := p.event
	s.highest = max(s.highest, e.Replica)
	if e.Action == ActionGap || e.Group == "" {
		return nil
	}
	s.events++
	for _, other := range []*int{e.Args.To, e.Args.From} {
		if other != nil {
			s.highest = max(s.highest, *other)
		}
	}
	if e.Args.Needed > 0 {
		s.quorums[e.Args.Needed]++
	}
	if e.Says("view") && e.Says("args.role") && len(s.roles) < rolesMax {
		s.roles[role{e.After.View, e.Replica, e.Args.Role == "primary"}] = true
	}
	s.planes[e.Group] = p.plane
	if s.perGroups[e.Group] == nil {
		s.perGroups[e.Group] = map[string]bool{}
	}
	if p.cluster != "" {
		s.clusters[p.cluster] = true
		s.perGroups[e.Group][p.cluster] = true
	}
	return nil
}

// group names the group of an event in the trace: with its cluster if there are several.
func (s *survey) group(p placed) string {
	if len(s.clusters) > 1 && p.event.Group != "" {
		return p.cluster + "/" + p.event.Group
	}
	return p.event.Group
}

func (s *survey) header(sources []Source, replicas int) (traces.Header, error) {
	if s.events == 0 {
		return traces.Header{}, fmt.Errorf("import logs: %w", ErrNoEvent)
	}
	h := traces.Header{Source: traces.SourceIggySim, Open: open()}
	for _, source := range sources {
		h.Files = append(h.Files, source.Path)
	}
	if len(sources) > 1 {
		h.Order = traces.OrderReplica
	}
	quorum := 0 // The size said most often: a single damaged line has no say.
	for _, size := range slices.Sorted(maps.Keys(s.quorums)) {
		if s.quorums[size] > s.quorums[quorum] {
			quorum = size
		}
	}
	switch {
	case replicas > 0 && s.highest >= replicas:
		return h, fmt.Errorf("import logs: expected replicas 0 to %d, got replica %d", replicas-1,
			s.highest)
	case replicas > 0:
		h.Replicas = replicas
	default:
		h.Replicas = s.smallest(quorum)
	}
	if quorum <= h.Replicas {
		h.Quorum.Replication = quorum
	}
	for _, group := range slices.Sorted(maps.Keys(s.planes)) {
		clusters := slices.Sorted(maps.Keys(s.perGroups[group]))
		if len(s.clusters) <= 1 {
			clusters = []string{""}
		}
		for _, cluster := range clusters {
			p := placed{event: traces.Event{Group: group}, cluster: cluster}
			h.Groups = append(h.Groups, traces.Group{ID: s.group(p), Plane: s.planes[group]})
		}
	}
	return h, nil
}

// smallest is the smallest number of replicas that has the identifiers, the replication quorum and
// the primaries that were seen. Where none has all, roles count less than quorums.
func (s *survey) smallest(quorum int) int {
	least, second := s.highest+1, 0
	for n := least; n <= replicaMax; n++ {
		if quorum > 0 && Quorum(n) != quorum {
			continue
		}
		if s.explainsRoles(n) {
			return n
		}
		if second == 0 {
			second = n
		}
	}
	return max(least, second)
}

// rolesMax bounds the roles that are remembered.
const rolesMax = 1024

// role is a replica that called itself primary in a view, or backup.
type role struct {
	view    uint32
	replica int
	primary bool
}

func (s *survey) explainsRoles(n int) bool {
	for r := range s.roles {
		if (int(uint64(r.view)%uint64(n)) == r.replica) != r.primary {
			return false
		}
	}
	return true
}

// Quorum is the number of replicas, of n, whose acknowledgements commit an op (design of the
// protocol: replication quorum).
func Quorum(n int) int {
	const most = 3
	if n == 2 {
		return n
	}
	return min(most, (n+1)/2)
}
