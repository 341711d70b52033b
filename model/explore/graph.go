package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// StateID identifies a state by its canonical text: the first 16 bytes of the
// text's SHA-256.
type StateID [16]byte

// String is the id in hexadecimal.
func (id StateID) String() string { return hex.EncodeToString(id[:]) }

func stateID(canonical []byte) StateID {
	sum := sha256.Sum256(canonical)
	return StateID(sum[:16])
}

func compareIDs(a, b StateID) int { return slices.Compare(a[:], b[:]) }

// Graph is a labelled state graph: a set of states, some of them initial, and a
// set of labelled edges. States are identified by canonical text, so graphs of
// different origin (a model here, a dump of TLC) can be compared.
//
// A Graph is not safe for concurrent use.
type Graph struct {
	states   map[StateID]bool // Value: initial.
	texts    map[StateID]string
	edges    map[arc]struct{}
	labels   []string
	labelNo  map[string]uint32
	perLabel []int // Edges, by label.
}

// arc is an edge with its label by number.
type arc struct {
	from, to StateID
	label    uint32
}

// NewGraph returns an empty graph.
func NewGraph() *Graph {
	return &Graph{
		states:  map[StateID]bool{},
		edges:   map[arc]struct{}{},
		labelNo: map[string]uint32{},
	}
}

// KeepText makes the graph keep the canonical texts of the states that are added
// from now on, so that [Compare] can show them. It costs the texts' memory.
func (g *Graph) KeepText() {
	if g.texts == nil {
		g.texts = map[StateID]string{}
	}
}

// AddState adds a state by its canonical text and returns its id. A state that is
// added twice counts once; it is initial if it was so either time.
func (g *Graph) AddState(canonical []byte, initial bool) StateID {
	id := stateID(canonical)
	g.addState(id, initial)
	if g.texts != nil {
		if _, ok := g.texts[id]; !ok {
			g.texts[id] = string(canonical)
		}
	}
	return id
}

func (g *Graph) addState(id StateID, initial bool) {
	g.states[id] = g.states[id] || initial
}

// AddEdge adds an edge with its full label, "Restart(1)". Duplicates collapse. The
// two states may be added before or after; [Graph.Validate] finds the forgotten.
func (g *Graph) AddEdge(from, to StateID, label string) {
	no, ok := g.labelNo[label]
	if !ok {
		no = uint32(len(g.labels))
		label = strings.Clone(label) // It may be a piece of a large buffer.
		g.labelNo[label] = no
		g.labels = append(g.labels, label)
		g.perLabel = append(g.perLabel, 0)
	}
	a := arc{from, to, no}
	if _, ok := g.edges[a]; !ok {
		g.edges[a] = struct{}{}
		g.perLabel[no]++
	}
}

// Counts returns the number of states, of distinct labelled edges, and of the
// latter per action name (the label up to its parenthesis).
func (g *Graph) Counts() (states, edges int, perAction map[string]int) {
	perAction = map[string]int{}
	for no, label := range g.labels {
		perAction[actionName(label)] += g.perLabel[no]
	}
	return len(g.states), len(g.edges), perAction
}

// actionName is a label without its parameters.
func actionName(label string) string {
	name, _, _ := strings.Cut(label, "(")
	return name
}

// Validate reports a graph that cannot be a state graph: no initial state, or an
// edge from or to a state that was never added.
func (g *Graph) Validate() error {
	initial := false
	for _, id := range g.sortedStates() {
		initial = initial || g.states[id]
	}
	if !initial {
		return errors.New("the graph has no initial state")
	}
	for _, a := range g.sortedArcs() {
		for _, id := range []StateID{a.from, a.to} {
			if _, ok := g.states[id]; !ok {
				return fmt.Errorf("edge %s leads from %s to %s: state %s was never added",
					g.labels[a.label], a.from, a.to, id)
			}
		}
	}
	return nil
}

// Digest is the identity of the graph, SHA-256 in hexadecimal. Equal digests mean
// equal graphs; the order in which states and edges were added leaves no mark. The
// byte layout is in the package comment.
func (g *Graph) Digest() string {
	hash := sha256.New()
	section := func(title string, count int) {
		hash.Write([]byte(title))
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(count)))
	}
	section("states", len(g.states))
	for _, id := range g.sortedStates() {
		mark := byte(0)
		if g.states[id] {
			mark = 1
		}
		hash.Write(append(id[:], mark))
	}
	section("edges", len(g.edges))
	for _, sum := range g.sortedEdgeHashes() {
		hash.Write(sum[:])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func (g *Graph) sortedStates() []StateID {
	return slices.SortedFunc(maps.Keys(g.states), compareIDs)
}

// sortedArcs orders edges by label text, then ends.
func (g *Graph) sortedArcs() []arc {
	return slices.SortedFunc(maps.Keys(g.edges), func(a, b arc) int {
		return cmp.Or(cmp.Compare(g.labels[a.label], g.labels[b.label]),
			compareIDs(a.from, b.from), compareIDs(a.to, b.to))
	})
}

func (g *Graph) sortedEdgeHashes() [][sha256.Size]byte {
	hashes := make([][sha256.Size]byte, 0, len(g.edges))
	var text []byte
	for a := range maps.Keys(g.edges) { //nolint:maporder // sorted below
		text = append(append(text[:0], a.from[:]...), a.to[:]...)
		hashes = append(hashes, sha256.Sum256(append(text, g.labels[a.label]...)))
	}
	slices.SortFunc(hashes, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	return hashes
}
