package multinode

import (
	"encoding/binary"
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/serial"
)

// collTest is one test of the collectives, under the name that it has in libfabric's program.
type collTest struct {
	name    string
	strided bool // the group is every second rank, without the first
	verify  bool // -v only
	coll    fi.CollectiveOp
	op      fi.AtomicOp
	dt      fi.Datatype
	run     func(*member) error // nil: joining is all
}

var collTests = []collTest{
	{name: "join_test", coll: fi.CollBarrier, op: fi.AtomicNoop, dt: fi.TypeVoid},
	{name: "barrier_test", coll: fi.CollBarrier, op: fi.AtomicNoop, dt: fi.TypeVoid, run: (*member).barrier},
	{name: "sum_all_reduce_test", coll: fi.CollAllreduce, op: fi.AtomicSum, dt: fi.TypeUint64, run: (*member).sum},
	{name: "sum_all_reduce_w_stride_test", strided: true, coll: fi.CollAllreduce, op: fi.AtomicSum, dt: fi.TypeUint64, run: (*member).sum},
	{name: "all_gather_test", coll: fi.CollAllgather, op: fi.AtomicNoop, dt: fi.TypeUint64, run: (*member).gather},
	{name: "scatter_test", coll: fi.CollScatter, op: fi.AtomicNoop, dt: fi.TypeUint64, run: (*member).scatter},
	{name: "broadcast_test", coll: fi.CollBroadcast, op: fi.AtomicNoop, dt: fi.TypeUint64, run: (*member).broadcast},
	// And what that program does not do.
	{name: "every_operation_test", verify: true, coll: fi.CollBarrier, op: fi.AtomicNoop, dt: fi.TypeVoid, run: (*member).everything},
	{name: "every_operation_w_stride_test", strided: true, verify: true, coll: fi.CollBarrier, op: fi.AtomicNoop, dt: fi.TypeVoid, run: (*member).everything},
	{name: "long_test", verify: true, coll: fi.CollBarrier, op: fi.AtomicNoop, dt: fi.TypeVoid, run: (*member).long},
}

// contribution is what rank 0 adds to the sum; the others add their rank to it.
const contribution = 1234

func (m *member) barrier() error {
	return fail.Call("fi_barrier", m.wait(m, m.s.EP.Barrier(m.mc.Addr(), m)))
}

func (m *member) sum() error {
	in, out := words(contribution+uint64(m.job.rank)), make([]byte, 8)
	if err := m.wait(m, m.s.EP.Allreduce(in, out, m.mc.Addr(), fi.TypeUint64, fi.AtomicSum, 0, m)); err != nil {
		return fail.Call("fi_allreduce", err)
	}
	want := uint64(0)
	for _, r := range m.ranks {
		want += contribution + uint64(r)
	}
	return m.is(out, want)
}

func (m *member) gather() error {
	out := make([]byte, 8*m.job.n)
	if err := m.wait(m, m.s.EP.Allgather(words(uint64(m.job.rank)), out, m.mc.Addr(), fi.TypeUint64, 0, m)); err != nil {
		return fail.Call("fi_allgather", err)
	}
	return m.is(out, m.upwards()...)
}

func (m *member) scatter() error {
	var in []byte
	if m.job.rank == 0 {
		in = words(m.upwards()...)
	}
	out := make([]byte, 8)
	if err := m.wait(m, m.s.EP.Scatter(in, out, m.mc.Addr(), m.addrs[0], fi.TypeUint64, 0, m)); err != nil {
		return fail.Call("fi_scatter", err)
	}
	return m.is(out, uint64(m.job.rank))
}

func (m *member) broadcast() error {
	want := m.upwards()
	for i := range want {
		want[i] = uint64(m.job.n - 1 - i)
	}
	buf := make([]byte, 8*m.job.n)
	if m.job.rank == 0 {
		buf = words(want...)
	}
	if err := m.wait(m, m.s.EP.Broadcast(buf, m.mc.Addr(), m.addrs[0], fi.TypeUint64, 0, m)); err != nil {
		return fail.Call("fi_broadcast", err)
	}
	return m.is(buf, want...)
}

// everything does every collective with every operation on every type, as one processor does them.
func (m *member) everything() error { return m.caller().Everything() }

// long does collectives at whose lengths other algorithms are chosen.
func (m *member) long() error { return m.caller().Large(4<<10, 64<<10, 160<<10) }

func (m *member) caller() *serial.Caller {
	c := &serial.Caller{EP: m.s.EP, Group: m.mc.Addr(), Wait: m.wait}
	for i, r := range m.ranks {
		if c.Addrs = append(c.Addrs, m.addrs[r]); r == m.job.rank {
			c.Rank = i
		}
	}
	return c
}

// upwards is the numbers of all ranks.
func (m *member) upwards() []uint64 {
	out := make([]uint64, m.job.n)
	for i := range out {
		out[i] = uint64(i)
	}
	return out
}

// words is elements as they lie in memory.
func words(of ...uint64) []byte {
	var b []byte
	for _, w := range of {
		b = binary.NativeEndian.AppendUint64(b, w)
	}
	return b
}

// is compares a result.
func (m *member) is(got []byte, want ...uint64) error {
	for i, w := range want {
		if g := binary.NativeEndian.Uint64(got[8*i:]); g != w {
			return fail.Call("ft_check_buf", fmt.Errorf("rank %d: element %d is %d, expected %d: %w", m.job.rank, i, g, w, fi.ErrIO))
		}
	}
	return nil
}
