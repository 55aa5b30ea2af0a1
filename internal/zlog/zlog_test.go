package zlog

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// logged runs f with the sink that the variables ask for and gives what was written to its file, times removed.
func logged(t *testing.T, f func(*Sink), vars ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log")
	s, err := FromEnv(env(append(vars, "FI_LOG_LOCATION", file)...))
	if err != nil {
		t.Fatal(err)
	}
	f(s)
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{6} gofabric\[\d+\] `).ReplaceAllString(string(text), "")
}

// speak says one thing at each level in some places.
func speak(s *Sink) {
	for _, p := range []string{"shm", "tcp"} {
		for _, sub := range []Subsys{EPCtrl, MR} {
			l := s.Logger(p, sub)
			l.Warn("w")
			l.Trace("t")
			l.Info("i")
			l.Debug("d")
		}
	}
}

func TestVariablesSelect(t *testing.T) {
	for _, c := range []struct {
		vars []string
		want string
	}{
		{nil, ""},
		{[]string{"FI_LOG_PROV", "shm"}, ""},
		{[]string{"FI_LOG_LEVEL", "off"}, ""},
		{[]string{"FI_LOG_LEVEL", "warn"}, "warn shm:ep_ctrl: w|warn shm:mr: w|warn tcp:ep_ctrl: w|warn tcp:mr: w|"},
		{[]string{"FI_LOG_LEVEL", "Debug", "FI_LOG_PROV", "tcp,x", "FI_LOG_SUBSYS", "^mr"},
			"warn tcp:ep_ctrl: w|trace tcp:ep_ctrl: t|info tcp:ep_ctrl: i|debug tcp:ep_ctrl: d|"},
		{[]string{"FI_LOG_LEVEL", "trace", "FI_LOG_PROV", "^SHM", "FI_LOG_SUBSYS", "mr, cq"},
			"warn tcp:mr: w|trace tcp:mr: t|"},
		{[]string{"FI_LOG_LEVEL", "info", "FI_LOG_PROV", "shm", "FI_LOG_SUBSYS", "mr"},
			"warn shm:mr: w|trace shm:mr: t|info shm:mr: i|"},
	} {
		if got := strings.ReplaceAll(logged(t, speak, c.vars...), "\n", "|"); got != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.vars, got, c.want)
		}
	}
}

func TestLineIsReadable(t *testing.T) {
	got := logged(t, func(s *Sink) {
		s.Logger("shm", EPCtrl).Info("connected\nto", "peer", "fi_shm://b", "road", "a b", "n", 3, "took", 2*time.Millisecond,
			"ok", true, "no", false, "err", errors.New("x=y"), "list", []int{1}, "u", uint64(1)<<63, "empty", "", "odd")
	}, "FI_LOG_LEVEL", "info")
	want := `info shm:ep_ctrl: connected?to peer=fi_shm://b road="a b" n=3 took=2ms ok=true no=false err="x=y" list=[1] ` +
		`u=9223372036854775808 empty="" extra=odd` + "\n"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestBadVariablesAreNamedAndLoggingGoesOn(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, value, says string }{
		{"FI_LOG_LEVEL", "loud", "one of off, warn, trace, info, debug"},
		{"FI_LOG_SUBSYS", "mr,nose", "nose is no subsystem"},
		{"FI_LOG_LOCATION", filepath.Join(dir, "no", "such", "file"), "a folder that can be written"},
	} {
		vars := []string{c.name, c.value, "FI_LOG_LEVEL", "warn", "FI_LOG_LOCATION", dir}
		s, err := FromEnv(env(vars...))
		if s == nil || !s.Logger("shm", MR).On(Warn) {
			t.Errorf("%s=%s: no log", c.name, c.value)
		}
		if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s=%s: got %v", c.name, c.value, err)
		}
	}
	want := filepath.Join(dir, fmt.Sprintf("ofi_%d.log", os.Getpid()))
	if _, err := os.Stat(want); err != nil {
		t.Errorf("a folder as location: %v", err)
	}
}

func TestSilentHandles(t *testing.T) {
	var none *Sink
	for _, l := range []Logger{{}, none.Logger("shm", CQ), FromCore(nil).Logger("x", AV), FromSlog(nil).Logger("x", AV)} {
		if l.On(Warn) {
			t.Error("on")
		}
		l.Warn("nobody hears")
	}
	l := none.Logger("shm", CQ)
	if n := testing.AllocsPerRun(100, func() { l.Info("nothing") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestZapAndSlogSinks(t *testing.T) {
	var out bytes.Buffer
	h := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: dropTime})
	enc := zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "m", LevelKey: "l", NameKey: "n",
		EncodeLevel: zapcore.LowercaseLevelEncoder})
	core := zapcore.NewCore(enc, zapcore.AddSync(&out), zapcore.WarnLevel)
	s := Tee(FromSlog(h), FromCore(core.With([]zapcore.Field{field("app", "a")})))
	s.Logger("shm", MR).Info("one", "key", 7)
	s.Logger("shm", MR).Warn("two", "key", uint64(8))
	s.Logger("shm", MR).Debug("three")
	want := `level=INFO msg=one prov=shm subsys=mr key=7
level=WARN msg=two prov=shm subsys=mr key=8
{"l":"warn","n":"shm:mr","m":"two","app":"a","key":8}
`
	if out.String() != want {
		t.Errorf("\n got %s\nwant %s", out.String(), want)
	}
	out.Reset()
	FromSlog(h).core.With([]zapcore.Field{field("w", 1)}).Check(zapcore.Entry{Level: zapcore.ErrorLevel, Message: "e"}, nil).Write()
	if got := out.String(); got != "level=ERROR msg=e w=1\n" {
		t.Errorf("got %s", got)
	}
}

func dropTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		return slog.Attr{}
	}
	return a
}

func TestHandler(t *testing.T) {
	got := logged(t, func(s *Sink) {
		l := slog.New(s.Handler("ours", Domain)).With("a", 1).WithGroup("g").With("b", "x y")
		l.Info("m", "c", true, slog.Group("h", "d", 2), slog.Group("", "e", 3))
		l.Debug("not at this level")
		l.Error("bad")
	}, "FI_LOG_LEVEL", "info", "FI_LOG_PROV", "ours")
	want := `info ours:domain: m a=1 g.b="x y" g.c=true g.h.d=2 g.e=3
warn ours:domain: bad a=1 g.b="x y"
`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	var none *Sink
	slog.New(none.Handler("ours", Domain)).Error("nobody hears")
}

func TestLinesAreWhole(t *testing.T) {
	got := logged(t, func(s *Sink) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					s.Logger("mem", Core).Warn("hello")
				}
			})
		}
		wg.Wait()
	}, "FI_LOG_LEVEL", "warn")
	if want := strings.Repeat("warn mem:core: hello\n", 400); got != want {
		t.Errorf("lines are mixed: %d bytes of %d", len(got), len(want))
	}
}

func TestNames(t *testing.T) {
	for i, want := range []string{"off", "warn", "trace", "info", "debug", "Level(5)"} {
		if got := Level(i).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if Counter.String() != "cntr" || Subsys(99).String() != "Subsys(99)" {
		t.Error("names of subsystems")
	}
}

func BenchmarkDisabled(b *testing.B) {
	var l Logger
	for b.Loop() {
		if l.On(Info) {
			b.Fatal()
		}
	}
}

func TestSinksOfTheSameValuesAreOne(t *testing.T) {
	dir := t.TempDir()
	vars := env("FI_LOG_LEVEL", "warn", "FI_LOG_SUBSYS", "nose", "FI_LOG_LOCATION", filepath.Join(dir, "log"))
	s := Of(vars)
	if s == nil || s != Of(vars) || s == Of(env("FI_LOG_LEVEL", "info")) || Of(env()) != nil || Of(nil) != nil {
		t.Error("wrong sinks")
	}
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || strings.Count(string(text), "nose is no subsystem") != 1 {
		t.Errorf("%v: what is wrong is told once, got %s", err, text)
	}
}

// TestMisspelledNamesAreTold of providers and subsystems, with the nearest; a name that resembles none may be of elsewhere.
func TestMisspelledNamesAreTold(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"FI_LOG_PROV", "mem,cor", "did you mean core?"},
		{"FI_LOG_PROV", "^meme", "did you mean mem?"},
		{"FI_LOG_PROV", "mem, core", ""},
		{"FI_LOG_PROV", "ofi_rxm", ""},
		{"FI_LOG_SUBSYS", "domian", "did you mean domain?"},
		{"FI_LOG_SUBSYS", "cq", ""},
	} {
		for where, err := range map[string]error{"check": Check(env(c.name, c.value)), "sink": sinkError(env("FI_LOG_LEVEL", "warn", c.name, c.value))} {
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s=%s: %v", where, c.name, c.value, err)
			}
		}
	}
}

func sinkError(vars envknob.Lookup) error {
	_, err := FromEnv(vars)
	return err
}
