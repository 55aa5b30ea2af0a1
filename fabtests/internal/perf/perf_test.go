package perf

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSizeString(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1: "1", 1023: "1023", 1024: "1k", 1536: "1.5k", 9 << 10: "9k", 10<<10 + 512: "10k",
		1 << 20: "1m", 5<<20 + 1<<19: "5.5m", 1 << 30: "1g", 3 << 40: "3072g", 1100: "1k", 1125: "1k", 1127: "1.1k"} {
		if got := SizeString(n); got != want {
			t.Errorf("SizeString(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestCountString(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1k", 1999: "1k", 20000: "20k", 1e6: "1m", 25e8: "2b"} {
		if got := CountString(n); got != want {
			t.Errorf("CountString(%d) = %q, want %q", n, got, want)
		}
	}
}

// A ping-pong of 10,000 times 64 bytes in 30 ms: 1.5 us one way.
var row = Row{Size: 64, Iterations: 10000, PerIter: 2, Elapsed: 30 * time.Millisecond}

func TestNumbers(t *testing.T) {
	for name, v := range map[string][2]float64{
		"bytes": {float64(row.Bytes()), 1280000}, "MB/sec": {row.MBPerSec(), 1280000 / 30000.},
		"usec/xfer": {row.MicrosPerXfer(), 1.5}, "Mxfers/sec": {row.MXfersPerSec(), 1 / 1.5},
	} {
		if d := v[0] - v[1]; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s = %v, want %v", name, v[0], v[1])
		}
	}
	if r := (Row{}); r.MicrosPerXfer() <= 0 || r.MXfersPerSec() <= 0 {
		t.Error("a row of nothing has no figures at all")
	}
}

// TestFormats compares each form with what libfabric's programs print for the same numbers.
func TestFormats(t *testing.T) {
	src := Source{Argv: []string{"fabtests", "rdm_pingpong", "-m"}, Scenario: "rdm_pingpong", Provider: "shm", Starts: 3,
		Machine: MachineFacts{OS: "linux", Arch: "amd64", CPUs: 2, Go: "go1", GOMAXPROCS: 2}}
	named := row
	named.Name = "FI_INT8_FI_MIN_lat"
	value := Row{Name: "floor", Value: 155.25, Unit: "ns"}
	for _, c := range []struct {
		name   string
		format Format
		rows   []Row
		want   string
	}{
		{"human", Human, []Row{row, row}, "" +
			"bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\n" +
			"64      10k     1.2m        0.03s     42.67       1.50       0.67\n" +
			"64      10k     1.2m        0.03s     42.67       1.50       0.67\n"},
		{"human, named", Human, []Row{named}, "" +
			"name                                              bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\n" +
			"FI_INT8_FI_MIN_lat                                64      10k     1.2m        0.03s     42.67       1.50       0.67\n"},
		{"human, value", Human, []Row{value}, "floor                                                      155.2 ns\n"},
		{"machine", Machine, []Row{row, value}, "---\nfabtests rdm_pingpong -m :\n" +
			"- { xfer_size: 64, iterations: 10000, total: 1280000, time: 0.030000, MB/sec: 42.666667, usec/xfer: 1.500000, Mxfers/sec: 0.666667 }\n" +
			"- { name: floor, value: 155.250000, unit: ns }\n"},
	} {
		var b bytes.Buffer
		r := NewReporter(&b, c.format, src)
		for _, row := range c.rows {
			r.Row(row)
		}
		if d := cmp.Diff(c.want, b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	var b bytes.Buffer
	r := NewReporter(&b, JSON, src)
	r.Row(row)
	r.Row(value)
	for l := range strings.Lines(b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil || m["scenario"] != "rdm_pingpong" || m["machine"].(map[string]any)["gomaxprocs"] != 2. {
			t.Errorf("%v in %s", err, l)
		}
	}
}

func TestRawRoundTrip(t *testing.T) {
	for _, want := range []Row{row, {Name: "x", Value: 2.5, Unit: "us"}} {
		var b bytes.Buffer
		NewReporter(&b, Raw, Source{}).Row(want)
		got, err := ParseRaw(bytes.TrimSpace(b.Bytes()))
		if err != nil || got != want {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
	}
	if _, err := ParseRaw([]byte("{")); err == nil {
		t.Error("half a row was read")
	}
}

func TestBest(t *testing.T) {
	var b Best
	fast, slow := row, row
	fast.Elapsed /= 2
	other := row
	other.Size = 8
	low, high := Row{Name: "v", Value: 1, Unit: "%"}, Row{Name: "v", Value: 2, Unit: "%"}
	for _, r := range []Row{slow, other, high, fast, slow, low, high} {
		b.Add(r)
	}
	if d := cmp.Diff([]Row{fast, other, low}, b.Rows()); d != "" {
		t.Error(d)
	}
}

func TestFacts(t *testing.T) {
	f := MachineFacts{OS: "linux", Arch: "arm64", Kernel: "6.1", CPU: "Big", CPUs: 4, Virtual: true, Go: "go1.26", GOMAXPROCS: 2,
		GODEBUG: "asyncpreemptoff=1", Pinned: "0 1", Settings: "shm"}
	if got, want := f.String(), "linux/arm64 6.1, 4 CPUs Big (virtual), go1.26, GOMAXPROCS=2, GODEBUG=asyncpreemptoff=1, pinned to 0 1, shm"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if here := Facts(); here.CPUs < 1 || here.GOMAXPROCS < 1 || here.Go == "" {
		t.Errorf("%+v", here)
	}
}
