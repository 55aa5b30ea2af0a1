package perfrun

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// pingPong is libfabric's own program, which measures latency only.
type pingPong struct {
	path string
	tcp  string // what its provider tcp for datagram endpoints is called
}

// firstTCP is the version from which on the reliable datagrams of provider tcp are its own; in those before it they are
// provider net's, the same thing.
const firstTCP = options.Version(118)

// findPingPong looks for it, and for its version, which fi_info of the same package tells.
func findPingPong(ctx context.Context) (peer, error) {
	path, err := exec.LookPath("fi_pingpong")
	if err != nil {
		return nil, missing("fi_pingpong", "fi_pingpong")
	}
	p := &pingPong{path: path, tcp: "tcp"}
	if out, err := exec.CommandContext(ctx, "fi_info", "--version").Output(); err == nil {
		for l := range strings.Lines(string(out)) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(l), "libfabric: "); ok {
				if n, err := options.ParseVersion(v); err == nil && n < firstTCP {
					p.tcp = "net"
				}
			}
		}
	}
	return p, nil
}

func (p *pingPong) name() string { return "fi_pingpong" }

func (p *pingPong) measures(scenario, provider string) bool {
	switch scenario {
	case "rdm_tagged_pingpong", "rdm_pingpong":
		return provider == "shm" || provider == "tcp"
	case "msg_pingpong":
		return provider == "tcp"
	}
	return false
}

func (p *pingPong) run(ctx context.Context, t task, row func(perf.Row)) error {
	prov, ep, kind := t.provider, "rdm", "msg"
	switch {
	case t.scenario == "msg_pingpong":
		ep = "msg"
	case prov == "tcp":
		prov = p.tcp
	}
	if t.scenario == "rdm_tagged_pingpong" {
		kind = "tagged"
	}
	for i, size := range t.sizes {
		args := []string{p.path, "-p", prov, "-e", ep, "-m", kind, "-S", strconv.Itoa(size), "-I", strconv.Itoa(t.counts[i])}
		out, err := pair(ctx, &t, nil,
			func(port string) []string { return append(slices.Clone(args), "-B", port) },
			func(port string) []string { return append(slices.Clone(args), "-P", port, "127.0.0.1") })
		if err != nil {
			return err
		}
		micros, err := pingPongMicros(out)
		if err != nil {
			return err
		}
		row(rowOf(size, t.counts[i], micros, 0))
	}
	return nil
}

// pingPongMicros reads the column usec/xfer of the last row.
func pingPongMicros(out string) (float64, error) {
	column, value := -1, ""
	for l := range strings.Lines(out) {
		w := strings.Fields(l)
		if i := slices.Index(w, "usec/xfer"); i >= 0 {
			column = i
		} else if column >= 0 && len(w) > column {
			value = w[column]
		}
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || v <= 0 {
		return 0, errors.New("its output has no column usec/xfer with a number")
	}
	return v, nil
}
