package profile

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/selftalk"
	"github.com/gofabric/gofabric/providers/mem"
)

// times are what differs from run to run.
var times = regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s)\b`)

// rows gives the lines of a table with single blanks, by their first words and without the times.
func rows(table string) map[string]string {
	out := map[string]string{}
	for l := range strings.Lines(table) {
		f := strings.Fields(times.ReplaceAllString(l, "T"))
		if len(f) > 2 {
			out[f[0]+" "+f[1]] = strings.Join(f[2:], " ")
		}
	}
	return out
}

// TestTable counts what a program does, shows it while it runs and when it ends, and begins again.
func TestTable(t *testing.T) {
	var atClose bytes.Buffer
	p := New(mem.New(), &atClose)
	for round := range 2 {
		atClose.Reset()
		k := selftalk.Open(t, p, fi.CapMsg|fi.CapTagged)
		for range 3 {
			k.Check(k.EP.TRecv(make([]byte, 1<<20), fi.AddrUnspec, 1, 0, nil), k.EP.TSend(make([]byte, 600), 0, 1, nil))
			k.Read(2)
		}
		k.Check(k.EP.Inject(make([]byte, 60), 0), k.EP.Recv(make([]byte, 64), fi.AddrUnspec, nil))
		k.Read(1)
		k.Check(k.EP.Recv(make([]byte, 64), fi.AddrUnspec, nil)) // ends in error
		if k.EP.TSend(nil, 99, 1, nil) == nil {
			t.Error("a send to nobody")
		}
		var now bytes.Buffer
		k.Check(p.Report(&now))
		k.Close()
		for what, table := range map[string]string{"while it runs": now.String(), "at the end": atClose.String()} {
			got := rows(table)
			for row, want := range map[string]string{
				"fi_tsend 512-1K": "3 1800 48.4 % 0 0 T T",
				"fi_trecv 512-1K": "3 1800 48.4 % 0 0 T T",
				"fi_inject 0-64":  "1 60 1.6 % 0 0 T T",
				"fi_tsend 0-64":   "0 0 0.0 % 0 1 - -",
				"call size":       "count bytes share again failed p50 p99",
			} {
				if got[row] != want {
					t.Errorf("round %d, %s: %s: %q, want %q in\n%s", round, what, row, got[row], want, table)
				}
			}
			failed := " 0 0"
			if what == "at the end" {
				failed = " 0 1"
			}
			if r := got["fi_recv 0-64"]; !strings.Contains(r, "1 60 1.6 %"+failed) {
				t.Errorf("%s: fi_recv: %q", what, r)
			}
		}
	}
	var after bytes.Buffer
	if err := p.Report(&after); err != nil || strings.Count(after.String(), "\n") != 3 { // with that of GetInfo, before which nothing is open
		if strings.Contains(after.String(), "fi_tsend") {
			t.Errorf("after the end: %v\n%s", err, after.String())
		}
	}
}

// TestHistogram counts times and finds them again within 12 %.
func TestHistogram(t *testing.T) {
	for d := time.Duration(0); d < 1<<40; d += d/7 + 1 {
		s := slot(d)
		if low, next := lowest(s), lowest(s+1); d < low || d >= next || float64(next-low) > 0.13*float64(next)+1 {
			t.Fatalf("%d ns is in slot %d, from %d to %d", d, s, low, next)
		}
	}
	var h histogram
	if q := h.quantile(0.5); q != "-" {
		t.Errorf("of nothing: %s", q)
	}
	for i := range 100 {
		h.add(time.Duration(i+1) * time.Microsecond)
	}
	for part, want := range map[float64]time.Duration{0.5: 50 * time.Microsecond, 0.99: 99 * time.Microsecond} {
		d, err := time.ParseDuration(h.quantile(part))
		if err != nil || d < want*88/100 || d > want*112/100 {
			t.Errorf("%v of 1 to 100 us: %v, %v", part, d, err)
		}
	}
}
