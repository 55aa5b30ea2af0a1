package perfrun

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// ucx is ucx_perftest.
type ucx struct{ path string }

// ucxTests are its tests that are like a scenario, ucxTransports what is like a provider.
var (
	ucxTests = map[string]string{"rdm_tagged_pingpong": "tag_lat", "rdm_tagged_bw": "tag_bw", "rma_bw": "ucp_put_bw",
		"rma_pingpong": "ucp_put_lat"}
	ucxTransports = map[string]string{"shm": "posix,sysv,cma,self", "tcp": "tcp,self"}
)

func findUCX() (peer, error) {
	path, err := exec.LookPath("ucx_perftest")
	if err != nil {
		return nil, missing("ucx_perftest", "ucx_perftest")
	}
	return &ucx{path}, nil
}

func (u *ucx) name() string { return "ucx_perftest" }

func (u *ucx) measures(scenario, provider string) bool {
	return ucxTests[scenario] != "" && ucxTransports[provider] != ""
}

func (u *ucx) run(ctx context.Context, t task, row func(perf.Row)) error {
	env := []string{"UCX_TLS=" + ucxTransports[t.provider]}
	for i, size := range t.sizes {
		n := t.counts[i]
		args := []string{u.path, "-t", ucxTests[t.scenario], "-s", strconv.Itoa(size), "-n", strconv.Itoa(n), "-w", strconv.Itoa(max(10, n/10))}
		out, err := pair(ctx, &t, env,
			func(port string) []string { return append(slices.Clone(args), "-p", port) },
			func(port string) []string { return append(slices.Clone(args), "-p", port, "127.0.0.1") })
		if err != nil {
			return err
		}
		micros, err := ucxMicros(out, Latency(t.scenario))
		if err != nil {
			return err
		}
		row(rowOf(size, n, micros, 0))
	}
	return nil
}

// ucxMicros reads the final row: iterations, three times of a message, two bandwidths, two rates of messages, of which the
// last of each is of the whole run. Of streams the rate is taken: the time has three decimals of a microsecond.
func ucxMicros(out string, latency bool) (float64, error) {
	const timeColumn, rateColumn = 4, 8
	for l := range strings.Lines(out) {
		w := strings.Fields(l)
		if len(w) <= rateColumn || w[0] != "Final:" {
			continue
		}
		column := rateColumn
		if latency {
			column = timeColumn
		}
		v, err := strconv.ParseFloat(w[column], 64)
		if err != nil || v <= 0 {
			break
		}
		if latency {
			return v, nil
		}
		return 1e6 / v, nil
	}
	return 0, errors.New("its output has no final row with numbers")
}
