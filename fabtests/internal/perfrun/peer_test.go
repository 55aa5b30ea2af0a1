package perfrun

import (
	"strings"
	"testing"
)

func TestPingPongMicros(t *testing.T) {
	out := "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n" +
		"64      2k      =2k      250k        1.20s      0.21     298.93       0.00\n"
	if v, err := pingPongMicros(out); err != nil || v != 298.93 {
		t.Error(v, err)
	}
	for _, bad := range []string{"", "bytes usec/xfer\n", "bytes usec/xfer\n64 x\n", "64 1\n", "bytes usec/xfer\n64 0\n"} {
		if v, err := pingPongMicros(bad); err == nil {
			t.Errorf("%q gives %v", bad, v)
		}
	}
}

func TestUCXMicros(t *testing.T) {
	out := "| Stage | # iterations |\n[thread 0] 197 1904.771 2536.439 2536.439 0.02 0.02 394 394\n" +
		"Final: 2000 0.567 101.794 1308.840 0.60 0.05 9824 764\n"
	if v, err := ucxMicros(out, true); err != nil || v != 1308.84 {
		t.Error(v, err)
	}
	if v, err := ucxMicros(out, false); err != nil || v != 1e6/764. {
		t.Error(v, err)
	}
	for _, bad := range []string{"", "Final: 1 2 3\n", "Final: a b c d e f g h i\n", "Final: 0 0 0 0 0 0 0 0 0\n"} {
		if v, err := ucxMicros(bad, true); err == nil {
			t.Errorf("%q gives %v", bad, v)
		}
	}
}

func TestMPIRows(t *testing.T) {
	rows, err := mpiRows("a word of the launcher\nS 8 1000 1.5 2.5\nL 8" + strings.Repeat(" 1500", 30) + "\n")
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if m, c := rows[0].MicrosPerXfer(), rows[0].CPUMicrosPerXfer(); m != 1.5 || c != 2.5 || rows[0].Iterations != 1000 {
		t.Errorf("%+v: %v %v", rows[0], m, c)
	}
	if v, known := rows[1].Latencies.Micros(50); !known || v < 1.49 || v > 1.51 || rows[1].Elapsed != 0 {
		t.Errorf("the median is %v, %v", v, known)
	}
	for _, bad := range []string{"", "S x 1 1 1\n", "S 8 1\n", "L 8 x\n"} {
		if rows, err := mpiRows(bad); err == nil {
			t.Errorf("%q gives %v", bad, rows)
		}
	}
}
