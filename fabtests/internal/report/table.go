package report

import (
	"fmt"
	"html"
	"strings"
)

// Table is a table of its own, of which no curve is drawn.
type Table struct {
	Title string
	Note  string
	Heads []string
	Names int // so many columns at the left are words
	Rows  [][]string
}

// write writes it.
func (t *Table) write(b *strings.Builder) {
	e := html.EscapeString
	class := func(i int) string {
		if i < t.Names {
			return " class=\"name\""
		}
		return ""
	}
	fmt.Fprintf(b, "<section class=\"numbers\">\n<h2>%s</h2>\n<div class=\"table\"><table>\n<thead><tr>", e(t.Title))
	for i, h := range t.Heads {
		fmt.Fprintf(b, "<th%s>%s</th>", class(i), e(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for i, cell := range row {
			fmt.Fprintf(b, "<td%s>%s</td>", class(i), e(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table></div>\n")
	if t.Note != "" {
		fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", e(t.Note))
	}
	b.WriteString("</section>\n")
}
