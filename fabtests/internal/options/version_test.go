package options

import "testing"

func TestVersion(t *testing.T) {
	for text, want := range map[string]Version{"1.17": 117, "v2.6.0": 206, "2.4": 204, "1.8.1": 108} {
		if got, err := ParseVersion(text); got != want || err != nil {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
	if s := Version(122).String(); s != "1.22" {
		t.Error(s)
	}
	for _, bad := range []string{"", "1", "x.y", "1.17.0.1", "0.1", "1.100", "-1.2"} {
		if got, err := ParseVersion(bad); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}
