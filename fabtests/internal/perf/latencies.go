package perf

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and the resolution of a histogram: three digits of anything from a nanosecond to a minute.
const (
	shortest = 1
	longest  = int64(time.Minute)
	digits   = 3
)

// Beyond is how many latencies have to lie above a percentile, so that it is one and not the accident of a single message.
const Beyond = 10

// Percentiles are those that are printed, with the names that they have in machine-readable output, in microseconds.
var Percentiles = []struct {
	Percent float64
	Name    string
}{{50, "p50_usec"}, {99, "p99_usec"}, {99.9, "p99.9_usec"}}

// Latencies is a histogram of the times of single messages. It goes from process to process as a text, the compressed
// form that all HdrHistograms have. One goroutine uses it at a time.
type Latencies struct{ h *hdrhistogram.Histogram }

// NewLatencies makes an empty one, of some 200 KiB. Record allocates nothing.
func NewLatencies() *Latencies {
	return &Latencies{h: hdrhistogram.New(shortest, longest, digits)}
}

// Record adds the time of a message. What is longer than a minute counts as one.
func (l *Latencies) Record(d time.Duration) {
	l.h.RecordValue(min(max(int64(d), shortest), longest)) //nolint:errcheck // it is in the range
}

// Add adds those of another histogram.
func (l *Latencies) Add(from *Latencies) { l.h.Merge(from.h) }

// Count is how many there are.
func (l *Latencies) Count() int64 {
	if l == nil {
		return 0
	}
	return l.h.TotalCount()
}

// Micros gives a percentile in microseconds. It is not known where fewer than Beyond latencies lie above it.
func (l *Latencies) Micros(percent float64) (v float64, known bool) {
	if l == nil || float64(l.h.TotalCount())*(100-percent)/100 < Beyond-1e-6 {
		return 0, false
	}
	return float64(l.h.ValueAtPercentile(percent)) / 1e3, true
}

// MarshalText gives the text.
func (l *Latencies) MarshalText() ([]byte, error) {
	return l.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// UnmarshalText reads it.
func (l *Latencies) UnmarshalText(text []byte) error {
	h, err := hdrhistogram.Decode(text)
	if err != nil {
		return err
	}
	l.h = h
	return nil
}
