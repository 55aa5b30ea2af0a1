package report

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file")

func sample() *Report {
	return &Report{
		Title: "A <title>", Intro: "Both & more.", Facts: []Fact{{"Processor", "\"Fast\" <1>"}}, Commands: []string{"fabtests a", "fabtests b"},
		Notes:  []string{"no <peer>"},
		Tables: []Table{{Title: "All", Note: "usec", Heads: []string{"program", "bytes"}, Names: 1, Rows: [][]string{{"a & b", "8"}}}},
		Charts: []Chart{
			{Title: "Latency", Unit: "us", Note: "a note", Series: []Series{
				{Name: "shm", Points: []Point{{8, 0.19}, {4096, 1.2}, {1 << 20, 70}}},
				{Name: "shm, fresh", Dashed: true, Points: []Point{{8, 0.2}, {1 << 20, 110}}},
				{Name: "shm, p99.9", Dotted: true, Points: []Point{{8, 0.4}, {4096, 3}}},
				{Name: "mem", Colour: 1, Points: []Point{{8, 0.5}, {4096, 0}, {1 << 20, 50}}},
			}},
			{Title: "Nothing", Unit: "MB/s", Series: []Series{{Name: "none"}}},
			{Title: "One", Unit: "MB/s", Series: []Series{{Name: "one", Points: []Point{{64, 100}}}}},
		},
	}
}

func TestGolden(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/report.html"
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
		t.Errorf("go test ./fabtests/internal/report -update, if that is wanted (-want +got):\n%s", d)
	}
}

// TestSelfContained checks that the page asks nobody for anything, and that its tags match.
func TestSelfContained(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if m := regexp.MustCompile(`(?i)https?:|//|src=|href=|@import|url\(|<script`).FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	depth := 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d tags are open at the end", depth)
	}
	for _, text := range []string{"A &lt;title&gt;", "&#34;Fast&#34; &lt;1&gt;", "prefers-color-scheme:dark", "width=device-width"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0.1894: "0.189", 1.234: "1.23", 12.34: "12.3", 1234.5: "1234", 123.4: "123"} {
		if got := Number(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

// TestInside keeps curves inside the picture whatever the values are.
func TestInside(t *testing.T) {
	for _, points := range [][]Point{{{0, 1e-9}, {1 << 40, 1e12}}, {{1, 5}}, {{1, 10}, {2, 100}}, {{3, 0}, {4, -1}}} {
		c := Chart{Series: []Series{{Points: points}}}
		x, y := c.axes()
		for _, p := range points {
			if p.Value <= 0 {
				continue
			}
			if at := x.at(float64(max(p.Size, 1))); at < left-1 || at > width-right+1 {
				t.Errorf("%v: x %v", points, at)
			}
			if at := y.at(p.Value); at < top-1 || at > height-bottom+1 {
				t.Errorf("%v: y %v", points, at)
			}
		}
	}
}
