package dev

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/viewstamp/viewstamp/impl/node"
)

const (
	layoutName  = "dev.json"
	configName  = "node.toml"
	envName     = "env"
	clusterName = "dev"

	// RootPassword is the root's, in every cluster of this package: it is reached from this
	// machine only.
	RootPassword = "viewstamp"
)

// layout is what a directory of this package holds about its processes.
type layout struct {
	Mesh    []string `json:"mesh"`
	Clients []string `json:"clients"`
	Metrics []string `json:"metrics"`
	Key     string   `json:"key"`
}

// prepare makes the directories and configurations of a cluster, or finds those that are there.
func prepare(dir string, replicas int) (layout, error) {
	file := filepath.Join(dir, layoutName)
	content, err := os.ReadFile(file)
	if err == nil {
		var found layout
		if err := json.Unmarshal(content, &found); err != nil {
			return layout{}, fmt.Errorf("read %s: %w", file, err)
		}
		n := len(found.Clients)
		if n == 0 || len(found.Mesh) != n || len(found.Metrics) != n {
			return layout{}, fmt.Errorf("read %s: expected as many addresses of each kind", file)
		}
		if n != replicas {
			return layout{}, fmt.Errorf("directory %s: a cluster of %d is there, expected --nodes %d",
				dir, n, n)
		}
		return found, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return layout{}, fmt.Errorf("read layout: %w", err)
	}
	if names, err := os.ReadDir(dir); err == nil && len(names) > 0 {
		return layout{}, fmt.Errorf("directory %s: %s is there, expected an empty directory, or one "+
			"of 'viewstamp dev'", dir, names[0].Name())
	}
	return create(dir, replicas)
}

// checkKinds refuses a directory that is none, or a layout that is no file: a pipe would be
// waited for. Neither need exist.
func checkKinds(dir, file string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%w, expected a directory", err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s, expected a directory", dir, info.Mode())
	}
	info, err = os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %s, expected a file", file, info.Mode())
	}
	return nil // What cannot be read says so itself.
}

// create writes the layout last, so that one that is there is complete.
func create(dir string, replicas int) (layout, error) {
	l, err := draw(replicas)
	if err != nil {
		return layout{}, err
	}
	for i := range replicas {
		home := filepath.Join(dir, fmt.Sprint(i))
		data := filepath.Join(home, "data")
		err := node.Format(data, node.Identity{Cluster: clusterName, Replica: i, Replicas: replicas})
		if err != nil {
			return layout{}, err
		}
		config := filepath.Join(home, configName)
		if err := os.WriteFile(config, []byte(l.config(i, data)), 0o600); err != nil {
			return layout{}, fmt.Errorf("write configuration: %w", err)
		}
	}
	content, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return layout{}, fmt.Errorf("write layout: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, layoutName), content, 0o600); err != nil {
		return layout{}, fmt.Errorf("write layout: %w", err)
	}
	return l, nil
}

// writeEnv writes what a shell needs to reach the cluster.
func (l layout) writeEnv(dir string) error {
	text := fmt.Sprintf("export VIEWSTAMP_ADDRESS=%s VIEWSTAMP_PASSWORD=%s\n",
		strings.Join(l.Clients, ","), RootPassword)
	if err := os.WriteFile(filepath.Join(dir, envName), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write environment: %w", err)
	}
	return nil
}

// draw takes addresses that are free just now, and a secret.
func draw(replicas int) (l layout, err error) {
	free, err := FreeAddresses(3 * replicas)
	if err != nil {
		return layout{}, err
	}
	l.Mesh, l.Clients, l.Metrics = free[:replicas], free[replicas:2*replicas], free[2*replicas:]
	key := make([]byte, 32)
	_, _ = rand.Read(key) // It never fails; the program ends if it does.
	l.Key = hex.EncodeToString(key)
	return l, nil
}

// config is the configuration of one process.
func (l layout) config(replica int, data string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by 'viewstamp dev'. 'viewstamp serve --example' explains each key.\n")
	absolute, err := filepath.Abs(data)
	if err == nil {
		data = absolute
	}
	fmt.Fprintf(&b, "data_dir = %q\n\n[cluster]\nname = %q\nreplica = %d\nkey = %q\n", data,
		clusterName, replica, l.Key)
	for i := range l.Mesh {
		fmt.Fprintf(&b, "\n[[replicas]]\nmesh = %q\nclient = %q\n", l.Mesh[i], l.Clients[i])
	}
	fmt.Fprintf(&b, "\n[listen]\nadmin = %q\n\n"+
		"[users]\nroot_password = %q\n\n[log]\nlevel = \"warn\"\n",
		l.Metrics[replica], RootPassword)
	return b.String()
}
