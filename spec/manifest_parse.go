package spec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// manifestCfg is a cfg as the manifest writes it.
type manifestCfg struct {
	Name           string   `json:"name"`
	Module         string   `json:"module"`
	Tier           string   `json:"tier"`
	TierTLC        string   `json:"tier_tlc"`
	Expect         []string `json:"expect"`
	Distinct       int      `json:"distinct"`
	Depth          int      `json:"depth"`
	Counterexample int      `json:"counterexample"`
	Mutant         string   `json:"mutant"`
	Seed           string   `json:"seed"`
	Golden         bool     `json:"golden"`
}

// manifestText is the manifest as it is written. Entries are decoded one by one, so
// that an error can name the entry's line.
type manifestText struct {
	Cfgs     []json.RawMessage `json:"cfgs"`
	Unbroken map[string]string `json:"unbroken"`
}

// parseManifest reads manifest.json among files and checks each of its cfgs.
func parseManifest(files map[string][]byte) (*Manifest, error) {
	text, ok := files[manifestFile]
	if !ok {
		return nil, fmt.Errorf("%s: no such file, expected the manifest", manifestFile)
	}
	var raw manifestText
	if err := decodeStrict(text, &raw); err != nil {
		return nil, located(manifestFile, text, 0, err)
	}
	manifest := &Manifest{Unbroken: raw.Unbroken}
	at := 0
	for _, cfgText := range raw.Cfgs {
		at += bytes.Index(text[at:], cfgText) // Raw messages are copies of the text, in order.
		cfg, err := parseCfg(files, cfgText)
		if err == nil {
			err = manifest.checkUnique(cfg)
		}
		if err != nil {
			return nil, located(manifestFile, text, at, err)
		}
		manifest.Cfgs = append(manifest.Cfgs, cfg)
		at += len(cfgText)
	}
	for _, name := range sortedNames(files) {
		cfg, isConfig := strings.CutPrefix(strings.TrimSuffix(name, ".cfg"), "cfg/")
		if isConfig && !slices.ContainsFunc(manifest.Cfgs, func(c Cfg) bool { return c.Name == cfg }) {
			return nil, fmt.Errorf("%s: cfg %s is missing, but %s exists", manifestFile, cfg, name)
		}
	}
	return manifest, nil
}

func (m *Manifest) checkUnique(cfg Cfg) error {
	for _, other := range m.Cfgs {
		if other.Name == cfg.Name {
			return fmt.Errorf("cfg %s is listed twice, expected it once", cfg.Name)
		}
	}
	return nil
}

// parseCfg decodes one entry, reads its cfg file and checks the two against each
// other. A fault of the cfg file is a configError, which names its own line.
func parseCfg(files map[string][]byte, text []byte) (Cfg, error) {
	var written manifestCfg
	if err := decodeStrict(text, &written); err != nil {
		return Cfg{}, err
	}
	cfg := Cfg{
		Name: written.Name, Module: written.Module, Expect: written.Expect,
		Tier: written.Tier, TierTLC: cmp.Or(written.TierTLC, written.Tier),
		Distinct: written.Distinct, Depth: written.Depth, Counterexample: written.Counterexample,
		Mutant: written.Mutant, Seed: written.Seed, Golden: written.Golden,
	}
	file := configFile(cfg.Name)
	configText, ok := files[file]
	if !ok {
		return Cfg{}, fmt.Errorf("cfg %q: no file %s, expected one", cfg.Name, file)
	}
	config, err := ParseConfig(file, string(configText))
	if err != nil {
		return Cfg{}, configError{err}
	}
	cfg.Config = config
	modules, err := moduleFiles(files, cfg.Module)
	if err != nil {
		return Cfg{}, fmt.Errorf("cfg %s: %w", cfg.Name, err)
	}
	if err := checkCfg(cfg, modules); err != nil {
		return Cfg{}, fmt.Errorf("cfg %s: %w", cfg.Name, err)
	}
	return cfg, nil
}

// checkCfg says what of a cfg contradicts itself, its file or its module.
func checkCfg(cfg Cfg, modules map[string][]byte) error {
	bugs, err := cfg.Config.Constants.Set("Bugs")
	if err != nil {
		return err
	}
	mutants, err := mutantsIn(modules, cfg.Module)
	if err != nil {
		return err
	}
	for _, bug := range bugs {
		if !slices.ContainsFunc(mutants, func(m Mutant) bool { return m.Name == bug }) {
			return fmt.Errorf("bug %q, expected a member of BugNames of %s", bug, cfg.Module)
		}
	}
	switch {
	case !isTier(cfg.Tier) || !isTier(cfg.TierTLC) && cfg.TierTLC != TierNever:
		return fmt.Errorf("tier %q and tier_tlc %q, expected %q or %q, or %q for tier_tlc",
			cfg.Tier, cfg.TierTLC, TierCI, TierNightly, TierNever)
	case len(cfg.Config.Checked()) == 0:
		return errors.New("its file lists no invariant and no property, expected one")
	case cfg.Config.CheckDeadlock:
		return errors.New("its file checks for deadlocks, expected CHECK_DEADLOCK FALSE, " +
			"since a bounded run ends somewhere")
	case cfg.IsClean():
		return checkClean(cfg, bugs)
	}
	return checkMutant(cfg, bugs)
}

func isTier(tier string) bool { return tier == TierCI || tier == TierNightly }

func checkClean(cfg Cfg, bugs []string) error {
	switch {
	case len(bugs) > 0 || cfg.Mutant != "":
		return fmt.Errorf("expect is %q, but a bug is switched on or a mutant named", Clean)
	case cfg.Distinct < 1 || cfg.Depth < 1:
		return fmt.Errorf("distinct %d and depth %d, expected both above 0",
			cfg.Distinct, cfg.Depth)
	case cfg.Counterexample != 0 || cfg.Seed != "":
		return errors.New("a clean cfg has no counterexample and no seed, expected neither")
	}
	return nil
}

func checkMutant(cfg Cfg, bugs []string) error {
	switch {
	case len(cfg.Expect) == 0:
		return fmt.Errorf("expect is empty, expected [%q] or the properties that may fail", Clean)
	case len(bugs) != 1 || bugs[0] != cfg.Mutant:
		return fmt.Errorf("mutant %q, but its file switches on %s, expected just that mutant",
			cfg.Mutant, show(bugs))
	case cfg.Counterexample < 1:
		return fmt.Errorf("counterexample %d, expected its length in states", cfg.Counterexample)
	case cfg.Distinct != 0 || cfg.Depth != 0 || cfg.Golden:
		return errors.New("a mutant's cfg has no distinct, depth or golden, expected none")
	}
	for _, property := range cfg.Expect {
		if !slices.Contains(cfg.Config.Checked(), property) {
			return fmt.Errorf("expects a violation of %q, which its file does not check", property)
		}
	}
	return nil
}

// configError is an error that names its own file and line.
type configError struct{ error }

// decodeStrict decodes one JSON value and refuses unknown fields, fields that are
// given twice, and anything behind the value.
func decodeStrict(text []byte, into any) error {
	if err := duplicateField(text); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return &offsetError{decoder.InputOffset(), "found more text, expected the end of the file"}
	}
	return nil
}

// offsetError is an error at a byte offset of the text that was decoded.
type offsetError struct {
	offset int64
	reason string
}

func (e *offsetError) Error() string { return e.reason }

// duplicateField looks for a field that one object gives twice, which
// encoding/json lets pass. Broken text is left to the decoder.
func duplicateField(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	type level struct {
		fields map[string]bool // Nil for an array.
		value  bool            // In an object: the next token is a value.
	}
	var levels []level
	for {
		t, err := decoder.Token()
		if err != nil {
			break // The end, or broken text.
		}
		delim, isDelim := t.(json.Delim)
		if isDelim && (delim == '}' || delim == ']') {
			levels = levels[:len(levels)-1]
			continue
		}
		if top := len(levels) - 1; top >= 0 && levels[top].fields != nil {
			if name, isName := t.(string); isName && !levels[top].value {
				if levels[top].fields[name] {
					return &offsetError{
						decoder.InputOffset(),
						fmt.Sprintf("field %q is given twice, expected it once", name),
					}
				}
				levels[top].fields[name], levels[top].value = true, true
				continue
			}
			levels[top].value = false
		}
		switch {
		case isDelim && delim == '{':
			levels = append(levels, level{fields: map[string]bool{}})
		case isDelim:
			levels = append(levels, level{})
		}
	}
	return nil
}

var unknownField = regexp.MustCompile(`^json: unknown field ("[^"]*")$`)

// located puts file and line before an error that arose in text[base:]. JSON errors
// carry an offset from there; an unknown field is looked for; else it is the line
// at base.
func located(file string, text []byte, base int, err error) error {
	var (
		config  configError
		syntax  *json.SyntaxError
		kind    *json.UnmarshalTypeError
		offset  *offsetError
		reason  = err.Error()
		through = base
	)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		through, reason = len(text), "the text ends too early, expected the rest of the JSON value"
	case errors.As(err, &config):
		return config.error
	case errors.As(err, &syntax):
		through += int(syntax.Offset)
	case errors.As(err, &kind):
		through += int(kind.Offset)
		reason = fmt.Sprintf("field %q is a %s, expected a %s", kind.Field, kind.Value, kind.Type)
	case errors.As(err, &offset):
		through += int(offset.offset)
	default:
		if field := unknownField.FindStringSubmatch(reason); field != nil {
			through += max(bytes.Index(text[base:], []byte(field[1])), 0)
			reason = fmt.Sprintf("unknown field %s", field[1])
		}
	}
	line := 1 + bytes.Count(text[:min(through, len(text))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s", file, line, reason)
}
