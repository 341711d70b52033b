package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// statusLimit bounds how long a shard may take to say how it is.
const statusLimit = 2 * time.Second

// admin serves metrics and health over HTTP.
type admin struct {
	listener net.Listener
	server   *http.Server
	done     chan struct{}
}

// openAdmin starts to serve; nothing is served, and nothing to be closed, without a listener.
func openAdmin(n *Node, l net.Listener) *admin {
	if l == nil {
		return nil
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&metrics{node: n},
	)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", n.serveLive)
	mux.HandleFunc("GET /readyz", n.serveReady)
	mux.HandleFunc("GET /status", n.serveStatus)
	a := &admin{listener: l, done: make(chan struct{}), server: &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}}
	go func() {
		defer close(a.done)
		if err := a.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			n.log.Error("serve metrics", "reason", err)
		}
	}()
	return a
}

func (a *admin) address() string {
	if a == nil {
		return ""
	}
	return a.listener.Addr().String()
}

func (a *admin) close() error {
	err := a.server.Close()
	<-a.done
	return err
}

// serveLive says whether the shards turn. A process whose shards stand still needs a restart.
func (n *Node) serveLive(w http.ResponseWriter, r *http.Request) {
	if _, err := n.statusOf(r); err != nil {
		http.Error(w, "not live: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "live")
}

// serveReady says whether clients should come here.
func (n *Node) serveReady(w http.ResponseWriter, r *http.Request) {
	status, err := n.statusOf(r)
	switch {
	case err != nil:
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
	case !status.Ready:
		http.Error(w, "not ready: no primary of the metadata can be reached, or the disk is full",
			http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ready")
	}
}

func (n *Node) serveStatus(w http.ResponseWriter, r *http.Request) {
	status, err := n.statusOf(r)
	if err != nil {
		http.Error(w, "no status: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(status) // Who asked may have gone.
}

func (n *Node) statusOf(r *http.Request) (Status, error) {
	ctx, cancel := context.WithTimeout(r.Context(), statusLimit)
	defer cancel()
	return n.Status(ctx)
}
