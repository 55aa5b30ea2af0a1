package ubertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/freeport"
	_ "github.com/gofabric/gofabric/providers/all" // what tests run over
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// long is a limit that a busy machine does not reach.
const long = 2 * time.Minute

// newEnv makes one side, over mem.
func newEnv(client bool, file string, link net.Conn) (*scenario.Env, *bytes.Buffer) {
	o := options.New()
	ownOptions(o)
	o.Provider, o.Timeout = "mem", long
	o.Own.(*choices).file = file
	if client {
		o.Server = "localhost"
	}
	var out bytes.Buffer
	return &scenario.Env{Ctx: context.Background(), Opt: o, Client: client, Out: &out, Err: &out, Ready: func() {}, Link: link,
		Report: perf.Func(func(perf.Row) {})}, &out
}

// pair runs both sides of a configuration, as goroutines.
func pair(t *testing.T, config string) (outs [2]*bytes.Buffer, errs [2]error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pair.test")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	a, b := net.Pipe()
	var wg sync.WaitGroup
	for i, link := range []net.Conn{a, b} {
		env, out := newEnv(i == 1, file, link)
		outs[i] = out
		wg.Go(func() { errs[i] = run(env) })
	}
	wg.Wait()
	return outs, errs
}

// said tells whether a side has counted so.
func said(out *bytes.Buffer, line string) bool {
	return strings.Contains(out.String(), line+"\n")
}

// TestPair runs a product of everything that needs a run of its own: both sides count the same.
func TestPair(t *testing.T) {
	const head = "{ test_flags: FT_FLAG_QUICKTEST, comp_type: [FT_COMP_QUEUE, FT_COMP_CNTR, FT_COMP_ALL], "
	for name, c := range map[string]struct {
		config string
		count  int
	}{
		"messages": {head + "test_type: [FT_TEST_BANDWIDTH, FT_TEST_UNIT], test_class: [FT_CAP_MSG, FT_CAP_TAGGED], ep_type: FI_EP_MSG," +
			"class_function: [FT_FUNC_SENDV, FT_FUNC_SENDMSG, FT_FUNC_INJECTDATA] }", 2 * 2 * 3 * 3},
		"remote": {head + "test_type: [FT_TEST_LATENCY, FT_TEST_UNIT], test_class: FT_CAP_RMA, ep_type: FI_EP_RDM," +
			"class_function: [FT_FUNC_READMSG, FT_FUNC_WRITEV, FT_FUNC_INJECT_WRITE, FT_FUNC_WRITEDATA] }", 2 * 4 * 3},
		"atomics": {head + "test_type: FT_TEST_UNIT, test_class: FT_CAP_ATOMIC, ep_type: FI_EP_RDM, op: FI_MSWAP, datatype: [FI_INT16, FI_UINT128]," +
			"class_function: [FT_FUNC_COMPARE_ATOMIC, FT_FUNC_COMPARE_ATOMICV, FT_FUNC_COMPARE_ATOMICMSG] }", 2 * 3 * 3},
		"datagrams": {head + "test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH], test_class: [FT_CAP_MSG, FT_CAP_TAGGED], ep_type: FI_EP_DGRAM, class_function: FT_FUNC_SENDV }", 2 * 2 * 3},
		"manual": {head + "test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH], test_class: [FT_CAP_MSG, FT_CAP_RMA], ep_type: [FI_EP_MSG, FI_EP_RDM]," +
			"progress: FI_PROGRESS_MANUAL, cq_wait_obj: FI_WAIT_UNSPEC, cntr_wait_obj: FI_WAIT_UNSPEC, eq_wait_obj: FI_WAIT_UNSPEC }", 2 * 2 * 2 * 3},
	} {
		t.Run(name, func(t *testing.T) {
			outs, errs := pair(t, c.config)
			if err := errors.Join(errs[:]...); err != nil {
				t.Errorf("%v\n%s", err, outs[1])
			}
			for i, out := range outs {
				if !said(out, fmt.Sprint("Success: ", c.count)) || !said(out, "Skipped: 0") || !said(out, "ERROR  : 0") {
					t.Errorf("side %d: not %d tests:\n%s", i, c.count, out.String()[max(0, out.Len()-2000):])
				}
			}
		})
	}
}

// TestRefusals: what a provider does not offer is no data, what it does not serve no such call, and what it never promised is
// skipped; the tests behind run all the same.
func TestRefusals(t *testing.T) {
	const simple = "{ test_type: FT_TEST_LATENCY, test_class: FT_CAP_MSG, ep_type: FI_EP_RDM, test_flags: FT_FLAG_QUICKTEST }"
	for _, c := range []struct {
		config string
		lines  []string
		status int
	}{
		{"{ test_type: FT_TEST_LATENCY, test_class: FT_CAP_RMA, ep_type: FI_EP_DGRAM }" + simple, []string{"Success: 1", "ENODATA: 1"}, int(fi.ErrNoData)},
		{"{ test_type: FT_TEST_LATENCY, test_class: FT_CAP_MSG, ep_type: FI_EP_RDM, cq_wait_obj: FI_WAIT_MUTEX_COND }" + simple, []string{"Success: 1", "ENOSYS : 1"}, int(fi.ErrNoSys)},
		{"{ test_type: FT_TEST_LATENCY, test_class: FT_CAP_ATOMIC, ep_type: [FI_EP_MSG, FI_EP_RDM], op: FI_BAND, datatype: FI_FLOAT }" + simple, []string{"Success: 1", "Skipped: 2"}, 0},
	} {
		outs, errs := pair(t, c.config)
		for i, out := range outs {
			for _, line := range c.lines {
				if !said(out, line) {
					t.Errorf("side %d does not say %q:\n%s", i, line, out)
				}
			}
			if n := fail.ExitCode(errs[i]); n != c.status {
				t.Errorf("side %d: status %d, want %d: %v", i, n, c.status, errs[i])
			}
		}
	}
	if outs, _ := pair(t, "{ test_type: FT_TEST_LATENCY, test_class: FT_CAP_RMA, ep_type: FI_EP_RDM, class_function: FT_FUNC_SEND }"); !said(outs[1], "Skipped: 1") ||
		!strings.Contains(outs[1].String(), "Skipping test 1 (invalid):") {
		t.Errorf("%s", outs[1])
	}
}

// TestRange runs the tests of -y to -z only.
func TestRange(t *testing.T) {
	a, b := net.Pipe()
	server, _ := newEnv(false, "", a)
	client, out := newEnv(true, "quick", b)
	own := client.Opt.Own.(*choices)
	own.first, own.last = 3, 5
	ended := make(chan error, 1)
	go func() { ended <- run(server) }()
	if err := errors.Join(run(client), <-ended); err != nil {
		t.Error(err)
	}
	if !said(out, "Success: 3") || strings.Contains(out.String(), "Starting test 2 /") || !strings.Contains(out.String(), "Starting test 5 /") {
		t.Errorf("%s", out)
	}
}

// TestNobodyComes ends with words after the time limit.
func TestNobodyComes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("known: no network: ", err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String()) //nolint:errcheck // an address of the system's
	l.Close()                                          //nolint:errcheck // only its number is wanted
	for client, want := range map[bool]string{false: "no client came to 127.0.0.1:" + port + " within 50ms", true: "no server at 127.0.0.1:" + port + " within 50ms"} {
		env, _ := newEnv(client, "quick", nil)
		own := env.Opt.Own.(*choices)
		own.port, own.once, env.Opt.SrcAddr, env.Opt.Timeout = port, true, "127.0.0.1", 50*time.Millisecond
		if client {
			env.Opt.SrcAddr, env.Opt.Server = "", "127.0.0.1"
		}
		if err := run(env); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), want) {
			t.Errorf("client %v: %v", client, err)
		}
	}
}

// TestNobodyElseComes: a server of several clients ends after the time limit that was given, with the results of those it had.
func TestNobodyElseComes(t *testing.T) {
	env, out := newEnv(false, "", nil)
	port := freeport.Find()
	table := env.Opt.Table(ownOptions(env.Opt))
	env.Opt.Own.(*choices).port, env.Opt.SrcAddr = port, "127.0.0.1"
	i := slices.IndexFunc(table, func(o cli.Option) bool { return o.Long == "timeout" })
	if err := table[i].Set("2"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	env.Ready = func() {
		go func() {
			client, _ := newEnv(true, "quick", nil)
			own := client.Opt.Own.(*choices)
			own.port, own.last, client.Opt.Server = port, 1, "127.0.0.1"
			ended <- run(client)
		}()
	}
	if err := run(env); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), "no client came to 127.0.0.1:"+port+" within 2s") {
		t.Error(err)
	}
	if err := <-ended; err != nil || !said(out, "Success: 1") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPeerLeaves: the end of the other side in the middle of a test ends the run with words.
func TestPeerLeaves(t *testing.T) {
	for _, client := range []bool{false, true} {
		mine, their := net.Pipe()
		env, _ := newEnv(client, "quick", mine)
		ended := make(chan error, 1)
		go func() { ended <- run(env) }()
		if client {
			peer := ctrl.New(context.Background(), their, long)
			if _, err := peer.Recv(testSize, nil); err != nil {
				t.Fatal(err)
			}
			peer.Close()
		} else {
			d := &Test{Type: latencyTest, Index: 1, Class: capMsg, Caps: capMsg, EP: fi.EPMsg, Comp: compQueue, Format: fi.CQFormatMsg, Provider: "mem", Node: "localhost", Service: "leaves"}
			peer := ctrl.New(context.Background(), their, long)
			if err := errors.Join(peer.Send(d.encode())); err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{statusSize, testSize} {
				if _, err := peer.Recv(n, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(peer.Send(encodeStatus(0)), peer.Send(encodeStatus(0))); err != nil { // and never connects
				t.Fatal(err)
			}
			peer.Close()
		}
		if err := <-ended; !errors.Is(err, fi.ErrConnReset) || !strings.Contains(err.Error(), "the other side has ended") {
			t.Errorf("client %v: %v", client, err)
		}
	}
}

// TestGiveUp: when one side fails while data is on its way, the other hears of it, whoever of them it is, and the connection
// is where both expect it.
func TestGiveUp(t *testing.T) {
	for _, failing := range []bool{false, true} {
		a, b := net.Pipe()
		sides := map[bool]*side{}
		for client, link := range map[bool]net.Conn{false: a, true: b} {
			env, _ := newEnv(client, "", link)
			c := ctrl.New(context.Background(), link, long)
			defer c.Close()
			sides[client] = newSide(env, c, &Test{Index: 1}, &memory{})
		}
		var wg sync.WaitGroup
		var errs [2]error
		for i, client := range []bool{failing, !failing} {
			s := sides[client]
			wg.Go(func() {
				err := s.barrier()
				if err == nil && i == 0 {
					err = fi.ErrBadFD
				}
				if err == nil {
					<-s.ctx.Done() // as a wait for data does
					err = s.ended()
				}
				errs[i] = s.giveUp(err)
				if _, lost := s.swap(encodeStatus(0)); lost != nil {
					t.Error(lost)
				}
			})
		}
		wg.Wait()
		if !errors.Is(errs[0], fi.ErrBadFD) || !strings.Contains(errs[1].Error(), "the other side has failed") || !errors.Is(errs[1], fi.ErrBadFD) {
			t.Errorf("client fails %v: %v, %v", failing, errs[0], errs[1])
		}
		for _, s := range sides {
			s.end(nil)
		}
	}
}
