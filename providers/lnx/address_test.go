package lnx_test

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/providers/lnx"
)

func TestAddress(t *testing.T) {
	const good = "fi_lnx://1/0123456789abcdef/shm=66/tcp=0200aa"
	for in, want := range map[string]string{
		good: good,
		"fi_lnx://1/0123456789abcdef/tcp=0200aa/shm=66": good,
		good + "\x00\x00rubbish":                        good,
		"fi_lnx://1/0123456789abcdef/tcp=0A":            "fi_lnx://1/0123456789abcdef/tcp=0a",
		"":                                              "!does not begin",
		"fi_shm://x":                                    "!does not begin",
		"fi_lnx://2/0123456789abcdef/shm=66":            "!another version",
		"fi_lnx://1/0123456789abcdef":                   "!cut off",
		"fi_lnx://1/0123456789abcde/shm=66":             "!cut off",
		"fi_lnx://1/0123456789abcdeX/shm=66":            "!cut off",
		good[:len(good)-1]:                              "!cut off",
		good + "/":                                      "!cut off",
		good + "/shm=66":                                "!cut off",
		"fi_lnx://1/0123456789abcdef/a+b=66":            "!cut off",
		"fi_lnx://1/0123456789abcdef/a:b=66":            "!cut off",
		"fi_lnx://1/0123456789abcdef/lnx=66":            "!cut off",
		good + "/x=" + strings.Repeat("ab", 300):        "!cut off",
		good + strings.Repeat("/", 2000):                "!",
	} {
		got, err := lnx.CheckParse([]byte(in))
		if text, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %q %v, want an error with %q", in, got, err, text)
			}
		} else if string(got) != want || err != nil {
			t.Errorf("%q: %q %v, want %q", in, got, err, want)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add([]byte("fi_lnx://1/0123456789abcdef/shm=66/tcp=0200aa"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := lnx.CheckParse(raw)
		if err != nil {
			return
		}
		if b, err := lnx.CheckParse(a); err != nil || string(a) != string(b) {
			t.Errorf("%q is %q, and that is %q, %v", raw, a, b, err)
		}
	})
}

func TestLinks(t *testing.T) {
	for in, want := range map[string]string{
		"shm+tcp":                   "shm+tcp",
		" SHM + tcp:eth0:1|tcp:lo ": "shm+tcp:eth0:1|tcp:lo",
		"":                          "!missing",
		"shm+":                      "!missing",
		"shm|":                      "!missing",
		"shm+shm":                   "!twice",
		"lnx+shm":                   "!of its own",
		"shm/tcp":                   "!no provider's name",
		"a+b+c+d+e+f+g+h+i":         "!too many",
	} {
		got, err := lnx.ParseSets(in)
		if text, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %q %v, want an error with %q", in, got, err, text)
			}
		} else if strings.Join(got, "|") != want || err != nil {
			t.Errorf("%q: %q %v, want %q", in, got, err, want)
		}
	}
}
