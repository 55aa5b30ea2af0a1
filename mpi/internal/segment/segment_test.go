package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// wakers is a Waiter of members that are goroutines; whoever waits dozes at its third turn.
type wakers struct {
	wake  chan struct{}
	peers []*wakers
}

func (w *wakers) Idle(ctx context.Context, s *Segment, member, turn int) error {
	if turn%4 != 3 {
		runtime.Gosched()
		return ctx.Err()
	}
	if !s.Doze(member) {
		return nil
	}
	select {
	case <-w.wake:
	case <-ctx.Done():
		if !s.Up() {
			<-w.wake
		}
	}
	return ctx.Err()
}

func (w *wakers) Wake(member int) { w.peers[member].wake <- struct{}{} }

// team makes the members of a segment.
func team(t testing.TB, n int) []*Segment {
	mem := make([]byte, Size(n)+page)
	peers := make([]*wakers, n)
	for i := range peers {
		peers[i] = &wakers{make(chan struct{}, 1), peers}
	}
	out := make([]*Segment, n)
	for i := range out {
		var err error
		if out[i], err = New(mem, n, i, peers[i]); err != nil {
			t.Fatal(err)
		}
		out[i].Join()
	}
	for _, s := range out {
		s.Settle()
	}
	return out
}

// all runs f for each member.
func all(t testing.TB, n int, f func(s *Segment) error) {
	t.Helper()
	var members sync.WaitGroup
	for _, s := range team(t, n) {
		members.Go(func() {
			if err := f(s); err != nil {
				t.Errorf("member %d: %v", s.rank, err)
				s.Spoil()
			}
		})
	}
	members.Wait()
}

func operand(seed uint64, member, n int) []byte {
	b := make([]byte, n+7)
	x := 1000*seed + uint64(member) + 1
	for i := 0; i < n; i += 8 {
		x = x*0x9e3779b97f4a7c15 + 0x1234567
		binary.NativeEndian.PutUint64(b[i:], x)
	}
	return b[:n:n]
}

// chain is an operation that shows the order: 3·a + b.
func chain(dst, a, b []byte) {
	for i := range dst {
		dst[i] = 3*a[i] + b[i]
	}
}

func folded(seed uint64, members, n int) []byte {
	acc := operand(seed, 0, n)
	for m := 1; m < members; m++ {
		chain(acc, acc, operand(seed, m, n))
	}
	return acc
}

// Random operations one after the other, with nothing between that would keep the members in step.
func TestOperations(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			all(t, n, func(s *Segment) error {
				r := rand.New(rand.NewPCG(uint64(n), 7)) // the same at all
				sizes := []int{0, 1, 8, 40, 41, 500, 3000, s.Area() - 1, s.Area() + 8, 2*s.Area() + 100}
				for i := range uint64(60) {
					kind, size, root := Kind(r.IntN(5)), sizes[r.IntN(len(sizes))], r.IntN(n)
					if !s.Serves(kind, size, 1) {
						continue
					}
					if err := one(s, kind, i, size, root, r.IntN(2) == 0); err != nil {
						return fmt.Errorf("operation %d, kind %d of %d bytes, root %d: %w", i, kind, size, root, err)
					}
				}
				return nil
			})
		})
	}
}

func one(s *Segment, kind Kind, seed uint64, size, root int, place bool) error {
	in := operand(seed, s.rank, size)
	task := Task{Kind: kind, Root: root, In: in, Out: make([]byte, size), Size: 1, Kernel: chain, Signature: seed}
	want := folded(seed, s.members, size)
	switch kind {
	case Barrier:
		task.In, task.Out, want = nil, nil, nil
	case Bcast:
		task.In, task.Out, want = nil, operand(seed, s.rank, size), operand(seed, root, size)
	case Reduce, Allreduce:
		if place {
			task.Out = in
		}
	case Allgather:
		task.Out, want = make([]byte, size*s.members), nil
		for m := range s.members {
			want = append(want, operand(seed, m, size)...)
		}
		if place {
			copy(task.Out[s.rank*size:], in)
			task.In = task.Out[s.rank*size:][:size]
		}
	}
	s.Begin(&task)
	if err := task.Run(context.Background()); err != nil {
		return err
	}
	if (kind != Reduce || s.rank == root) && !bytes.Equal(task.Out, want) {
		return errors.New("wrong result")
	}
	return nil
}

// Nobody leaves a barrier before all have come.
func TestBarrier(t *testing.T) {
	const n, rounds = 4, 300
	var mu sync.Mutex
	count := 0
	all(t, n, func(s *Segment) error {
		for i := 1; i <= rounds; i++ {
			mu.Lock()
			count++
			mu.Unlock()
			task := Task{Kind: Barrier}
			s.Begin(&task)
			if err := task.Run(context.Background()); err != nil {
				return err
			}
			mu.Lock()
			now := count
			mu.Unlock()
			if now < i*n {
				return fmt.Errorf("left barrier %d when %d of %d had come", i, now, i*n)
			}
		}
		return nil
	})
}

// A context ends the wait; the operation can be gone on with.
func TestInterrupted(t *testing.T) {
	members := team(t, 2)
	in, out := make([]byte, 8), make([]byte, 8)
	binary.NativeEndian.PutUint64(in, 5)
	task := Task{Kind: Allreduce, In: in, Out: out, Size: 8, Kernel: chain}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	members[0].Begin(&task)
	if err := task.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	other := Task{Kind: Allreduce, In: in, Out: make([]byte, 8), Size: 8, Kernel: chain}
	members[1].Begin(&other)
	if err := other.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := task.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, other.Out) || out[0] != 20 {
		t.Error(out, other.Out)
	}
}

// Who calls something else is found out, and nobody hangs.
func TestMismatch(t *testing.T) {
	const n = 3
	var mu sync.Mutex
	found := map[error]int{}
	var members sync.WaitGroup
	for _, s := range team(t, n) {
		members.Go(func() {
			task := Task{Kind: Barrier, Signature: uint64(s.rank / 2)}
			var err error
			for range 3 {
				s.Begin(&task)
				if err = task.Run(context.Background()); err != nil {
					break
				}
			}
			mu.Lock()
			found[err]++
			mu.Unlock()
		})
	}
	members.Wait()
	if found[ErrMismatch] == 0 || found[ErrMismatch]+found[ErrSpoiled] != n {
		t.Error(found)
	}
}

func TestFastPathAllocs(t *testing.T) {
	s := team(t, 1)[0]
	task := Task{Kind: Barrier}
	if n := testing.AllocsPerRun(100, func() {
		s.Begin(&task)
		s.publish(s.step, 0)
		_ = s.await(context.Background(), 0, s.step, 0)
		_ = s.awaitAll(context.Background(), s.step, 0)
		_ = s.clear(context.Background(), s.step)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestUsers(t *testing.T) {
	members := team(t, 2)
	members[0].Leave()
	if n := members[1].Users(); n != 1 {
		t.Errorf("%d users, want 1", n)
	}
	if _, err := New(nil, 2, 0, nil); err == nil {
		t.Error("a segment in no memory")
	}
	if _, err := New(nil, MaxMembers+1, 0, nil); err == nil {
		t.Error("a segment of too many")
	}
}
