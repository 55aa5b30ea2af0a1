package shm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/testx/together"
	"github.com/gofabric/gofabric/providers/shm"
)

// TestCollectives does everything with groups of 1 to 16 members.
func TestCollectives(t *testing.T) {
	most := 16
	if osx.RaceEnabled {
		most = 5 // the others take the same ways, and minutes
	}
	for n := 1; n <= most; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { together.Everything(t, together.Open(t, shm.New(), n, together.Options{})) })
	}
	together.Suite(t, func() driver.Provider { return shm.New() })
}

// TestCollectiveKilled kills a member.
func TestCollectiveKilled(t *testing.T) { together.Killed(t, shm.New()) }

// TestCollectiveAllocations: the second and later calls of a kind make nothing anew.
func TestCollectiveAllocations(t *testing.T) {
	if osx.RaceEnabled {
		t.Skip("known: the race detector allocates")
	}
	ms := together.Open(t, shm.New(), 2, together.Options{Domain: fi.DomainAttr{Progress: fi.ProgressManual, Threading: fi.ThreadDomain}})
	var at [2]fi.Addr
	together.Each(t, ms, func(m *together.Member) (err error) {
		at[m.Rank], err = m.All()
		return err
	})
	var entries [4]cq.Entry
	in, out, ctx := make([]byte, 64), [2][]byte{make([]byte, 64), make([]byte, 64)}, new(int)
	both := func(post func(m *together.Member) error) {
		var done [2]int
		for _, m := range ms {
			if err := post(m); err != nil {
				t.Fatal(err)
			}
		}
		for end := time.Now().Add(together.Patience); done != [2]int{1, 1}; {
			for i, m := range ms {
				if n, err := m.Tx.Read(entries[:]); err == nil {
					done[i] += n
				}
			}
			if time.Now().After(end) {
				t.Fatal("no completions")
			}
		}
	}
	for name, post := range map[string]func(m *together.Member) error{
		"barrier": func(m *together.Member) error { return m.EP.Barrier(at[m.Rank], ctx) },
		"allreduce": func(m *together.Member) error {
			return m.EP.Allreduce(in, out[m.Rank], at[m.Rank], fi.TypeUint64, fi.AtomicSum, 0, ctx)
		},
		"broadcast": func(m *together.Member) error {
			return m.EP.Broadcast(out[m.Rank], at[m.Rank], m.Addrs[1], fi.TypeUint8, 0, ctx)
		},
	} {
		for range 10 {
			both(post)
		}
		if n := testing.AllocsPerRun(200, func() { both(post) }); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
