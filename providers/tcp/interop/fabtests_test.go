package interop_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/cfabtests"
	"github.com/gofabric/gofabric/internal/freeport"
)

// programsVar names folders with the programs of C fabtests, separated as in PATH. Debian has no package of them.
const programsVar = "FABTESTS_C"

// run is one program run with ours on the other side. Both sides block where they can: two that poll on a busy machine
// keep each other from their work.
type run struct {
	name   string // of the scenario
	args   string // of both sides
	rdm    bool   // RDM endpoints, else MSG
	side   string // a port besides: -q of cm_data, -b=, or 3000 of those that have no option for it
	env    string // of both sides
	tell   bool   // ours has to be told the version: no message says it
	before [2]int // only versions before
	since  [2]int // only versions since
}

// announced has tagged messages that are longer announced first (rendezvous).
const announced = "FI_TCP_MAX_SAVED_SIZE=16384"

// runs are the programs that must work with ours. Each has one size only: a C program without -S clears a gigabyte first.
var runs = []run{
	{name: "msg"}, {name: "msg_epoll"},
	{name: "cm_data", side: "-q"},
	{name: "cq_data", args: "-e msg"},
	{name: "shared_ctx", args: "-e msg --no-tx-shared-ctx"},
	{name: "shared_ctx", args: "-e msg --no-tx-shared-ctx --no-rx-shared-ctx"},
	{name: "msg_pingpong", args: "-c sread -v -I 20 -S 64"},
	{name: "msg_pingpong", args: "-c sread -v -I 20 -S 65536"},
	{name: "msg_pingpong", args: "-c spin -I 20 -S 64"},
	{name: "msg_bw", args: "-c sread -v -I 100 -S 64"},
	{name: "msg_bw", args: "-c sread -v -I 100 -S 65536"},
	{name: "rma_bw", args: "-c sread -e msg -o write -I 100 -S 65536"},
	{name: "rma_bw", args: "-c sread -e msg -o read -I 100 -S 65536"},
	{name: "rma_bw", args: "-c sread -e msg -o writedata -I 100 -S 4096", tell: true},
	{name: "rma_bw", args: "-c sread -e msg -o write -v -I 100 -S 4096", tell: true},
	{name: "rdm", rdm: true},
	{name: "cq_data", args: "-e rdm", rdm: true},
	{name: "shared_ctx", args: "-e rdm --no-tx-shared-ctx --no-rx-shared-ctx", rdm: true},
	{name: "multi_recv", args: "-e rdm", rdm: true, side: "3000", tell: true, since: [2]int{1, 22}},
	{name: "rdm_pingpong", args: "-c sread -v -I 20 -S 64", rdm: true},
	{name: "rdm_pingpong", args: "-c sread -v -I 20 -S 1048576", rdm: true},
	{name: "rdm_tagged_pingpong", args: "-c sread -v -I 20 -S 64", rdm: true},
	{name: "rdm_tagged_pingpong", args: "-c sread -v -I 20 -S 1048576", rdm: true},
	{name: "rdm_tagged_pingpong", args: "-c spin -I 20 -S 64", rdm: true},
	{name: "rdm_tagged_pingpong", args: "-c sread -v -I 20 -S 64", rdm: true, side: "-b=", tell: true, since: [2]int{1, 22}},
	{name: "rdm_tagged_pingpong", args: "-c sread -v -I 20 -S 1048576", rdm: true, env: announced, since: [2]int{1, 20}},
	{name: "rdm_tagged_bw", args: "-c sread -v -U -I 100 -S 65536", rdm: true, env: announced, since: [2]int{1, 20}},
	{name: "rdm_tagged_bw", args: "-c sread -v -I 100 -S 64", rdm: true},
	{name: "rdm_tagged_bw", args: "-c sread -v -I 100 -S 65536", rdm: true},
	{name: "rma_bw", args: "-c sread -e rdm -o write -I 100 -S 65536", rdm: true},
	{name: "rma_bw", args: "-c sread -e rdm -o read -I 100 -S 65536", rdm: true},
	{name: "rma_bw", args: "-c sread -e rdm -o writedata -I 100 -S 4096", rdm: true, tell: true},
	{name: "rma_bw", args: "-c sread -e rdm -o write -v -I 100 -S 4096", rdm: true, tell: true},
	{name: "rma_bw", args: "-c sread -e rdm -o read -v -I 100 -S 4096", rdm: true, tell: true},
	{name: "rma_bw", args: "-c sread -e rdm -o writedata -v -I 100 -S 4096", rdm: true, tell: true, since: [2]int{1, 19}},
	{name: "rdm_tagged_peek", rdm: true, tell: true, side: "3000", since: [2]int{1, 19}},
	{name: "rdm_tagged_peek", rdm: true, tell: true, before: [2]int{1, 19}},
}

// TestFabtests runs programs of C fabtests with ours as the other side, in both roles.
func TestFabtests(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv(programsVar))
	if len(dirs) == 0 {
		t.Skipf("known: C fabtests are not packaged: %s names a folder with its programs", programsVar)
	}
	ours, err := fabtests()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		p, err := cfabtests.Find(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, server := range []string{"C", "ours"} {
			for _, r := range runs {
				if r.since != [2]int{} && !p.Since(r.since[0], r.since[1]) || r.before != [2]int{} && p.Since(r.before[0], r.before[1]) {
					continue
				}
				t.Run(strings.Join([]string{p.String(), server + "-serves", r.name, r.args + r.side + r.env}, "/"), func(t *testing.T) {
					pairUp(t, p, &r, ours, server == "C")
				})
			}
		}
	}
}

// pairUp runs both sides.
func pairUp(t *testing.T, p *cfabtests.Programs, r *run, ours string, cServes bool) {
	theirs, there := p.Path(r.name)
	if !there {
		t.Skipf("known: there is no %s", theirs)
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	provider := "tcp"
	if r.rdm {
		provider = p.RDM()
	}
	args := strings.Fields(r.args)
	listens := []string{freeport.Find()}
	port := listens[0]
	switch {
	case r.side == "-b=":
		listens = []string{freeport.Find()}
		args = append(args, r.side+listens[0])
	case r.side == "-q":
		side := freeport.Find()
		args, listens = append(args, r.side, side), append(listens, side)
	case r.side != "": // the other listens only after this
		listens = []string{r.side}
	}
	c := append([]string{theirs, "-p", provider}, args...)
	own := append([]string{ours, r.name, "-p", "tcp", "--timeout", "60"}, args...)
	if r.tell {
		own = append(own, "--peer-version", p.String())
	}
	server, client := own, c
	if cServes {
		server, client = c, own
	}
	var out [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i, line := range [][]string{append(server, "-s", "127.0.0.1", "-B", port), append(client, "-P", port, "127.0.0.1")} {
		cmds[i] = exec.CommandContext(ctx, line[0], line[1:]...)
		cmds[i].Env = append(os.Environ(), "FI_TCP_IFACE=lo", "FI_LOG_LEVEL=")
		if r.env != "" {
			cmds[i].Env = append(cmds[i].Env, r.env)
		}
		cmds[i].Stdout, cmds[i].Stderr = &out[i], &out[i]
		cmds[i].WaitDelay = time.Second
		if i == 1 {
			for _, l := range listens {
				awaitListener(t, ctx, l)
			}
		}
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(cmds[1].Wait(), cmds[0].Wait())
	if err != nil {
		t.Errorf("%v\nthe server: %v\n%s\nthe client: %v\n%s", err, cmds[0].Args, &out[0], cmds[1].Args, &out[1])
	}
}
