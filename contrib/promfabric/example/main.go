package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/gofabric/gofabric/contrib/promfabric"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	_ "github.com/gofabric/gofabric/providers/all"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9400", "where to serve /metrics")
	provider := flag.String("p", "", "the provider, as in FI_PROVIDER; the best one if it is not given")
	limit := flag.Duration("for", 0, "how long to go on; 0: until Ctrl-C")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *limit > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, *limit)
		defer end()
	}
	if err := run(ctx, *listen, *provider, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

// run serves and talks until ctx ends.
func run(ctx context.Context, listen, provider string, out io.Writer) error {
	metrics := promfabric.New()
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)

	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	fmt.Fprintf(out, "http://%v/metrics\n", l.Addr())

	err = talk(ctx, provider, metrics)
	err = errors.Join(err, server.Close())
	<-served
	return err
}

// talk opens an endpoint, has the collector show it, and sends messages to itself until ctx ends.
func talk(ctx context.Context, provider string, metrics *promfabric.Collector) (err error) {
	infos, err := fabric.GetInfo(ctx, &fi.Hints{Caps: fi.CapTagged, EP: &fi.EPAttr{Type: fi.EPRDM},
		Fabric: &fi.FabricAttr{ProvName: provider}})
	if err != nil {
		return err
	}
	fab, err := fabric.Open(infos[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fab.Close()) }()
	defer metrics.AddFabric(infos[0].Fabric.ProvName, fab)()
	dom, err := fab.OpenDomain(infos[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dom.Close()) }()
	defer metrics.AddDomain(dom)()

	ep, err := dom.OpenEndpoint(infos[0])
	if err != nil {
		return err
	}
	q, err := dom.OpenCQ(nil)
	if err != nil {
		return errors.Join(err, ep.Close())
	}
	av, err := dom.OpenAV(nil)
	if err != nil {
		return errors.Join(err, ep.Close(), q.Close())
	}
	defer func() { err = errors.Join(err, ep.Close(), q.Close(), av.Close()) }()
	if err = errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()); err != nil {
		return err
	}
	name, err := ep.Name()
	if err != nil {
		return err
	}
	to := make([]fi.Addr, 1)
	if _, err = av.Insert([][]byte{name}, to, 0); err != nil {
		return err
	}
	return exchange(ctx, ep, q, to[0])
}

// exchange sends a message of each size in turn, some hundred a second.
func exchange(ctx context.Context, ep *fabric.Endpoint, q *fabric.CQ, to fi.Addr) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	src, dst := make([]byte, 64<<10), make([]byte, 64<<10)
	done := make([]cq.Entry, 2)
	for size := 8; ; size = max(8, size*2%(128<<10)) {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := errors.Join(ep.TRecv(dst, fi.AddrUnspec, 1, 0, nil), ep.TSend(src[:size], to, 1, nil)); err != nil {
			return err
		}
		for left := 2; left > 0; {
			n, err := q.SRead(ctx, done)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			left -= n
		}
	}
}
