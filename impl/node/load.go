package node

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Example is a configuration that says what each key means.
//
//go:embed example.toml
var Example string

// EnvironmentPrefix begins the names of environment variables that override keys.
const EnvironmentPrefix = "VIEWSTAMP_"

// LoadConfig reads a file, then the environment ("NAME=value"), then settings ("key=value"):
// what comes later counts. An empty file name is no file.
//
// Errors are one line and name the key and what was expected. The result has passed
// [Config.Check].
func LoadConfig(file string, environment, settings []string) (Config, error) {
	config := DefaultConfig()
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return Config{}, fmt.Errorf("read configuration: %w", err)
		}
		if err := decode(string(content), &config); err != nil {
			return Config{}, fmt.Errorf("read configuration: %s: %w", file, err)
		}
	}
	for _, name := range keys() {
		variable := environmentName(name)
		if value, found := lookup(environment, variable); found {
			if err := set(&config, name, value); err != nil {
				return Config{}, fmt.Errorf("read configuration: environment %s: %w", variable, err)
			}
		}
	}
	for _, setting := range settings {
		name, value, found := strings.Cut(setting, "=")
		if !found {
			return Config{}, fmt.Errorf("read configuration: setting %q, expected key=value", setting)
		}
		if err := set(&config, strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return Config{}, fmt.Errorf("read configuration: %w", err)
		}
	}
	if err := config.Check(); err != nil {
		return Config{}, fmt.Errorf("check configuration: %w", err)
	}
	return config, nil
}

// decode reads TOML and refuses keys that mean nothing.
func decode(text string, config *Config) error {
	decoder := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields()
	err := decoder.Decode(config)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		first := &unknown.Errors[0]
		line, _ := first.Position()
		return fmt.Errorf("line %d: key %q is not known%s", line, strings.Join(first.Key(), "."),
			nearest(strings.Join(first.Key(), ".")))
	case errors.As(err, &wrong):
		line, _ := wrong.Position()
		reason := plain(strings.TrimPrefix(wrong.Error(), "toml: "))
		if key := strings.Join(wrong.Key(), "."); key != "" {
			return fmt.Errorf("line %d: key %q: %s", line, key, reason)
		}
		return fmt.Errorf("line %d: %s", line, reason)
	}
	return err
}

var wrongType = regexp.MustCompile(`^cannot decode TOML (\w+) into .* of type (\S+)$`)

// plain says in words of the file what the decoder says in words of Go.
func plain(reason string) string {
	found := wrongType.FindStringSubmatch(reason)
	if found == nil {
		return reason
	}
	expected := "a table"
	switch found[2] {
	case "int":
		expected = "a number"
	case "string":
		expected = "a string"
	}
	return fmt.Sprintf("a %s, expected %s", found[1], expected)
}

// set gives one key a value that is written without quotes.
func set(config *Config, name, value string) error {
	field, found := fieldOf(name)
	if !found {
		return fmt.Errorf("key %q is not known%s", name, nearest(name))
	}
	text := strconv.Quote(value)
	if kind := field.Type.Kind(); kind == reflect.Int || kind == reflect.Bool {
		if _, err := strconv.Atoi(value); err != nil {
			return fmt.Errorf("key %q: %q, expected a number", name, value)
		}
		text = value
	}
	if err := decode(name+" = "+text, config); err != nil {
		_, reason, _ := strings.Cut(err.Error(), ": ")
		return errors.New(reason)
	}
	return nil
}

// keys lists the keys that a single value belongs to, in the order of Config.
func keys() []string {
	var names []string
	walk(reflect.TypeFor[Config](), "", func(name string, _ reflect.StructField) {
		names = append(names, name)
	})
	return names
}

func fieldOf(key string) (field reflect.StructField, found bool) {
	walk(reflect.TypeFor[Config](), "", func(name string, f reflect.StructField) {
		if name == key {
			field, found = f, true
		}
	})
	return field, found
}

func walk(t reflect.Type, prefix string, visit func(string, reflect.StructField)) {
	for i := range t.NumField() {
		field := t.Field(i)
		name := prefix + field.Tag.Get("toml")
		if kind := field.Type.Kind(); kind == reflect.Struct {
			walk(field.Type, name+".", visit)
		} else if kind != reflect.Slice && name != prefix+"-" {
			// The replicas: a file has them, or nobody.
			visit(name, field)
		}
	}
}

// nearest names the known keys that end alike, for who has forgotten the table.
func nearest(key string) string {
	last := key[strings.LastIndex(key, ".")+1:]
	var alike []string
	for _, name := range keys() {
		if name[strings.LastIndex(name, ".")+1:] == last {
			alike = append(alike, name)
		}
	}
	if len(alike) == 0 {
		return "; 'viewstamp serve --example' prints all keys"
	}
	slices.Sort(alike)
	return ", expected " + strings.Join(alike, " or ")
}

func environmentName(key string) string {
	return EnvironmentPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func lookup(environment []string, name string) (string, bool) {
	for _, entry := range environment {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value, true
		}
	}
	return "", false
}
