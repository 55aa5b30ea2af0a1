package fabric_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// run opens everything that has something to tell, and closes it.
func run(opts ...fabric.Option) error {
	opts = append(opts, fabric.WithRegistry(fabric.NewRegistry(mem.New())))
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg}, opts...)
	if err != nil {
		return err
	}
	f := must(fabric.Open(infos[0], opts...))
	d := must(f.OpenDomain(infos[0]))
	ep, q, av := must(d.OpenEndpoint(infos[0])), must(d.OpenCQ(nil)), must(d.OpenAV(nil))
	return errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable(),
		ep.Close(), av.Close(), q.Close(), d.Close(), f.Close())
}

const story = `INFO provider chosen prov=core subsys=core provider=mem domain=mem type=FI_EP_RDM reason="the only one that is registered"
INFO domain opened prov=mem subsys=domain domain=mem threading=FI_THREAD_SAFE progress=FI_PROGRESS_AUTO
INFO endpoint enabled prov=mem subsys=ep_ctrl address=fi_mem://1
INFO endpoint closed prov=mem subsys=ep_ctrl address=fi_mem://1
`

func noVars(string) (string, bool) { return "", false }

func TestWithSlog(t *testing.T) {
	var out bytes.Buffer
	h := slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	check(run(fabric.WithEnv(noVars), fabric.WithSlog(h)))
	got := strings.NewReplacer("level=", "", `msg="`, "", `" prov=`, " prov=").Replace(out.String())
	if got != story {
		t.Errorf("\n got %s\nwant %s", got, story)
	}
	check(run(fabric.WithEnv(noVars), fabric.WithSlog(nil)))
}

func TestWithLogger(t *testing.T) {
	var out bytes.Buffer
	enc := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "m", NameKey: "n", ConsoleSeparator: " "})
	core := zapcore.NewCore(enc, zapcore.AddSync(&out), zapcore.InfoLevel)
	check(run(fabric.WithEnv(noVars), fabric.WithLogger(zap.New(core))))
	if n := strings.Count(out.String(), "\n"); n != 4 || !strings.HasPrefix(out.String(), "core:core provider chosen") {
		t.Errorf("%d lines: %s", n, out.String())
	}
	out.Reset()
	quiet := zap.New(core, zap.IncreaseLevel(zapcore.WarnLevel))
	check(run(fabric.WithEnv(noVars), fabric.WithLogger(quiet)))
	check(run(fabric.WithEnv(noVars), fabric.WithLogger(nil)))
	check(run(fabric.WithEnv(noVars), fabric.WithLogger((*zap.Logger)(nil))))
	if out.Len() > 0 {
		t.Errorf("got %s", out.String())
	}
}

func TestFailedSearchTellsAtDebug(t *testing.T) {
	var out bytes.Buffer
	h := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})
	reg := fabric.NewRegistry(mem.New())
	_, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMulticast}, fabric.WithRegistry(reg), fabric.WithEnv(noVars), fabric.WithSlog(h))
	if !errors.Is(err, fi.ErrNoData) || !strings.Contains(out.String(), `msg="does not match"`) {
		t.Errorf("%v, %s", err, out.String())
	}
}

// child is a part of TestProcessLog that runs in a process of its own.
const child = "FABRIC_TEST_LOG_CHILD"

// TestProcessLog looks at whole processes: what the variables turn on, that nothing is written without them, and that
// unknown variables are warned of once.
func TestProcessLog(t *testing.T) {
	if os.Getenv(child) != "" {
		check(errors.Join(run(), run()))
		return
	}
	for _, c := range []struct {
		vars string
		want []string // each once
		not  string
	}{
		{"FI_PROVIDR=mem", nil, "FI_"},
		{"FI_PROVIDR=mem FI_LOG_LEVEL=warn", []string{"warn core:core: FI_PROVIDR is not a variable of this library; did you mean FI_PROVIDER?"}, "info"},
		{"FI_LOG_LEVEL=warn FI_EFA_X=1", nil, "gofabric["},
		{"FI_LOG_LEVEL=loud", []string{"warn core:core: param_get: FI_LOG_LEVEL: FI_EINVAL: "}, "info core"},
		{"FI_LOG_LEVEL=info FI_LOG_PROV=mem FI_LOG_SUBSYS=domain", nil, "ep_ctrl"},
	} {
		t.Run(c.vars, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcessLog$")
			cmd.Env = append(strings.Fields(c.vars), child+"=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, w := range c.want {
				if n := bytes.Count(out, []byte(w)); n != 1 {
					t.Errorf("%q stands there %d times:\n%s", w, n, out)
				}
			}
			if bytes.Contains(out, []byte(c.not)) {
				t.Errorf("%q in\n%s", c.not, out)
			}
		})
	}
}

func ExampleWithSlog() {
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	reg := fabric.NewRegistry(mem.New())
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg, EP: &fi.EPAttr{Type: fi.EPRDM}}, fabric.WithRegistry(reg), fabric.WithSlog(h))
	fmt.Println(len(infos), err)
	// Output:
	// level=INFO msg="provider chosen" prov=core subsys=core provider=mem domain=mem type=FI_EP_RDM reason="the only one that is registered"
	// 1 <nil>
}
