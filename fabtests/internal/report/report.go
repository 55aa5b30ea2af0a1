package report

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// Report is what a page shows.
type Report struct {
	Title    string
	Intro    string
	Facts    []Fact
	Charts   []Chart
	Tables   []Table
	Notes    []string // what is not there, and why
	Commands []string // that give the numbers again
}

// Fact is a line about the machine.
type Fact struct{ Name, Value string }

// Chart is one picture and its table.
type Chart struct {
	Title  string
	Note   string
	Unit   string // of the values
	Series []Series
}

// Series is one curve: a value for each size.
type Series struct {
	Name   string
	Colour int  // curves of one thing have one colour
	Dashed bool // tells them apart
	Dotted bool // as well
	Points []Point
	Rough  []int // sizes whose value is of few messages only
}

// class is that of the style sheet.
func (s *Series) class() string {
	class := fmt.Sprintf("s%d", s.Colour%colours)
	if s.Dashed {
		class += " dash"
	}
	if s.Dotted {
		class += " dot"
	}
	return class
}

// Point is a value for a size in bytes.
type Point struct {
	Size  int
	Value float64
}

// Sizes are those of all series, in order.
func (c *Chart) Sizes() []int {
	var out []int
	for _, s := range c.Series {
		for _, p := range s.Points {
			out = append(out, p.Size)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// At gives a series' value for a size.
func (s *Series) At(size int) (float64, bool) {
	for _, p := range s.Points {
		if p.Size == size {
			return p.Value, true
		}
	}
	return 0, false
}

// Write writes the page.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	e := html.EscapeString
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"+
		"<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n<p>%s</p>\n", e(r.Title), style, e(r.Title), e(r.Intro))
	b.WriteString("<div class=\"charts\">\n")
	for i := range r.Charts {
		r.Charts[i].write(&b, i)
	}
	b.WriteString("</div>\n")
	for i := range r.Tables {
		r.Tables[i].write(&b)
	}
	if len(r.Notes) > 0 {
		b.WriteString("<h2>Notes</h2>\n<ul>\n")
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "<li>%s</li>\n", e(n))
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("<h2>Measured on</h2>\n<dl>\n")
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "<dt>%s</dt><dd>%s</dd>\n", e(f.Name), e(f.Value))
	}
	b.WriteString("</dl>\n")
	if len(r.Commands) > 0 {
		fmt.Fprintf(&b, "<h2>Again</h2>\n<pre>%s</pre>\n", e(strings.Join(r.Commands, "\n")))
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes a chart, its legend and its table.
func (c *Chart) write(b *strings.Builder, id int) {
	e := html.EscapeString
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n", e(c.Title))
	if len(c.Sizes()) > 0 {
		c.draw(b, id)
		b.WriteString("<ul class=\"legend\">\n")
		for _, s := range c.Series {
			fmt.Fprintf(b, "<li class=\"%s\"><svg viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path d=\"M1 5H27\"/>%s</svg>%s</li>\n", s.class(), mark(s.Colour, 14, 5), e(s.Name))
		}
		b.WriteString("</ul>\n")
	}
	if c.Note != "" {
		fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", e(c.Note))
	}
	b.WriteString("<div class=\"table\"><table>\n<thead><tr><th>bytes</th>")
	for _, s := range c.Series {
		fmt.Fprintf(b, "<th>%s</th>", e(s.Name))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, n := range c.Sizes() {
		fmt.Fprintf(b, "<tr><th>%s</th>", perf.SizeString(int64(n)))
		for _, s := range c.Series {
			text := "–"
			if v, ok := s.At(n); ok {
				text = Number(v)
			}
			fmt.Fprintf(b, "<td>%s</td>", text)
		}
		b.WriteString("</tr>\n")
	}
	fmt.Fprintf(b, "</tbody>\n</table></div>\n<p class=\"note\">%s</p>\n</section>\n", e(c.Unit))
}

// Number prints a value with three digits that say something, and all digits before the point.
func Number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
