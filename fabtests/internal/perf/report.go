package perf

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format is how rows are printed.
type Format int

// Formats.
const (
	Human   Format = iota // fabtests' table
	Machine               // fabtests' -m: a YAML list
	JSON                  // one object a row
	Raw                   // one Row a line, for the process that merges several starts
)

// Source says where rows come from; it is printed with them.
type Source struct {
	Argv     []string // the command, for Machine
	Scenario string
	Provider string
	Starts   int
	Machine  MachineFacts
}

// Reporter prints rows.
type Reporter interface {
	Row(Row)
}

// Func is a function as a Reporter.
type Func func(Row)

// Row calls f.
func (f Func) Row(r Row) { f(r) }

// NewReporter makes the Reporter of a format. A header is printed with the first row.
func NewReporter(w io.Writer, f Format, src Source) Reporter {
	switch f {
	case Machine:
		return &machine{w: w, src: src}
	case JSON:
		return &lines{w: w, src: &src}
	case Raw:
		return &lines{w: w}
	}
	return &human{w: w}
}

type human struct {
	w      io.Writer
	header bool
}

const rest = "%-8s%-8s%-8s%8s %10s%13s%13s\n"

func (h *human) Row(r Row) {
	if r.Unit != "" {
		fmt.Fprintf(h.w, "%-54s%10s %s\n", r.Name, number(r.Value), r.Unit)
		return
	}
	if !h.header {
		h.header = true
		if r.Name != "" {
			fmt.Fprintf(h.w, "%-50s", "name")
		}
		head := rest
		if r.Latencies != nil {
			head = strings.TrimSuffix(rest, "\n") + fmt.Sprintf("%10s%10s%10s\n", "p50", "p99", "p99.9")
		}
		fmt.Fprintf(h.w, head, "bytes", "iters", "total", "time", "MB/sec", "usec/xfer", "Mxfers/sec")
	}
	if r.Name != "" {
		fmt.Fprintf(h.w, "%-50s", r.Name)
	}
	fmt.Fprintf(h.w, "%-8s%-8s%-8s%8.2fs%10.2f%11.2f%11.2f", SizeString(int64(r.Size)), CountString(int64(r.Iterations)),
		SizeString(r.Bytes()), r.Elapsed.Seconds(), r.MBPerSec(), r.MicrosPerXfer(), r.MXfersPerSec())
	if r.Latencies != nil {
		for _, p := range Percentiles {
			text := "-"
			if v, known := r.Latencies.Micros(p.Percent); known {
				text = fmt.Sprintf("%.2f", v)
			}
			fmt.Fprintf(h.w, "%10s", text)
		}
	}
	fmt.Fprintln(h.w)
}

// number prints a value with as many digits as say something.
func number(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

type machine struct {
	w      io.Writer
	src    Source
	header bool
}

func (m *machine) Row(r Row) {
	if !m.header {
		m.header = true
		fmt.Fprintf(m.w, "---\n%s :\n", strings.Join(m.src.Argv, " "))
	}
	if r.Unit != "" {
		fmt.Fprintf(m.w, "- { name: %s, value: %f, unit: %s }\n", r.Name, r.Value, r.Unit)
		return
	}
	name := ""
	if r.Name != "" {
		name = "name: " + r.Name + ", "
	}
	var more strings.Builder
	for _, p := range Percentiles {
		if v, known := r.Latencies.Micros(p.Percent); known {
			fmt.Fprintf(&more, ", %s: %f", p.Name, v)
		}
	}
	fmt.Fprintf(m.w, "- { %sxfer_size: %d, iterations: %d, total: %d, time: %f, MB/sec: %f, usec/xfer: %f, Mxfers/sec: %f%s }\n",
		name, r.Size, r.Iterations, r.Bytes(), r.Elapsed.Seconds(), r.MBPerSec(), r.MicrosPerXfer(), r.MXfersPerSec(), &more)
}

// lines prints one JSON object a row: the whole story with a Source, else the bare Row.
type lines struct {
	w   io.Writer
	src *Source
}

type fullRow struct {
	Scenario   string       `json:"scenario"`
	Provider   string       `json:"provider"`
	Name       string       `json:"name,omitempty"`
	Size       int          `json:"bytes"`
	Iterations int          `json:"iters"`
	Total      int64        `json:"total"`
	Seconds    float64      `json:"time"`
	MB         float64      `json:"mb_per_sec"`
	Micros     float64      `json:"usec_per_xfer"`
	Rate       float64      `json:"mxfers_per_sec"`
	P50        float64      `json:"p50_usec,omitempty"`
	P99        float64      `json:"p99_usec,omitempty"`
	P999       float64      `json:"p99.9_usec,omitempty"`
	Starts     int          `json:"starts"`
	Machine    MachineFacts `json:"machine"`
}

type valueRow struct {
	Scenario string       `json:"scenario"`
	Provider string       `json:"provider"`
	Name     string       `json:"name"`
	Value    float64      `json:"value"`
	Unit     string       `json:"unit"`
	Starts   int          `json:"starts"`
	Machine  MachineFacts `json:"machine"`
}

func (l *lines) Row(r Row) {
	var v any = r
	switch s := l.src; {
	case s != nil && r.Unit != "":
		v = valueRow{Scenario: s.Scenario, Provider: s.Provider, Name: r.Name, Value: r.Value, Unit: r.Unit, Starts: s.Starts, Machine: s.Machine}
	case s != nil:
		full := fullRow{Scenario: s.Scenario, Provider: s.Provider, Name: r.Name, Size: r.Size, Iterations: r.Iterations,
			Total: r.Bytes(), Seconds: r.Elapsed.Seconds(), MB: r.MBPerSec(), Micros: r.MicrosPerXfer(),
			Rate: r.MXfersPerSec(), Starts: s.Starts, Machine: s.Machine}
		for i, to := range []*float64{&full.P50, &full.P99, &full.P999} {
			*to, _ = r.Latencies.Micros(Percentiles[i].Percent)
		}
		v = full
	}
	b, err := json.Marshal(v)
	if err != nil {
		return // numbers and strings always have a form
	}
	fmt.Fprintf(l.w, "%s\n", b)
}

// ParseRaw reads a line of the format Raw.
func ParseRaw(line []byte) (Row, error) {
	var r Row
	err := json.Unmarshal(line, &r)
	return r, err
}
