package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/superblock"
)

// badDirectory is one that a verb must refuse. want is what the verbs say, each in its words.
type badDirectory struct {
	make func(t *testing.T) string
	want map[string]string
}

// all is what all verbs say but dev, whose directories are of another kind.
func all(want string) map[string]string {
	return map[string]string{
		"serve": want, "inspect": want, "format": want, "format --replace": want,
	}
}

// formats is what both ways to format say, beside serve and inspect.
func formats(serve, inspect, format string) map[string]string {
	return map[string]string{
		"serve": serve, "inspect": inspect, "format": format, "format --replace": format,
	}
}

// badDirectories are those that take no special rights to make.
func badDirectories() map[string]badDirectory {
	const known, there = "expected superblock.a, superblock.b, wal and groups", "is there already"
	const kinds, empty = "expected files and directories only", "expected an empty directory"
	const trust = "cannot be trusted (damaged)"
	file := func(name string) func(*testing.T) string { return instead(name, text) }
	return map[string]badDirectory{
		"nothing there": {
			alone("none", func(string) error { return nil }),
			map[string]string{"serve": "'viewstamp format' made", "inspect": "no such file"},
		},
		"a file": {alone("file", text), all("a file, expected a data directory")},
		"a place below a file": {func(t *testing.T) string {
			t.Helper()
			return filepath.Join(alone("file", text)(t), "data")
		}, all("not a directory, expected a data directory")},
		"a pipe":           {alone("pipe", pipe), all("a pipe, expected a data directory")},
		"a socket":         {alone("socket", socket), all("a socket, expected a data directory")},
		"a link to itself": {alone("loop", loop), all("too many levels")},
		"a link to nothing": {
			alone("dangling", dangling), all("no such file or directory, expected"),
		},
		"a directory of something else": {alone("d", func(path string) error {
			return os.MkdirAll(filepath.Join(path, "x"), 0o700)
		}), formats(known, known, empty)},
		"a foreign file beside": {file("diary"), formats(known, known, empty)},
		"a foreign file in the log": {
			file("wal/diary"),
			formats("no file of a log", "no file of a log", there),
		},
		"another cluster's": {
			formatted(node.Identity{Cluster: "d", Replicas: 1}),
			map[string]string{"serve": `cluster.name "c"`, "format": there, "format --replace": there},
		},
		"another replica's": {
			formatted(node.Identity{Cluster: "c", Replica: 1, Replicas: 3}),
			map[string]string{"serve": "replica 1 of 3", "format": there, "format --replace": there},
		},
		"a newer superblock": {superblocks(func(b []byte) []byte {
			b[4]++  // The version,
			b[50]++ // and so another checksum.
			return b
		}), all("has version 2, expected 1")},
		"a truncated superblock": {superblocks(func(b []byte) []byte { return b[:40] }), all(trust)},
		"an empty superblock":    {superblocks(func([]byte) []byte { return nil }), all("empty_file")},
		"no superblock": {with(func(t *testing.T, d string) {
			require.NoError(t, os.Remove(filepath.Join(d, superblock.FileA)))
			require.NoError(t, os.Remove(filepath.Join(d, superblock.FileB)))
		}), all("no superblock beside what is in ")},
		"a log of an older format":    {ofVersion('1'), formats("version '1'", "version '1'", there)},
		"a log of a newer format":     {ofVersion('3'), formats("version '3'", "version '3'", there)},
		"a superblock as a loop":      {instead("superblock.a", loop), formats(kinds, kinds, empty)},
		"a superblock as a pipe":      {instead("superblock.a", pipe), formats(kinds, kinds, empty)},
		"a superblock as directory":   {instead("superblock.b", directory), formats(known, known, empty)},
		"a log that is a loop":        {instead("wal", loop), formats(kinds, kinds, empty)},
		"a log that is a file":        {instead("wal", text), formats(known, known, empty)},
		"a file of the log as pipe":   {instead(firstWAL, pipe), formats(kinds, kinds, empty)},
		"a file of the log as link":   {instead(firstWAL, dangling), formats(kinds, kinds, empty)},
		"a file of the log as socket": {instead("wal/s", socket), formats(kinds, kinds, empty)},
		"a directory in the log":      {instead(firstWAL, directory), formats(known, known, empty)},
		"groups that are a file":      {instead("groups", text), formats(known, known, empty)},
	}
}

// What is no directory of ours, or one that nobody can
// vouch for (R16), is told in one line, and stays as it is.
func TestABadDirectoryGetsOneLineAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, tc := range badDirectories() {
		for verb, want := range tc.want {
			t.Run(name+"/"+verb, func(t *testing.T) {
				t.Parallel()
				directory := tc.make(t)
				requireRefusal(t, doInTime, lines(t, directory)[verb], directory, want)
			})
		}
	}
}

// The control: a directory as these are before they are harmed is inspected, and served.
func TestAGoodDirectoryIsNotRefused(t *testing.T) {
	t.Parallel()
	directory := copyServed(t)
	before := disktest.Picture(directory)
	status, _, stderr := doInTime(t, lines(t, directory)["inspect"]...)
	require.Equal(t, statusPassed, status, stderr)
	require.Equal(t, before, disktest.Picture(directory))
	require.NoError(t, boot(t.TempDir(), directory))
	require.NotEqual(t, before, disktest.Picture(directory),
		"a boot writes, so the picture would show it")
}

func TestDevRefusesABadDirectoryInOneLine(t *testing.T) {
	t.Parallel()
	inside := func(name string, change func(string) error) func(*testing.T) string {
		return alone("d", func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return change(filepath.Join(path, name))
		})
	}
	for name, tc := range map[string]badDirectory{
		"files of something else": {make: inside("diary", text), want: onlyDev("diary")},
		"a file":                  {make: alone("f", text), want: onlyDev("expected a directory")},
		"a pipe":                  {make: alone("p", pipe), want: onlyDev("expected a directory")},
		"a link to itself":        {make: alone("l", loop), want: onlyDev("too many levels")},
		"a link to nothing":       {make: alone("l", dangling), want: onlyDev("expected a directory")},
		"a layout that is a pipe": {make: inside("dev.json", pipe), want: onlyDev("expected a file")},
		"a layout that is none":   {make: inside("dev.json", text), want: onlyDev("dev.json")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := tc.make(t)
			requireRefusal(t, doInTime, lines(t, directory)["dev"], directory, tc.want["dev"])
		})
	}
}

func onlyDev(want string) map[string]string { return map[string]string{"dev": want} }
