package options

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

func TestParseSizes(t *testing.T) {
	for text, want := range map[string][]int{
		"64": {64}, "4k": {4096}, "1M": {1 << 20}, "2g": {2 << 30}, "0": {0},
		"r:1,3,10": {1, 4, 7, 10}, "r:0,64,64": {0, 64}, "l:1,1k,3": {1, 1024, 3},
	} {
		got, err := ParseSizes(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "x", "-1", "1.5k", "k", "r:1,2", "r:1,0,4", "r:4,1,1", "r:0,1,99999999", "l:", "l:1,,2", "99999999999999999999", "9999999999g"} {
		if got, err := ParseSizes(bad); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
	if _, err := ParseSizes("8,4k"); err == nil || !strings.Contains(err.Error(), "a list is l:8,4k") {
		t.Error(err)
	}
	all := AllSizes()
	if len(all) != 46 || all[0] != 1 || all[3] != 4 || all[4] != 6 || all[45] != 8<<20 || !slices.IsSorted(all) {
		t.Errorf("all sizes: %v", all)
	}
}

func TestCount(t *testing.T) {
	o := New()
	for size, want := range map[int]int{1: 10000, 1<<16 - 1: 10000, 1 << 16: 1000, 1<<20 - 1: 1000, 1 << 20: 100, 8 << 20: 100} {
		if a, b := o.Count(size), o.StreamCount(size); a != want || b != 2*want {
			t.Errorf("%d bytes: %d and %d iterations, want %d and twice that", size, a, b, want)
		}
	}
	o.Iterations = 7
	if o.StreamCount(1) != 7 {
		t.Error("-I does not count")
	}
	if got := o.SizeList(2000); !slices.Equal(got, []int{64, 256, 1024}) {
		t.Errorf("sizes up to 2000: %v", got)
	}
}

// parse reads a command line.
func parse(o *Options, own []cli.Option, line string) ([]string, error) {
	c := &cli.Command{Name: "test", Options: o.Table(own)}
	return c.Parse(FillOptional(strings.Fields(line)))
}

// TestCommonOptions reads every common option in libfabric's spelling.
func TestCommonOptions(t *testing.T) {
	o := New()
	rest, err := parse(o, nil, "-B 1 -P 2 -s here -b -O oob -F fi_addr_str -a av -f fab -d dom -p shm -e dgram -K -Q -C 3 -M mr_local "+
		"-I 5 -w 2 -S l:1,2 -m -l -t counter -c sread -o read -U -v -k -j 16 -W 8 -r -H -V "+
		"--pin-core 0,2-4 --timeout 1.5 --debug-assert --data-progress manual --control-progress auto --max-msg-size 4k --use-fi-more "+
		"--threading safe --no-rx-cq-data --expect-error FI_ENODATA --sync-comp transmit_complete "+
		"--peer-version 1.17 --local --starts 4 --json --both --touch --alloc --road bulk --one-way --no-pin server")
	if err != nil || !slices.Equal(rest, []string{"server"}) {
		t.Fatal(rest, err)
	}
	o.touched = nil
	want := &Options{SrcPort: "1", DstPort: "2", SrcAddr: "here", OOBSync: true, OOBAddr: true, OOBPort: "3000", OOBHost: "oob", Connections: 3,
		AVName: "av", Fabric: "fab", Domain: "dom", Provider: "shm", EPType: fi.EPDgram, AddrFormat: fi.AddrFormatStr, NoMRLocal: true, Fork: true,
		HMEM: true, Prefix: true, Iterations: 5, Warmup: 2, Sizes: []int{1, 2}, Window: 8, InjectSize: 16, Counters: true, Wait: WaitSRead,
		Op: "read", Delivery: true, Verify: true, NoPrepost: true, Align: true, Threading: fi.ThreadSafe, DataProgress: fi.ProgressManual,
		ControlProgress: fi.ProgressAuto, MaxMsgSize: 4096, UseMore: true, NoRxCQData: true, SyncComp: fi.OpTransmitComplete, PeerVersion: 117, Local: true,
		Starts: 4, Touch: true, Alloc: true, Road: "bulk", OneWay: true, Unpinned: true, PinCore: []int{0, 2, 3, 4}, Procs: 4,
		Timeout: 1500 * time.Millisecond, ExpectErr: fi.ErrNoData, Debug: true, Machine: true, JSON: true, Verbose: true, Both: true}
	if d := cmp.Diff(want, o, cmp.AllowUnexported(Options{})); d != "" {
		t.Error(d)
	}
	if o.MRMode()&fi.MRModeLocal != 0 || New().MRMode()&fi.MRModeLocal == 0 {
		t.Error("-M mr_local")
	}
}

// TestUntilClient: a server that waits for ever does so unless it was told how long.
func TestUntilClient(t *testing.T) {
	for line, want := range map[string]time.Duration{"-V": 0, "--timeout 3": 3 * time.Second, "--timeout 0": 0} {
		o := New()
		if _, err := parse(o, nil, line); err != nil || o.UntilClient() != want {
			t.Errorf("%s: %v %v", line, err, o.UntilClient())
		}
	}
}

func TestBadValues(t *testing.T) {
	for _, line := range []string{"-e stream", "-t queues", "-c poll", "-M scalable", "--threading none", "--data-progress never", "--sync-comp done",
		"-W 0", "-I x", "--timeout -1", "--timeout soon", "--pin-core 2-1", "--pin-core a", "--expect-error EVERYTHING", "-j many", "-F ip", "--road air", "-D gpu", "--peer-version 3"} {
		_, err := parse(New(), nil, line)
		if _, ok := errors.AsType[*cli.UsageError](err); !ok || !strings.Contains(err.Error(), "option '--") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestOptionalValues(t *testing.T) {
	for line, port := range map[string]string{"-b": "3000", "-b=7": "7", "--oob": "3000", "--oob=8": "8", "-E": "3000", "-E=9": "9"} {
		o := New()
		if _, err := parse(o, nil, line); err != nil || o.OOBPort != port || !o.OOBAddr || o.OOBSync == strings.HasPrefix(line, "-E") {
			t.Errorf("%s: %v %+v", line, err, o)
		}
	}
	if got := FillOptional([]string{"--", "-b"}); got[1] != "-b" {
		t.Error("what stands behind -- is no option")
	}
}

// TestOwnOptionsWin checks that a scenario takes a letter or a name away from the common options.
func TestOwnOptionsWin(t *testing.T) {
	o := New()
	own := false
	table := []cli.Option{{Short: 'M', Long: "recvmsg", Set: On(&own)}, {Long: "local", Set: On(&own)}}
	if _, err := parse(o, table, "-M --mode mr_local --local"); err != nil || !own || o.Local || !o.NoMRLocal {
		t.Errorf("%v %v %+v", err, own, o)
	}
	groups := 0
	for _, c := range o.Table(table) {
		if c.Group == "Running" {
			groups++
		}
	}
	if groups != 1 {
		t.Errorf("%d headings of the group whose first option was taken", groups)
	}
	if !o.Given("mode") || o.Given("size") {
		t.Error("Given")
	}
}

// TestCounts: a list of -I has a number for each size, of streams, too.
func TestCounts(t *testing.T) {
	o := New()
	if err := o.setIterations("l:500,20"); err != nil {
		t.Fatal(err)
	}
	if o.CheckCounts() == nil {
		t.Error("two numbers go with no size")
	}
	o.Sizes = []int{8, 1 << 20}
	if err := o.CheckCounts(); err != nil {
		t.Error(err)
	}
	if a, b, c := o.Count(8), o.Count(1<<20), o.StreamCount(8); a != 500 || b != 20 || c != 500 {
		t.Error(a, b, c)
	}
	if err := o.setIterations("7"); err != nil || o.Count(8) != 7 || o.StreamCount(1<<20) != 7 {
		t.Errorf("%v: one number after a list: %d", err, o.Count(8))
	}
	if err := o.setIterations("500,20"); err == nil || !strings.Contains(err.Error(), "a list is l:500,20") {
		t.Error(err)
	}
	for _, bad := range []string{"l:", "l:1,0", "l:1,x", "x", "0"} {
		if o.setIterations(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
