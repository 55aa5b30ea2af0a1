package session

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	_ "github.com/gofabric/gofabric/providers/all"
)

func alone(t *testing.T, need Need, set func(*options.Options)) *Session {
	t.Helper()
	o := options.New()
	o.Provider, o.Timeout = "mem", 30*time.Second
	if set != nil {
		set(o)
	}
	s, err := Alone(&scenario.Env{Ctx: context.Background(), Opt: o}, need)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestSelf sends to its own endpoint: sequence numbers, tags and completions agree.
func TestSelf(t *testing.T) {
	s := alone(t, Need{Caps: fi.CapTagged}, func(o *options.Options) { o.Verify, o.Touch = true, true })
	name, err := s.EP.Name()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Insert(name); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := s.Repost(); err != nil {
			t.Fatal(err)
		}
		send := s.Send
		if i%2 == 1 {
			send = s.SendOrInject
		}
		if err := send(100); err != nil {
			t.Fatal(err)
		}
		if err := s.WaitRx(s.RxSeq); err != nil {
			t.Fatal(err)
		}
		if err := s.Inspect(s.Rx[:100]); err != nil {
			t.Fatal(err)
		}
	}
	if s.TxSeq != 5 || s.RxSeq != 5 || s.TxDone != 5 || s.RxDone != 5 {
		t.Errorf("%d %d posted, %d %d done", s.TxSeq, s.RxSeq, s.TxDone, s.RxDone)
	}
	s.Rx[7] = '!'
	if err := s.Inspect(s.Rx[:100]); !errors.Is(err, fi.ErrIO) {
		t.Errorf("wrong data gives %v", err)
	}
}

func TestSlots(t *testing.T) {
	s := alone(t, Need{Caps: fi.CapMsg | fi.CapRMA, Windows: true}, func(o *options.Options) { o.Window, o.Sizes, o.Align, o.Verify = 3, []int{5000}, true, true })
	if s.Slots != 3 || s.Slot%4096 != 0 || s.Slot < 5000 || len(s.TxSlot(2, 5000)) != 5000 {
		t.Errorf("%d slots of %d", s.Slots, s.Slot)
	}
	if got, want := s.target(s.TxSlot(1, 10)).Addr, uint64(s.Slot); got != want {
		t.Errorf("writes from slot 1 go to %d, want %d", got, want)
	}
	if got, want := s.source(s.RxSlot(1, 10)).Addr, uint64(len(s.Rx)+s.Slot); got != want {
		t.Errorf("reads into slot 1 come from %d, want %d", got, want)
	}
	if SlotOf(s.Context(2)) != 2 || SlotOf(nil) != -1 {
		t.Error("contexts")
	}
	if s.MR == nil || s.MR.Len() != uint64(len(s.Rx)+len(s.Tx)) {
		t.Error("the region does not cover both buffers")
	}
}

// TestAlloc uses memory that peers can map.
func TestAlloc(t *testing.T) {
	s := alone(t, Need{Caps: fi.CapMsg | fi.CapRMA}, func(o *options.Options) { o.Alloc = true })
	if gap(s.Rx, 64) != 0 {
		t.Error("the buffers are not aligned to cache lines")
	}
}

func TestSum(t *testing.T) {
	for n := range 100 {
		b := make([]byte, n)
		zero := sum(b)
		for i := range b {
			b[i] = 1
			if sum(b) == zero {
				t.Fatalf("%d bytes: byte %d was not read", n, i)
			}
			b[i] = 0
		}
	}
}

func TestTimeout(t *testing.T) {
	for _, wait := range []options.Wait{options.WaitSpin, options.WaitSRead, options.WaitYield} {
		s := alone(t, Need{Caps: fi.CapMsg}, func(o *options.Options) { o.Timeout, o.Wait = 50*time.Millisecond, wait })
		if err := s.WaitRx(1); !errors.Is(err, fi.ErrTimedOut) {
			t.Errorf("wait %d: %v", wait, err)
		}
	}
}

// TestEnded ends a wait when the other side has failed.
func TestEnded(t *testing.T) {
	cause := errors.New("the other side")
	for _, wait := range []options.Wait{options.WaitSpin, options.WaitSRead} {
		s := alone(t, Need{Caps: fi.CapMsg}, func(o *options.Options) { o.Wait = wait })
		ctx, end := context.WithCancelCause(context.Background())
		s.env.Ctx = ctx
		end(cause)
		if err := s.WaitRx(1); !errors.Is(err, cause) {
			t.Errorf("wait %d: %v", wait, err)
		}
	}
}

// TestLoopsAllocateNothing runs what benchmarks have in their loops.
func TestLoopsAllocateNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known: the provider that allocates nothing is for linux")
	}
	s := alone(t, Need{Caps: fi.CapTagged}, func(o *options.Options) { o.Provider, o.SrcPort = "shm", "" })
	name, err := s.EP.Name()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Insert(name); err != nil {
		t.Fatal(err)
	}
	for what, send := range map[string]func(int) error{"inject": s.SendOrInject, "send": s.Send} {
		once := func() {
			if err := errors.Join(s.Repost(), send(8), s.WaitRx(s.RxSeq)); err != nil {
				t.Error(err)
			}
		}
		for range 100 {
			once()
		}
		if n := testing.AllocsPerRun(1000, once); n != 0 {
			t.Errorf("%s: %v allocations a message", what, n)
		}
	}
}
