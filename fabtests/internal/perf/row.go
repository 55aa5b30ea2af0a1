package perf

import (
	"strconv"
	"time"
)

// Row is one measurement: a number of transfers of one size, and how long they took; or, when it has a unit, just a value.
type Row struct {
	Name       string        `json:"name,omitempty"` // a variant; empty where size says all
	Size       int           `json:"size"`           // bytes of a transfer
	Iterations int           `json:"iterations"`
	PerIter    int           `json:"per_iter"`      // transfers an iteration: 2 for a ping-pong, 1 one way
	Elapsed    time.Duration `json:"elapsed"`       // nanoseconds in JSON
	CPU        time.Duration `json:"cpu,omitempty"` // processor time of the process meanwhile; 0: not known

	// Latencies are those of single messages; nil where only the mean was measured.
	Latencies *Latencies `json:"latencies,omitempty"`

	Value float64 `json:"value,omitempty"` // less is better
	Unit  string  `json:"unit,omitempty"`  // "ns", "us", "%", "bytes"; the fields from Size to Elapsed do not count then
}

// better tells whether r is a better result than s.
func (r Row) better(s Row) bool {
	if r.Unit != "" {
		return r.Value < s.Value
	}
	return r.MicrosPerXfer() < s.MicrosPerXfer()
}

// Bytes is what was transferred in all.
func (r Row) Bytes() int64 { return int64(r.Iterations) * int64(r.Size) * int64(r.PerIter) }

// Micros is the whole time in microseconds.
func (r Row) Micros() float64 { return float64(max(r.Elapsed, 1)) / 1e3 }

// MBPerSec is the rate in 10^6 bytes a second.
func (r Row) MBPerSec() float64 { return float64(r.Bytes()) / r.Micros() }

// MicrosPerXfer is the time of one transfer in microseconds.
func (r Row) MicrosPerXfer() float64 {
	return r.Micros() / float64(max(r.Iterations, 1)) / float64(max(r.PerIter, 1))
}

// CPUMicrosPerXfer is the processor time of one transfer in microseconds; 0 where it is not known.
func (r Row) CPUMicrosPerXfer() float64 {
	return float64(r.CPU) / 1e3 / float64(max(r.Iterations, 1)) / float64(max(r.PerIter, 1))
}

// MXfersPerSec is the rate in 10^6 transfers a second.
func (r Row) MXfersPerSec() float64 { return 1 / r.MicrosPerXfer() }

// SizeString prints bytes as fabtests does: "64", "1k", "1.5m", one decimal below ten of a unit.
func SizeString(n int64) string {
	base, unit := int64(1), ""
	switch {
	case n >= 1<<30:
		base, unit = 1<<30, "g"
	case n >= 1<<20:
		base, unit = 1<<20, "m"
	case n >= 1<<10:
		base, unit = 1<<10, "k"
	}
	s := strconv.FormatInt(n/base, 10)
	if tenths := n % base * 10 / base; n/base < 10 && tenths > 0 {
		s += "." + strconv.FormatInt(tenths, 10)
	}
	return s + unit
}

// CountString prints a count as fabtests does: "200", "10k", "2m".
func CountString(n int64) string {
	switch {
	case n >= 1e9:
		return strconv.FormatInt(n/1e9, 10) + "b"
	case n >= 1e6:
		return strconv.FormatInt(n/1e6, 10) + "m"
	case n >= 1e3:
		return strconv.FormatInt(n/1e3, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}
