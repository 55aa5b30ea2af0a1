package perf

import (
	"encoding/json"
	"testing"
	"time"
)

// TestPercentiles: of 1 to 10000 microseconds, with three digits; what has too few beyond it is not known.
func TestPercentiles(t *testing.T) {
	l := NewLatencies()
	for i := range 10000 {
		l.Record(time.Duration(i+1) * time.Microsecond)
	}
	for percent, want := range map[float64]float64{50: 5000, 99: 9900, 99.9: 9990} {
		if v, known := l.Micros(percent); !known || v < want*0.998 || v > want*1.002 {
			t.Errorf("p%v is %v, %v, want %v", percent, v, known, want)
		}
	}
	if v, known := l.Micros(99.99); known {
		t.Errorf("p99.99 of 10000 messages, one of which is beyond it: %v", v)
	}
	var none *Latencies
	if _, known := none.Micros(50); known || none.Count() != 0 {
		t.Error("no histogram has a median")
	}
	l.Record(-1)
	l.Record(time.Hour)
	if n := l.Count(); n != 10002 {
		t.Errorf("%d latencies, want those out of the range, too", n)
	}
}

// TestLatenciesInRow goes the way from a child to its parent, and is added up there.
func TestLatenciesInRow(t *testing.T) {
	sent := row
	sent.Latencies = NewLatencies()
	for range 100 {
		sent.Latencies.Record(250)
	}
	b, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseRaw(b)
	if err != nil {
		t.Fatal(err)
	}
	sum := NewLatencies()
	sum.Add(got.Latencies)
	sum.Add(sent.Latencies)
	if v, known := sum.Micros(50); !known || v != 0.25 || sum.Count() != 200 {
		t.Errorf("the median is %v, %v, of %d", v, known, sum.Count())
	}
	if _, err := ParseRaw([]byte(`{"latencies":"nonsense"}`)); err == nil {
		t.Error("nonsense was read as a histogram")
	}
}

// TestRecordAllocatesNothing: it is called between two messages.
func TestRecordAllocatesNothing(t *testing.T) {
	l := NewLatencies()
	if n := testing.AllocsPerRun(1000, func() { l.Record(1234) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
