package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// clientFlags say which cluster, and who asks.
type clientFlags struct {
	addresses             []string
	user, password, token string
	passwordFile          string
	tls                   bool
	tlsAuthority, history string
	timeout               time.Duration
	json                  bool
}

const clientExitHelp = `Exit status: 0 done; 1 nothing was done: refused, or not reached;
2 wrong usage; 3 the outcome is unknown: it may have been done.`

func (t *tool) client() *cobra.Command {
	var f clientFlags
	command := &cobra.Command{
		Use:   "client",
		Short: "streams, topics, messages, offsets and consumer groups of a cluster",
		Long: clientLong(`Speak to a running cluster. Streams, topics and consumers are named by their
name, or by "#3" for the id 3. Messages are lines of text.`,
			"viewstamp client stream create shop",
			"viewstamp client topic create shop orders --partitions 3",
			"echo hello | viewstamp client send shop orders",
			"viewstamp client tail shop orders --follow"),
		RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	f.add(command.PersistentFlags())
	stream := &cobra.Command{
		Use: "stream", Short: "create, list and delete streams", RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	stream.AddCommand(t.streamCreate(&f), t.streamList(&f), t.streamDelete(&f))
	topic := &cobra.Command{
		Use: "topic", Short: "create, list and delete topics", RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	topic.AddCommand(t.topicCreate(&f), t.topicList(&f), t.topicDelete(&f))
	command.AddCommand(stream, topic, t.clientSend(&f), t.clientPoll(&f), t.clientTail(&f),
		t.clientOffset(&f), t.clientPing(&f), t.clientGroup(&f), t.clientStats(&f))
	return command
}

// clientLong is like long, with what the exit statuses mean here.
func clientLong(what string, examples ...string) string {
	return strings.TrimSuffix(long(what, examples...), exitStatusHelp) + clientExitHelp
}

func (f *clientFlags) add(flags *pflag.FlagSet) {
	fromEnvironment := func(name, byDefault string) string {
		if value := os.Getenv(name); value != "" {
			return value
		}
		return byDefault
	}
	flags.StringSliceVar(&f.addresses, "address",
		strings.Split(fromEnvironment("VIEWSTAMP_ADDRESS", "127.0.0.1:7101"), ","),
		"host:port of nodes, any of them (VIEWSTAMP_ADDRESS)")
	flags.StringVar(&f.user, "user", fromEnvironment("VIEWSTAMP_USER", "root"),
		"who asks (VIEWSTAMP_USER)")
	flags.StringVar(&f.passwordFile, "password-file", "",
		"a file with the password; otherwise it is VIEWSTAMP_PASSWORD")
	f.password = os.Getenv("VIEWSTAMP_PASSWORD")
	f.token = os.Getenv("VIEWSTAMP_TOKEN")
	flags.BoolVar(&f.tls, "tls", false, "connect through TLS")
	flags.StringVar(&f.tlsAuthority, "tls-authority", "",
		"a PEM file with the authority of the nodes' certificates; implies --tls")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "how long a request may take")
	flags.StringVar(&f.history, "history", "",
		"write what was seen of a new partition as a history for 'viewstamp lin check --model partition'")
	f.jsonInto(flags)
}

func (f *clientFlags) jsonInto(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print JSON on stdout and nothing else")
}

// options makes options of the flags.
func (f *clientFlags) options(recorder *client.Recorder) (client.Options, error) {
	o := client.Options{
		Addresses: f.addresses, User: f.user, Password: f.password, Timeout: f.timeout,
		Recorder: recorder,
	}
	if f.token != "" {
		o.User, o.Password, o.Token = "", "", f.token
	}
	if f.passwordFile != "" {
		text, err := os.ReadFile(f.passwordFile)
		if err != nil {
			return o, fmt.Errorf("--password-file: %w", err)
		}
		o.Password = strings.TrimRight(string(text), "\r\n")
	}
	if f.tls || f.tlsAuthority != "" {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	}
	if f.tlsAuthority != "" {
		text, err := os.ReadFile(f.tlsAuthority)
		if err != nil {
			return o, fmt.Errorf("--tls-authority: %w", err)
		}
		o.TLS.RootCAs = x509.NewCertPool()
		if !o.TLS.RootCAs.AppendCertsFromPEM(text) {
			return o, fmt.Errorf("--tls-authority: %s has no certificate, expected PEM",
				f.tlsAuthority)
		}
	}
	return o, nil
}

// withClient connects, does something, and turns its error into one line and a status.
func (t *tool) withClient(
	command *cobra.Command, f *clientFlags, do func(context.Context, *client.Client) error,
) error {
	var recorder *client.Recorder
	if f.history != "" {
		recorder = &client.Recorder{}
	}
	options, err := f.options(recorder)
	if err != nil {
		return usage(command, "%v", err)
	}
	ctx, cancel := context.WithTimeout(command.Context(), f.timeout)
	c, err := client.Open(ctx, options)
	cancel()
	if err == nil {
		err = do(command.Context(), c)
		c.Close()
		if recorder != nil {
			err = errors.Join(err, writeHistory(f.history, recorder))
		}
	}
	if err == nil {
		return nil
	}
	fmt.Fprintf(t.stderr, "viewstamp: %s\n", verify.OneLine(err.Error()))
	if errors.Is(err, client.ErrUnknown) {
		return verdictError{verify.Undecided}
	}
	return verdictError{verify.Failed}
}

// print prints a value as JSON, or as people like it.
func (t *tool) print(f *clientFlags, value any, people func()) error {
	if !f.json {
		people()
		return nil
	}
	if err := json.NewEncoder(t.stdout).Encode(value); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// table prints rows under a head.
func (t *tool) table(head string, rows func(line func(format string, args ...any))) {
	w := tabwriter.NewWriter(t.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, head)
	rows(func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) })
	_ = w.Flush() // A terminal that takes no text cannot be told so.
}

// identifier reads a name, or "#3".
func identifier(text string) (protocol.Identifier, error) {
	number, isID := strings.CutPrefix(text, "#")
	if !isID {
		if text == "" || len(text) > 255 {
			return protocol.Identifier{}, fmt.Errorf("name of %d bytes, expected 1 to 255", len(text))
		}
		return protocol.Named(text), nil
	}
	id, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return protocol.Identifier{}, fmt.Errorf("%q, expected # and a number", text)
	}
	return protocol.ID(uint32(id)), nil
}

// args demands arguments of these kinds, the last one optional if it is in brackets.
func args(kinds ...string) cobra.PositionalArgs {
	least := len(kinds)
	if strings.HasPrefix(kinds[least-1], "[") {
		least--
	}
	return func(command *cobra.Command, given []string) error {
		if len(given) < least || len(given) > len(kinds) {
			return usage(command, "%s: %d arguments, expected %s", command.CommandPath(),
				len(given), strings.Join(kinds, " "))
		}
		for i, kind := range kinds {
			if i < len(given) && (kind == "STREAM" || kind == "TOPIC" || kind == "GROUP") {
				if _, err := identifier(given[i]); err != nil {
					return usage(command, "%s: %v", kind, err)
				}
			}
		}
		return nil
	}
}

// ident reads an argument that args has checked.
func ident(text string) protocol.Identifier {
	i, err := identifier(text)
	if err != nil {
		panic(err)
	}
	return i
}

func (t *tool) clientPing(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "ping",
		Short: "is there a node, and which nodes are there?",
		Long:  clientLong("Log in at one of the nodes and list those of the cluster."),
		Args:  none,
		RunE: func(command *cobra.Command, _ []string) error {
			return t.withClient(command, f, func(ctx context.Context, c *client.Client) error {
				begun := time.Now()
				if err := c.Ping(ctx); err != nil {
					return err
				}
				took := time.Since(begun)
				roster, err := c.Roster(ctx)
				if err != nil {
					return err
				}
				return t.print(f, pingOf(roster, took), func() {
					fmt.Fprintf(t.stdout, "cluster %s answers after %s\n", roster.Name,
						took.Round(time.Microsecond))
					t.table("NODE\tADDRESS\tROLE", func(line func(string, ...any)) {
						for _, n := range pingOf(roster, took).Nodes {
							line("%s\t%s\t%s", n.Name, n.Address, n.Role)
						}
					})
				})
			})
		},
	}
}

// pingAnswer is what ping prints as JSON.
type pingAnswer struct {
	Cluster string     `json:"cluster"`
	Seconds float64    `json:"seconds"`
	Nodes   []nodeLine `json:"nodes"`
}

type nodeLine struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Role    string `json:"role"`
}

func pingOf(roster protocol.Roster, took time.Duration) pingAnswer {
	p := pingAnswer{Cluster: roster.Name, Seconds: took.Seconds(), Nodes: []nodeLine{}}
	for _, m := range roster.Members {
		role := "backup"
		if m.Role == protocol.RolePrimary {
			role = "primary"
		}
		p.Nodes = append(p.Nodes, nodeLine{
			Name: m.Name, Address: fmt.Sprintf("%s:%d", m.Address, m.TCP), Role: role,
		})
	}
	return p
}
