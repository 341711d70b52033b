package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/spec"
)

func (t *tool) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "what this program is, and which modules it carries",
		Long:  long("Print the version, the commit and the hashes of the TLA+ modules."),
		Args:  none,
		RunE: func(*cobra.Command, []string) error {
			commit := verify.Revision()
			if commit == "" {
				commit = "unknown"
			}
			fmt.Fprintf(t.stdout, "viewstamp %s\ncommit    %s\nbuilt     %s %s/%s\n",
				verify.Version(), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			manifest, err := spec.Read()
			if err != nil {
				return err
			}
			shown := map[string]bool{}
			for _, cfg := range manifest.Cfgs {
				if !shown[cfg.Module] {
					shown[cfg.Module] = true
					fmt.Fprintf(t.stdout, "module    %s sha256 %s\n", cfg.Module, spec.SHA256(cfg.Module))
				}
			}
			return nil
		},
	}
}
