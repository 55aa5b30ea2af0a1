package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// The drawing area. The picture is small and is scaled up, so that its text can be read on a phone.
const (
	width, height            = 420, 300
	left, right, top, bottom = 46, 18, 10, 40
	colours                  = 6
)

// axis maps values to a length, logarithmically.
type axis struct{ low, high, from, to float64 }

func (a axis) at(v float64) float64 {
	return a.from + (math.Log(v)-math.Log(a.low))/(math.Log(a.high)-math.Log(a.low))*(a.to-a.from)
}

// axes gives those of a chart: powers of two across, decades up.
func (c *Chart) axes() (x, y axis) {
	sizes := c.Sizes()
	low, high := float64(max(sizes[0], 1)), float64(max(sizes[len(sizes)-1], 2))
	if high <= low {
		high = 2 * low
	}
	x = axis{low, high, left, width - right}
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Value > 0 {
				least, most = min(least, p.Value), max(most, p.Value)
			}
		}
	}
	if math.IsInf(least, 1) {
		least, most = 1, 10
	}
	bottomDecade, topDecade := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	if topDecade <= bottomDecade {
		topDecade = bottomDecade + 1
	}
	y = axis{math.Pow(10, bottomDecade), math.Pow(10, topDecade), height - bottom, top}
	return x, y
}

// draw writes the picture.
func (c *Chart) draw(b *strings.Builder, id int) {
	e := html.EscapeString
	x, y := c.axes()
	fmt.Fprintf(b, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"chart%d\">\n<title id=\"chart%d\">%s, %s, both axes logarithmic</title>\n",
		width, height, id, id, e(c.Title), e(c.Unit))
	for v := y.low; v <= y.high*1.001; v *= 10 {
		at := y.at(v)
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%d %sH%d\"/><text class=\"y\" x=\"%d\" y=\"%s\">%s</text>\n", left, short(at), width-right, left-6, short(at+4), tick(v))
		for k := 2.0; k < 10 && v*k < y.high; k++ {
			fmt.Fprintf(b, "<path class=\"fine\" d=\"M%d %sH%d\"/>\n", left, short(y.at(v*k)), width-right)
		}
	}
	for _, n := range ticks(c.Sizes()) {
		at := x.at(float64(max(n, 1)))
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%s %dV%d\"/><text class=\"x\" x=\"%s\" y=\"%d\">%s</text>\n", short(at), top, height-bottom, short(at), height-bottom+16, perf.SizeString(int64(n)))
	}
	fmt.Fprintf(b, "<text class=\"x\" x=\"%d\" y=\"%d\">bytes</text>\n", (left+width-right)/2, height-6)
	for _, s := range c.Series {
		var path strings.Builder
		cmd := "M"
		for _, p := range s.Points {
			if p.Value > 0 {
				fmt.Fprintf(&path, "%s%s %s", cmd, short(x.at(float64(max(p.Size, 1)))), short(y.at(p.Value)))
				cmd = "L"
			}
		}
		fmt.Fprintf(b, "<g class=\"%s\"><path d=\"%s\"/>\n", s.class(), path.String())
		for _, p := range s.Points {
			if p.Value > 0 {
				fmt.Fprintf(b, "<g>%s<title>%s, %s bytes: %s %s</title></g>\n", mark(s.Colour, x.at(float64(max(p.Size, 1))), y.at(p.Value)), e(s.Name), perf.SizeString(int64(p.Size)), Number(p.Value), e(c.Unit))
			}
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
}

// ticks chooses the sizes that get a label: at most nine.
func ticks(sizes []int) []int {
	const most = 9
	step := (len(sizes) + most - 1) / most
	var out []int
	for i := 0; i < len(sizes); i += step {
		out = append(out, sizes[i])
	}
	return out
}

// mark is the sign of a series: a colour alone does not tell everybody apart.
func mark(i int, x, y float64) string {
	switch i % 4 {
	case 0:
		return fmt.Sprintf("<circle cx=\"%s\" cy=\"%s\" r=\"3\"/>", short(x), short(y))
	case 1:
		return fmt.Sprintf("<rect x=\"%s\" y=\"%s\" width=\"6\" height=\"6\"/>", short(x-3), short(y-3))
	case 2:
		return fmt.Sprintf("<path class=\"mark\" d=\"M%s %sl4 7h-8z\"/>", short(x), short(y-4))
	}
	return fmt.Sprintf("<path class=\"mark\" d=\"M%s %sl4 4l-4 4l-4-4z\"/>", short(x), short(y-4))
}

func short(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// tick is the label of a decade.
func tick(v float64) string {
	if v >= 1e3 {
		return strconv.FormatFloat(v/1e3, 'g', 6, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
