package runner

import (
	"strings"
	"testing"
)

// TestExcludes: a list by commas, and a file with remarks.
func TestExcludes(t *testing.T) {
	list, err := ParseExcludes("fi_rdm$, ^fi_msg_ ,")
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	file, err := ReadExcludes("x", strings.NewReader("# a remark\n\n  rma_bw.*writedata  \n"))
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	all := append(list, file...)
	for title, want := range map[string]bool{"fi_rdm": true, "fi_rdm -U": false, "fi_msg": false, "fi_msg_bw -I 5": true,
		"fi_rma_bw -e rdm -o writedata -I 5": true, "fi_rma_bw -e rdm -o write -I 5": false} {
		if got := excluded(all, title); got != want {
			t.Errorf("%s: %v", title, got)
		}
	}
}

// TestBadExcludes names what is wrong, where.
func TestBadExcludes(t *testing.T) {
	if _, err := ParseExcludes("fi_rdm,(x"); err == nil || err.Error() != `"(x" is no regular expression: missing closing ): `+"`(x`" {
		t.Error(err)
	}
	_, err := ReadExcludes("my.exclude", strings.NewReader("fi_rdm\n# well\nfi_[\n"))
	if err == nil || !strings.HasPrefix(err.Error(), `my.exclude:3: "fi_[" is no regular expression: missing closing ]`) {
		t.Error(err)
	}
	if _, err := ReadExcludes("my.exclude", strings.NewReader(strings.Repeat("x", 1<<20))); err == nil || !strings.HasPrefix(err.Error(), "my.exclude: ") {
		t.Error(err)
	}
}
