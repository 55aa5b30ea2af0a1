package together

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// Suite is what every provider's collectives must do, beside [Everything].
func Suite(t *testing.T, p func() driver.Provider) {
	t.Run("large", func(t *testing.T) {
		if osx.RaceEnabled {
			Large(t, Open(t, p(), 3, Options{}), 4<<10, 40<<10)
			return
		}
		Large(t, Open(t, p(), 5, Options{}), 4<<10, 64<<10, 160<<10)
	})
	t.Run("manual", func(t *testing.T) {
		o := Options{Domain: fi.DomainAttr{Progress: fi.ProgressManual, Threading: fi.ThreadDomain}}
		Everything(t, Open(t, p(), 3, o))
	})
	t.Run("exact", func(t *testing.T) {
		Large(t, Open(t, p(), 3, Options{Caps: fi.CapExactDirectedRecv | fi.CapSource | fi.CapSourceErr}), 4<<10)
	})
	t.Run("groups", func(t *testing.T) { groups(t, Open(t, p(), 4, Options{})) })
	t.Run("keyed", func(t *testing.T) { keyed(t, Open(t, p(), 3, Options{})) })
	t.Run("hidden", func(t *testing.T) { hidden(t, Open(t, p(), 2, Options{})) })
	t.Run("counted", func(t *testing.T) { counted(t, Open(t, p(), 2, Options{Counter: true, Silent: true})) })
	t.Run("wrong", func(t *testing.T) { wrong(t, Open(t, p(), 2, Options{})) })
	t.Run("mismatch", func(t *testing.T) { mismatch(t, Open(t, p(), 2, Options{})) })
	t.Run("death", func(t *testing.T) { death(t, Open(t, p(), 4, Options{})) })
	t.Run("death beside one that is stopped", func(t *testing.T) {
		deathBeside(t, Open(t, p(), 3, Options{Domain: fi.DomainAttr{Progress: fi.ProgressManual}}))
	})
	t.Run("leaving", func(t *testing.T) { leaving(t, Open(t, p(), 3, Options{}), false) })
	t.Run("leaving afterwards", func(t *testing.T) { leaving(t, Open(t, p(), 3, Options{}), true) })
	t.Run("death before joining", func(t *testing.T) { deathBefore(t, Open(t, p(), 3, Options{})) })
}

// groups: many groups of one endpoint at once, asked for in orders that differ between members, with operations of all of
// them under way, and one of a single member.
func groups(t *testing.T, ms []*Member) {
	all := [][]int{{0, 1, 2, 3}, {0, 1}, {3, 2, 1}, {0, 2}, {1, 3, 0}, {0, 1, 2, 3}, {2, 3}}
	Each(t, ms, func(m *Member) error {
		mcs := make([]*fabric.MC, len(all)+1)
		asked := 0
		for i := range all { // of the same members in the same order, but else each member in its own
			i = (i*(m.Rank+1) + m.Rank) % len(all)
			if m.Rank == 3 { // 4 and 7 have no divisor in common, but 3+1 and the 7 of the next do
				i = asked
			}
			asked++
			for _, r := range all[i] {
				if r == m.Rank && i != 5 {
					mc, err := m.Ask(all[i]...)
					if err != nil {
						return err
					}
					mcs[i] = mc
				}
			}
		}
		again, err := m.Ask(all[5]...) // the same set as the first
		if err != nil {
			return err
		}
		mcs[5] = again
		alone, err := m.Ask(m.Rank)
		if err != nil {
			return err
		}
		mcs[len(all)] = alone
		for _, mc := range mcs {
			if mc == nil {
				continue
			}
			if err := m.Joined(mc); err != nil {
				return err
			}
		}
		type sum struct {
			got, want [8]byte
		}
		sums := make([][20]sum, len(mcs))
		for k := range 20 {
			for i, mc := range mcs {
				if mc == nil {
					continue
				}
				s := &sums[i][k]
				members := []int{m.Rank}
				if i < len(all) {
					members = all[i]
				}
				for _, r := range members {
					s.want[0] += byte(r + k + i)
				}
				in := []byte{byte(m.Rank + k + i), 0, 0, 0, 0, 0, 0, 0}
				if err := m.EP.Allreduce(in, s.got[:], mc.Addr(), fi.TypeUint8, fi.AtomicSum, 0, s); err != nil {
					return err
				}
			}
		}
		for i, mc := range mcs {
			if mc == nil {
				continue
			}
			for k := range sums[i] {
				s := &sums[i][k]
				if err := m.Wait(s, nil); err != nil {
					return err
				}
				if s.got != s.want {
					return fmt.Errorf("group %d, operation %d: %v, want %v", i, k, s.got, s.want)
				}
			}
		}
		var errs []error
		for _, mc := range mcs {
			if mc != nil {
				errs = append(errs, mc.Close())
			}
		}
		return errors.Join(errs...)
	})
}

// keyed: the application says who the members are, by a key; and a group that is made of another one.
func keyed(t *testing.T, ms []*Member) {
	Each(t, ms, func(m *Member) error {
		set, err := m.AV.OpenSet(&fi.AVSetAttr{Flags: fi.AVSetUniverse, CommKey: []byte{0x34, 0x12}})
		if err != nil {
			return err
		}
		defer set.Close()
		mc, err := m.EP.JoinCollective(fi.AddrNotAvail, set, 0, m)
		if err != nil {
			return err
		}
		defer mc.Close()
		if mc.Addr() == fi.AddrNotAvail { // nobody else was asked
			return errors.New("a group with a key is not there at once")
		}
		if err := m.Joined(mc); err != nil {
			return err
		}
		if twice, err := m.EP.JoinCollective(fi.AddrNotAvail, set, 0, m); !errors.Is(err, fi.ErrExist) {
			twice.Close()
			return fmt.Errorf("the same key again: %w, want FI_EEXIST", err)
		}
		sum := func(at fi.Addr, ctx, want int) error {
			in, out := []byte{byte(m.Rank + 1)}, []byte{0}
			err := m.Wait(ctx, m.EP.Allreduce(in, out, at, fi.TypeUint8, fi.AtomicSum, 0, ctx))
			if err == nil && int(out[0]) != want {
				err = fmt.Errorf("sum %d, want %d", out[0], want)
			}
			return err
		}
		if err := sum(mc.Addr(), 1, 6); err != nil {
			return fmt.Errorf("with a key: %w", err)
		}
		if m.Rank == 2 {
			return m.Wait(2, m.EP.Barrier(mc.Addr(), 2))
		}
		few, err := m.AV.OpenSet(&fi.AVSetAttr{End: 1, Stride: 1})
		if err != nil {
			return err
		}
		defer few.Close()
		part, err := m.EP.JoinCollective(mc.Addr(), few, 0, m)
		if err != nil {
			return err
		}
		defer part.Close()
		if err := m.Joined(part); err != nil {
			return err
		}
		if err := sum(part.Addr(), 3, 3); err != nil {
			return fmt.Errorf("of a part: %w", err)
		}
		return m.Wait(2, m.EP.Barrier(mc.Addr(), 2))
	})
}

// hidden: receives of the application for anything do not see the messages of collectives, and the bit that these have is
// not for applications.
func hidden(t *testing.T, ms []*Member) {
	const bit = driver.CollectiveTag
	if f := ms[0].EP.Info().EP.MemTagFormat; f != driver.CollectiveTagFormat {
		t.Errorf("mem_tag_format %#x, want %#x", f, driver.CollectiveTagFormat)
	}
	buf, vec := make([]byte, 64), make([]byte, 64)
	other := func(m *Member) fi.Addr { return m.Addrs[1-m.Rank] }
	m := ms[0]
	any := &fi.TaggedMsg{Iov: [][]byte{vec}, Addr: fi.AddrUnspec, Tag: bit | 1, Ignore: ^uint64(0), Context: &vec}
	if err := errors.Join(m.EP.TRecv(buf, fi.AddrUnspec, 0, ^uint64(0), &buf), m.EP.TRecvMsg(any, 0)); err != nil {
		t.Fatal(err)
	}
	if any.Tag != bit|1 || any.Ignore != ^uint64(0) {
		t.Errorf("the message was changed: tag %#x, ignore %#x", any.Tag, any.Ignore)
	}
	Large(t, ms, 512)
	var e [1]cq.Entry
	if n, err := m.Rx.Read(e[:]); n != 0 || err != fi.ErrAgain { //nolint:errorlint // a bare value
		t.Errorf("a receive of the application has got something: %d, %v, %+v", n, err, e[0])
	}
	for what, err := range map[string]error{
		"TSend":    m.EP.TSend(buf, other(m), bit, nil),
		"TInject":  m.EP.TInject(buf, other(m), bit),
		"TSendMsg": m.EP.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{buf}, Addr: other(m), Tag: bit}, 0),
		"TRecv":    m.EP.TRecv(buf, fi.AddrUnspec, bit|5, 1, nil),
		"TRecvMsg": m.EP.TRecvMsg(&fi.TaggedMsg{Iov: [][]byte{buf}, Addr: fi.AddrUnspec, Tag: bit, Ignore: 1}, 0),
	} {
		if err != fi.ErrInvalid { //nolint:errorlint // a bare value
			t.Errorf("%s with the bit of collectives: %v, want FI_EINVAL", what, err)
		}
	}
	Each(t, ms, func(m *Member) error {
		if m.Rank == 1 {
			return errors.Join(m.EP.TInject([]byte("one"), other(m), 1<<62), m.EP.TInject([]byte("two"), other(m), 0))
		}
		for range 2 {
			if _, err := m.Rx.SRead(t.Context(), e[:]); err != nil {
				return err
			}
		}
		if string(buf[:3])+string(vec[:3]) != "onetwo" {
			return fmt.Errorf("received %q and %q", buf[:3], vec[:3])
		}
		return nil
	})
}

// counted: an operation counts as a send; without FI_COMPLETION its success is silent.
func counted(t *testing.T, ms []*Member) {
	Each(t, ms, func(m *Member) error {
		at, err := m.All()
		if err != nil {
			return err
		}
		if n := m.Cnt.Read(); n != 0 {
			return fmt.Errorf("joining has counted %d", n)
		}
		if err := errors.Join(m.EP.Barrier(at, nil), m.EP.Barrier2(at, 0, nil)); err != nil {
			return err
		}
		if err := m.Wait(m, m.EP.Barrier2(at, fi.OpCompletion, m)); err != nil {
			return err
		}
		if err := m.Cnt.Wait(t.Context(), 3); err != nil {
			return err
		}
		var e [1]cq.Entry
		if n, err := m.Tx.Read(e[:]); n != 0 || err != fi.ErrAgain { //nolint:errorlint // a bare value
			return fmt.Errorf("a silent barrier has reported: %d, %v", n, err)
		}
		if n := m.Cnt.Read(); n != 3 {
			return fmt.Errorf("3 barriers count as %d", n)
		}
		return nil
	})
}

// wrong: arguments that cannot be give an error that says so, and change nothing.
func wrong(t *testing.T, ms []*Member) {
	is := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	m := ms[0]
	set, err := m.AV.OpenSet(&fi.AVSetAttr{Flags: fi.AVSetBarrier | fi.AVSetAllreduce | fi.AVSetAllgather | fi.AVSetBroadcast |
		fi.AVSetAlltoall | fi.AVSetGather | fi.AVSetScatter | fi.AVSetReduceScatter | fi.AVSetUniverse})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	few, err := m.AV.OpenSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	join := func(base fi.Addr, s *fabric.AVSet, fl fi.OpFlags) error {
		mc, err := m.EP.JoinCollective(base, s, fl, nil)
		if err == nil {
			mc.Close()
		}
		return err
	}
	is("no set", join(fi.AddrNotAvail, nil, 0), fi.ErrInvalid)
	is("an empty set", join(fi.AddrNotAvail, few, 0), fi.ErrInvalid)
	if err := few.Insert(m.Addrs[1]); err != nil {
		t.Fatal(err)
	}
	is("a set without us", join(fi.AddrNotAvail, few, 0), fi.ErrInvalid)
	is("flags", join(fi.AddrNotAvail, set, fi.OpFence), fi.ErrBadFlags)
	is("no such base", join(1<<62|77, set, 0), fi.ErrInvalid)
	name, err := m.EP.Name()
	if err != nil {
		t.Fatal(err)
	}
	twice := make([]fi.Addr, 1)
	if _, err := m.AV.Insert([][]byte{name}, twice, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(few.Insert(m.Addrs[0]), few.Insert(twice[0])); err != nil {
		t.Fatal(err)
	}
	is("a member twice", join(fi.AddrNotAvail, few, 0), fi.ErrInvalid)
	if err := m.AV.Remove(twice); err != nil {
		t.Fatal(err)
	}
	is("an address that was removed", join(fi.AddrNotAvail, few, 0), fi.ErrInvalid)

	mc, err := m.EP.JoinCollective(fi.AddrNotAvail, set, 0, m)
	if err != nil {
		t.Fatal(err)
	}
	defer mc.Close()
	if mc.Addr() != fi.AddrNotAvail {
		t.Error("the group has an address before the other member has joined")
	}
	Each(t, ms, func(x *Member) error {
		if x.Rank == 0 {
			return x.Joined(mc)
		}
		_, err := x.All()
		return err
	})
	at, b8, b16 := mc.Addr(), make([]byte, 8), make([]byte, 16)
	no := fi.AddrNotAvail
	is("no such group", m.EP.Barrier(at+1, nil), fi.ErrInvalid)
	is("an address of a peer", m.EP.Barrier(m.Addrs[1], nil), fi.ErrInvalid)
	is("nothing", m.EP.Barrier(no, nil), fi.ErrInvalid)
	is("flags of a barrier", m.EP.Barrier2(at, fi.OpFence, nil), fi.ErrBadFlags)
	is("a root that is no member", m.EP.Broadcast(b8, at, 77, fi.TypeUint8, 0, nil), fi.ErrInvalid)
	is("an empty broadcast", m.EP.Broadcast(nil, at, m.Addrs[0], fi.TypeUint8, 0, nil), fi.ErrInvalid)
	is("no whole elements", m.EP.Broadcast(b8[:7], at, m.Addrs[0], fi.TypeUint32, 0, nil), fi.ErrInvalid)
	is("void", m.EP.Broadcast(b8, at, m.Addrs[0], fi.TypeVoid, 0, nil), fi.ErrInvalid)
	is("an unknown type", m.EP.Broadcast(b8, at, m.Addrs[0], 99, 0, nil), fi.ErrInvalid)
	is("different lengths", m.EP.Allreduce(b8, b16, at, fi.TypeUint8, fi.AtomicSum, 0, nil), fi.ErrInvalid)
	is("bits of floats", m.EP.Allreduce(b8, b8, at, fi.TypeDouble, fi.AtomicBOr, 0, nil), fi.ErrOpNotSupp)
	is("a swap", m.EP.Allreduce(b8, b8, at, fi.TypeUint64, fi.AtomicCSwap, 0, nil), fi.ErrOpNotSupp)
	is("a read", m.EP.Allreduce(b8, b8, at, fi.TypeUint64, fi.AtomicRead, 0, nil), fi.ErrOpNotSupp)
	is("an allgather of two", m.EP.Allgather(b8, b8, at, fi.TypeUint8, 0, nil), fi.ErrInvalid)
	is("an alltoall of an odd number", m.EP.Alltoall(b8[:7], b8[:7], at, fi.TypeUint8, 0, nil), fi.ErrInvalid)
	is("a gather of one", m.EP.Gather(b8, b8, at, m.Addrs[0], fi.TypeUint8, 0, nil), fi.ErrInvalid)
	is("a scatter of one", m.EP.Scatter(b8, b8, at, m.Addrs[0], fi.TypeUint8, 0, nil), fi.ErrInvalid)
	is("a reduce_scatter of one", m.EP.ReduceScatter(b8, b8, at, fi.TypeUint8, fi.AtomicSum, 0, nil), fi.ErrInvalid)
	is("what the set is not for", m.EP.Reduce(b8, b8, at, m.Addrs[0], fi.TypeUint8, fi.AtomicSum, 0, nil), fi.ErrOpNotSupp)
	is("an endpoint in use", m.EP.Close(), fi.ErrBusy)
	Each(t, ms, func(x *Member) error { // what was refused has left nothing behind
		g := at
		if x.Rank == 1 {
			g = x.group.Addr()
		}
		for range 3 {
			in, out := []byte{byte(x.Rank + 1)}, []byte{0}
			if err := x.Wait(x, x.EP.Allreduce(in, out, g, fi.TypeUint8, fi.AtomicSum, 0, x)); err != nil || out[0] != 3 {
				return fmt.Errorf("sum %d: %w", out[0], err)
			}
		}
		return nil
	})
}

// mismatch: members that do not make the same call get an error, not the wrong result, and not nothing.
func mismatch(t *testing.T, ms []*Member) {
	Each(t, ms, func(m *Member) error {
		at, err := m.All()
		if err != nil {
			return err
		}
		buf := make([]byte, 8*(m.Rank+1))
		err = m.Wait(m, m.EP.Allreduce(bytes.Clone(buf), buf, at, fi.TypeUint8, fi.AtomicSum, 0, m))
		if bad := new(cq.ErrEntry); !errors.As(err, &bad) {
			return fmt.Errorf("an allreduce of different lengths: %w, want an error completion", err)
		}
		return m.Leave()
	})
}

// death: a member that ends gives each other one an error completion, for what runs, wherever they wait, and for what comes
// later.
func death(t *testing.T, ms []*Member) {
	ended := make(chan struct{})
	Each(t, ms, func(m *Member) error {
		at, err := m.All()
		if err == nil {
			err = m.Wait(m, m.EP.Barrier(at, m))
		}
		if err != nil {
			return err
		}
		if m.Rank == 3 {
			defer close(ended)
			return m.Close()
		}
		if m.Rank > 0 { // one has waited when it ends, the others call when it has
			<-ended
		}
		root := m.Addrs[3]
		buf, all := make([]byte, 8), make([]byte, 32)
		calls := map[string]func(ctx any) error{
			"broadcast": func(ctx any) error { return m.EP.Broadcast(buf, at, root, fi.TypeUint8, 0, ctx) },
			"barrier":   func(ctx any) error { return m.EP.Barrier(at, ctx) },
			"allgather": func(ctx any) error { return m.EP.Allgather(bytes.Clone(buf), all, at, fi.TypeUint8, 0, ctx) },
		}
		for _, name := range []string{"broadcast", "barrier", "allgather", "barrier"} {
			err := m.Wait(name, calls[name](name))
			bad := new(cq.ErrEntry)
			if !errors.As(err, &bad) || bad.Flags != fi.CompCollective || bad.Context != name {
				return fmt.Errorf("%s without a member: %w (%+v)", name, err, bad)
			}
			if !strings.Contains(bad.Text, "member 3") {
				return fmt.Errorf("%s without a member: %q does not say which", name, bad.Text)
			}
		}
		return m.Leave()
	})
}

// leaving: who leaves while others are at work ends that for them, and what it has under way itself.
func leaving(t *testing.T, ms []*Member, afterwards bool) {
	var there sync.WaitGroup
	there.Add(len(ms))
	Each(t, ms, func(m *Member) error {
		at, err := m.All()
		if err != nil {
			return err
		}
		if err := m.Wait(m, m.EP.Barrier(at, m)); err != nil {
			return err
		}
		there.Done()
		there.Wait()
		posted := m.EP.Barrier(at, m)
		if m.Rank == 2 && afterwards { // nothing of it is under way, and nobody is told that it leaves
			return errors.Join(m.Wait(m, posted), m.Leave())
		}
		if m.Rank == 2 {
			return m.Leave() // at any time before or after the others call
		}
		_ = m.Wait(m, posted) // the barrier may have ended
		for range 2 {
			if err := m.Wait(m, m.EP.Barrier(at, m)); err == nil {
				return errors.New("a barrier without a member succeeds")
			} else if bad := new(cq.ErrEntry); !errors.As(err, &bad) {
				return err
			}
		}
		return m.Leave()
	})
}

// deathBefore: a group of which a member has ended before it joined will never be there.
func deathBefore(t *testing.T, ms []*Member) {
	if err := ms[2].Close(); err != nil {
		t.Fatal(err)
	}
	Each(t, ms[:2], func(m *Member) error {
		mc, err := m.Ask()
		if err != nil {
			return err
		}
		err = m.Joined(mc)
		bad := new(fi.EQErrEntry)
		if !errors.As(err, &bad) || bad.Context != m || bad.FID != mc {
			return fmt.Errorf("joined without a member: %w", err)
		}
		return mc.Close()
	})
}
