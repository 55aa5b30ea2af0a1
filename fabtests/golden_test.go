package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOutputShapes compares what programs print with golden files in which numbers are masked: columns, words and their
// places are what scripts of users rely on.
func TestOutputShapes(t *testing.T) {
	for name, args := range map[string]string{
		"pingpong":  "rdm_pingpong --local -p mem -I 10 -S l:1,64,1536,1m --starts 1",
		"machine":   "rdm_bw --local -p mem -I 10 -S l:64,1k -m --starts 1",
		"json":      "rdm_bw --local -p mem -I 10 -S 64 --json --starts 1",
		"atomic":    "rdm_atomic --local -p mem -I 2 -o sum",
		"peek":      "rdm_tagged_peek --local --both -p mem",
		"av_test":   "av_test -p mem",
		"cq_test":   "cq_test -p mem -L 10",
		"getinfo":   "getinfo_test -p mem",
		"cq_empty":  "cq_empty -p mem -I 100 --starts 1",
		"help":      "help",
		"help_bw":   "help rdm_bw",
		"help_perf": "help perf",
		"multi_mr":  "multi_mr --local --both -p mem -c 1 -v",
		"unmatched": "rdm --local -p mem -e dgram -d lo",
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			p := &program{ctx: context.Background(), out: &out, err: &errs}
			code := p.main(strings.Fields(args))
			got := "$ fabtests " + args + "\n" + mask(out.String())
			if errs.Len() > 0 && code != 0 {
				got += "--- standard error, status " + mask("#") + "\n" + mask(errs.String())
			}
			file := filepath.Join("testdata", "golden", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("go test ./fabtests -run TestOutputShapes -update, if that is wanted (-want +got):\n%s", d)
			}
		})
	}
}

var (
	measured = regexp.MustCompile(`(?m) +\d+\.\d\ds +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d$`) // the columns from time on
	number   = regexp.MustCompile(` *\d+\.\d\d`)
	elapsed  = regexp.MustCompile(`\d+\.\d{6}`)
	values   = regexp.MustCompile(`(?m) +\d+(\.\d+)? (ns|us)$`)
	jsonNums = regexp.MustCompile(`"(time|mb_per_sec|usec_per_xfer|mxfers_per_sec|value)":[\d.e+-]+`)
	facts    = regexp.MustCompile(`"machine":\{.*\}\}`)
	source   = regexp.MustCompile(`go:\d+,`)
	argv     = regexp.MustCompile(`(?m)^fabtests.* :$`)
	combos   = regexp.MustCompile(`\(\d+\)\(\d+\)/`) // of hints that match and that do not
	servers  = regexp.MustCompile(`(?m)^server: .*\n`)
	others   = regexp.MustCompile(`(shm|tcp): [^;\n]*; `) // what providers that are not everywhere say
)

// mask replaces what differs from run to run: times and rates, facts of the machine, the order of the two sides.
func mask(s string) string {
	last := strings.Join(servers.FindAllString(s, -1), "")
	s = servers.ReplaceAllString(s, "") + last
	s = argv.ReplaceAllString(s, "fabtests # :")
	s = combos.ReplaceAllString(s, "(#)(#)/")
	s = values.ReplaceAllString(s, " # $2")
	s = jsonNums.ReplaceAllString(s, `"$1":#`)
	s = facts.ReplaceAllString(s, `"machine":{#}}`)
	s = elapsed.ReplaceAllString(s, "#")
	s = measured.ReplaceAllStringFunc(s, func(row string) string {
		return number.ReplaceAllStringFunc(row, func(n string) string { return strings.Repeat(" ", len(n)-1) + "#" })
	})
	s = others.ReplaceAllString(s, "")
	return source.ReplaceAllString(s, "go:#,")
}
