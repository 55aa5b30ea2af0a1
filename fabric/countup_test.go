package fabric

import "testing"

func TestCountUp(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		want string
	}{
		{"10.0.0.1", 1, "10.0.0.2"}, {"10.0.0.255", 1, "10.0.1.0"}, {"10.0.0.1", 1 << 16, "10.1.0.1"}, {"255.255.255.255", 1, ""},
		{"fe80::ffff", 1, "fe80::1:0"}, {"node07", 5, "node12"}, {"node99", 1, "node100"}, {"node", 1, ""}, {"9", 3, "12"},
	} {
		if got, err := countUp(c.name, c.n); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("countUp(%q, %d) = %q, %v, want %q", c.name, c.n, got, err, c.want)
		}
	}
}
