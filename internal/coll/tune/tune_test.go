package tune

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/coll"
)

// model is a network: what an algorithm costs by rounds and by bytes.
func model(t Trial) (time.Duration, error) {
	n, bytes := float64(t.Members), float64(t.Bytes)
	switch t.Alg {
	case coll.RecursiveDoubling:
		return time.Duration(1000 + 3*bytes), nil
	case coll.Ring:
		return time.Duration(4000*(n-1) + bytes), nil
	case coll.SegmentedRing:
		return time.Duration(20_000*n + bytes*(0.5+float64(t.Segment)/1e6)), nil
	}
	return time.Duration(1e6 + 1000*bytes), nil
}

// TestTable: from times of a model comes the table that belongs to it, and every choice is one of the fastest.
func TestTable(t *testing.T) {
	s := Search{Colls: []coll.Coll{coll.Allreduce}, Members: []int{2, 4, 6}, Bytes: Powers(8, 1<<20), Segments: []int{4 << 10, 64 << 10}}
	samples, err := s.Run(model)
	if err != nil {
		t.Fatal(err)
	}
	table := Table(samples)
	if again := Table(samples); !slices.Equal(again, table) {
		t.Errorf("another table the second time:\n%v%v", table, again)
	}
	read, err := coll.ParseTable(table.String())
	if err != nil || !slices.Equal(read, table) {
		t.Fatalf("%v is read as %v, %v", table, read, err)
	}
	for _, x := range samples {
		a, err := x.Args(0, 8)
		if err != nil {
			t.Fatal(err)
		}
		got := Trial{Coll: x.Coll, Alg: table.Choose(a), Members: x.Members, Bytes: x.Bytes, Segment: 4 << 10}
		if took, _ := model(got); float64(took) > worth*float64(x.Time) {
			t.Errorf("%d members, %d bytes: %v takes %v, %v %v\n%v", x.Members, x.Bytes, got.Alg, took, x.Alg, x.Time, table)
		}
	}
	algs := func(members int) (out []string) {
		for _, r := range table {
			if members >= r.MinMembers && (r.MaxMembers == 0 || members <= r.MaxMembers) {
				out = append(out, r.Alg.String())
			}
		}
		return out
	}
	if got := algs(2); !slices.Equal(got, []string{"recursive-doubling", "ring", "segmented-ring"}) {
		t.Errorf("of 2 members: %v\n%v", got, table)
	}
	if got := algs(100); !slices.Equal(got, algs(6)) {
		t.Errorf("of 100 members: %v, of 6: %v", got, algs(6))
	}
}

// TestNoise: what differs by a few hundredths makes no rules.
func TestNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	s := Search{Colls: []coll.Coll{coll.Alltoall}, Members: []int{2, 4, 8}, Bytes: Powers(8, 1<<16)}
	samples, err := s.Run(func(t Trial) (time.Duration, error) {
		if t.Alg == coll.Bruck {
			return time.Duration(5000 + t.Bytes*2), nil
		}
		base := float64(1000 + t.Bytes)
		if t.Alg == coll.Scattered {
			base *= 0.97
		}
		return time.Duration(base * (1 + 0.02*rnd.Float64())), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := Table(samples).String(); got != "alltoall scattered\n" {
		t.Errorf("%q", got)
	}
}

// TestGiveUp: what is hopeless is not tried with more bytes, and what does not serve is not tried at all.
func TestGiveUp(t *testing.T) {
	s := Search{Colls: []coll.Coll{coll.Barrier, coll.Allgather}, Members: []int{6}, Bytes: []int{8, 16, 32}, GiveUp: 2}
	samples, err := s.Run(func(t Trial) (time.Duration, error) {
		switch t.Alg {
		case coll.Ring: // falls behind
			return time.Duration(t.Bytes * t.Bytes), nil
		case coll.Bruck: // stays behind
			return 70, nil
		}
		return 8, nil
	})
	var got []string
	for _, x := range samples {
		got = append(got, x.Alg.String())
	}
	if want := "dissemination ring bruck linear ring bruck linear bruck linear"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestWrongSearch: errors say what they are about.
func TestWrongSearch(t *testing.T) {
	bad := errors.New("a member is gone")
	for _, c := range []struct {
		s    Search
		want string
	}{
		{Search{Colls: []coll.Coll{coll.Reduce}, Members: []int{2}, Bytes: []int{16, 8}}, "ascending"},
		{Search{Colls: []coll.Coll{coll.Gatherv}, Members: []int{2}, Bytes: []int{8}}, "without a Vector"},
		{Search{Colls: []coll.Coll{coll.Reduce}, Members: []int{2}, Bytes: []int{8}}, "reduce by binomial, 2 members, 8 bytes: a member is gone"},
	} {
		if _, err := c.s.Run(func(Trial) (time.Duration, error) { return 0, bad }); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q in it", c.s, err, c.want)
		}
	}
}

// TestArgs: a trial of some bytes is of so many as tables count.
func TestArgs(t *testing.T) {
	for _, c := range []coll.Coll{coll.Alltoall, coll.Allreduce, coll.Gather, coll.Scan} {
		for _, n := range []int{8, 1 << 10, 1 << 20} {
			a, err := Trial{Coll: c, Members: 4, Bytes: n}.Args(1, 2)
			if err != nil || a.Bytes() != n || a.Rank != 1 {
				t.Errorf("%v of %d bytes: %+v, %v", c, n, a, err)
			}
		}
	}
}
