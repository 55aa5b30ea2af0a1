package multinode

import (
	"encoding/binary"
	"fmt"
)

// span is when a transfer began and ended, in nanoseconds of the system's clock; 0: there was none.
type span struct{ start, end int64 }

// analyze prints how long the transfers of each iteration took, with -T.
func (nd *node) analyze() error {
	if !nd.own.timing {
		return nil
	}
	fmt.Fprintf(nd.out, "%-10s %16s %16s %16s %16s\n", "Iteration", "Min Send (ns)", "Max Send (ns)", "Pattern Time(ns)", "Average Send(ns)")
	var total summary
	n := nd.job.n
	for i := range len(nd.timers) / n {
		var b []byte
		for _, t := range nd.timers[i*n:][:n] {
			b = binary.NativeEndian.AppendUint64(b, uint64(t.start))
			b = binary.NativeEndian.AppendUint64(b, uint64(t.end))
		}
		all, err := nd.job.allGather(b)
		if err != nil {
			return err
		}
		s := summarize(all)
		fmt.Fprintf(nd.out, "%-10d %16d %16d %16d %16.3f\n", i, int64(s.least), int64(s.most), int64(s.whole), s.sum/max(s.count, 1))
		total.least += s.least
		total.most += s.most
		total.whole += s.whole
		total.sum += s.sum
		total.count += s.count
	}
	rounds := float64(max(len(nd.timers)/n, 1))
	fmt.Fprintf(nd.out, "%-10s %16.3f %16.3f %16.3f %16.3f\n", "Average", total.least/rounds, total.most/rounds, total.whole/rounds, total.sum/max(total.count, 1))
	return nil
}

// summary is what the spans of an iteration come to, in nanoseconds.
type summary struct{ least, most, whole, sum, count float64 }

// summarize reads the spans of all ranks.
func summarize(all []byte) summary {
	var s summary
	var first, last int64
	for ; len(all) > 0; all = all[16:] {
		t := span{int64(binary.NativeEndian.Uint64(all)), int64(binary.NativeEndian.Uint64(all[8:]))}
		if t.start == 0 || t.end == 0 {
			continue
		}
		took := float64(t.end - t.start)
		if s.count == 0 || took < s.least {
			s.least = took
		}
		s.most = max(s.most, took)
		if s.count == 0 || t.start < first {
			first = t.start
		}
		last = max(last, t.end)
		s.sum += took
		s.count++
	}
	s.whole = float64(last - first)
	return s
}
