package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Golden is the state graph of one cfg as TLC and the Go model both found it, when
// the golden file was written.
type Golden struct {
	Module string `json:"module"`
	// SpecSHA256 is [SHA256] of the module at that time.
	SpecSHA256 string `json:"spec_sha256"`
	// Constants are those of the cfg, as one JSON object.
	Constants json.RawMessage `json:"constants"`
	Graph     GoldenGraph     `json:"graph"`
}

// GoldenGraph identifies a labelled state graph.
type GoldenGraph struct {
	// States is the number of distinct states, Edges that of distinct labelled edges.
	States int `json:"states"`
	Edges  int `json:"edges"`
	// PerAction is the number of distinct edges per action name.
	PerAction map[string]int `json:"per_action"`
	// Digest is model/explore's order-free digest of states and edges, in hex.
	Digest string `json:"digest"`
}

// ErrStale says that a golden file belongs to another text of the modules or to
// other constants: it proves nothing until it is made anew.
var ErrStale = errors.New("spec changed, golden stale: run make golden")

// ReadGolden returns the embedded golden file of a cfg. A stale one is returned
// together with an error that wraps [ErrStale]; a cfg without one, or a file that
// breaks the format, is another error.
func ReadGolden(cfg Cfg) (Golden, error) { return readGolden(Files(), cfg) }

func readGolden(files map[string][]byte, cfg Cfg) (Golden, error) {
	golden, err := parseGoldenOf(files, cfg)
	if err != nil {
		return Golden{}, err
	}
	return golden, golden.checkCurrent(cfg, sha256In(files, cfg.Module))
}

// parseGoldenOf reads the golden file of a cfg, stale or not.
func parseGoldenOf(files map[string][]byte, cfg Cfg) (Golden, error) {
	file := goldenFile(cfg.Name)
	text, ok := files[file]
	if !ok {
		return Golden{}, fmt.Errorf("cfg %s: no file %s, expected one: run make golden",
			cfg.Name, file)
	}
	return ParseGolden(file, text)
}

// ParseGolden reads the text of a golden file. The name of the file goes into
// errors, which name the line too.
func ParseGolden(file string, text []byte) (Golden, error) {
	var golden Golden
	if err := decodeStrict(text, &golden); err != nil {
		return Golden{}, located(file, text, 0, err)
	}
	if len(golden.Graph.Digest) != 64 || strings.Trim(golden.Graph.Digest, "0123456789abcdef") != "" {
		return Golden{}, fmt.Errorf("%s: digest %q, expected 64 hex digits",
			file, golden.Graph.Digest)
	}
	return golden, nil
}

// CheckCurrent returns an error that wraps [ErrStale] and says what differs, unless
// the golden file was made for the present text of cfg's module and for cfg's
// constants.
func (g Golden) CheckCurrent(cfg Cfg) error { return g.checkCurrent(cfg, SHA256(cfg.Module)) }

// checkCurrent is CheckCurrent for a module whose text has the given hash.
func (g Golden) checkCurrent(cfg Cfg, hash string) error {
	constants, err := cfg.Config.Constants.MarshalJSON()
	if err != nil {
		return fmt.Errorf("cfg %s: %w", cfg.Name, err)
	}
	var written bytes.Buffer
	if err := json.Compact(&written, g.Constants); err != nil {
		return fmt.Errorf("%s: constants: %w", goldenFile(cfg.Name), err)
	}
	switch {
	case g.Module != cfg.Module:
		return fmt.Errorf("%s: module %s, expected %s: %w",
			goldenFile(cfg.Name), g.Module, cfg.Module, ErrStale)
	case g.SpecSHA256 != hash:
		return fmt.Errorf("%s: made for %s of hash %s, which is now %s: %w",
			goldenFile(cfg.Name), g.Module, short(g.SpecSHA256), short(hash), ErrStale)
	case written.String() != string(constants):
		return fmt.Errorf("%s: constants %s, expected %s: %w",
			goldenFile(cfg.Name), written.String(), constants, ErrStale)
	}
	return nil
}

// Text is the golden file's text: indented JSON, actions sorted, so that a change shows
// as a short difference.
func (g Golden) Text() ([]byte, error) {
	text, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write golden of %s: %w", g.Module, err)
	}
	return append(text, '\n'), nil
}

// short is the beginning of a hash, enough to tell two apart.
func short(hash string) string { return hash[:min(len(hash), 12)] }
