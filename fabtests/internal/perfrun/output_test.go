package perfrun

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestShapes compares all forms of a fixed result with golden files.
func TestShapes(t *testing.T) {
	r := fixed()
	for name, write := range map[string]func(io.Writer) error{"table.txt": r.WriteTable, "rows.json": r.WriteJSON, "bench.txt": r.WriteBench,
		"page.html": r.WritePage} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s: go test ./fabtests/internal/perfrun -update, if that is wanted (-want +got):\n%s", name, d)
		}
	}
}

// TestJSON reads what was written: a row for each point that was measured, with its best and its median.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := fixed().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for l := range strings.Lines(b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%v in %s", err, l)
		}
		rows = append(rows, m)
	}
	if len(rows) != 11 {
		t.Fatalf("%d rows, want 11", len(rows))
	}
	for name, want := range map[string]float64{"usec_best": 0.2, "usec_median": 0.22, "mb_per_sec_best": 40, "runs": 3, "bytes": 8, "cpu_usec": 0.2} {
		if got, ok := rows[0][name].(float64); !ok || got < want*0.999 || got > want*1.001 {
			t.Errorf("%s is %v, want %v", name, rows[0][name], want)
		}
	}
	if v, ok := rows[0]["p99.9_usec"].(float64); !ok || v < 0.39 || v > 0.41 {
		t.Errorf("p99.9 is %v", rows[0]["p99.9_usec"])
	}
	if v, known := rows[2]["p99.9_usec"]; known {
		t.Errorf("p99.9 of 78 messages is %v", v)
	}
}

// benchLine is a result in Go's benchmark format: a name, a count, pairs of value and unit.
var benchLine = regexp.MustCompile(`^Benchmark\p{Lu}\S*-\d+\t(\d+)((?:\t\S+ \S+)+)$`)

// TestBench reads every line as benchstat does. There is one for each run.
func TestBench(t *testing.T) {
	var b bytes.Buffer
	if err := fixed().WriteBench(&b); err != nil {
		t.Fatal(err)
	}
	runs := 0
	for l := range strings.Lines(b.String()) {
		l = strings.TrimSuffix(l, "\n")
		if !strings.HasPrefix(l, "Benchmark") {
			if key, _, ok := strings.Cut(l, ": "); !ok || key != strings.ToLower(key) {
				t.Errorf("neither a result nor a key: %q", l)
			}
			continue
		}
		runs++
		m := benchLine.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("no result: %q", l)
		}
		units := map[string]bool{}
		for pair := range strings.SplitSeq(strings.TrimPrefix(m[2], "\t"), "\t") {
			value, unit, _ := strings.Cut(pair, " ")
			if v, err := strconv.ParseFloat(value, 64); err != nil || v <= 0 || units[unit] {
				t.Errorf("%q in %q", pair, l)
			}
			units[unit] = true
		}
		if !units["ns/op"] || !units["MB/s"] {
			t.Errorf("%q lacks ns/op or MB/s", l)
		}
	}
	if runs != 33 {
		t.Errorf("%d results, want 33", runs)
	}
}

// TestPage reads the page as XML, and wants nothing of the network.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := fixed().WritePage(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	open, charts := 0, 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			open++
			if e.Name.Local == "svg" {
				for _, a := range e.Attr {
					if a.Name.Local == "class" && a.Value == "chart" {
						charts++
					}
				}
			}
		case xml.EndElement:
			open--
		}
	}
	if open != 0 || charts != 4 {
		t.Errorf("%d tags are open at the end, %d charts, want 4", open, charts)
	}
	page := b.String()
	if m := regexp.MustCompile(`(?i)https?:|src=|href=|@import|url\(|<script`).FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
	for _, text := range []string{"one machine on one day", "Example &lt;1&gt;", "beside others over shm", "apt-get install openmpi-bin", "@media print", "class=\"s0 dot\""} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}
