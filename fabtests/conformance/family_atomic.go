package conformance

import (
	"bytes"
	"errors"
	"fmt"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("atomic",
	testCase{name: "matrix", need: atom, run: atomicMatrix},
	testCase{name: "some", need: atom, kind: core, run: atomicSome},
	testCase{name: "forms", need: atom, kind: core, run: atomicForms},
	testCase{name: "too-long", need: atom, run: atomicTooLong},
	testCase{name: "counts", need: atom, run: atomicCounts},
	testCase{name: "vectors", need: atom, run: atomicVectors},
	testCase{name: "query", need: atom, where: local, run: atomicQuery},
	testCase{name: "refused", need: atom, run: atomicRefused},
	testCase{name: "unaligned", need: atom, run: atomicUnaligned},
	testCase{name: "parts", need: atom, run: atomicParts},
	testCase{name: "order", need: atom, run: atomicOrder},
	testCase{name: "self", need: atom, run: atomicSelf},
	testCase{name: "target-idle", need: atom, run: atomicIdle},
)

var atomicKinds = []struct {
	kind  fi.AtomicKind
	forms [3]string // plain, vector, message
}{
	{fi.AtomicBase, [3]string{"atomic", "atomicv", "atomicmsg"}},
	{fi.AtomicFetch, [3]string{"fetch_atomic", "fetch_atomicv", "fetch_atomicmsg"}},
	{fi.AtomicCompare, [3]string{"compare_atomic", "compare_atomicv", "compare_atomicmsg"}},
}

// eachAtomic calls f for every valid combination of class, type and operation.
func eachAtomic(f func(k *fiatomic.Kernel, forms [3]string)) {
	for _, kind := range atomicKinds {
		for dt := fi.TypeInt8; dt <= fi.TypeFloat8E5M2; dt++ {
			for op := fi.AtomicMin; op <= fi.AtomicDiff; op++ {
				if k, err := fiatomic.Lookup(kind.kind, dt, op); err == nil {
					f(k, kind.forms)
				}
			}
		}
	}
}

// operand gives values of a type that mean something: small numbers, by seed.
func operand(dt fi.Datatype, count int, seed uint64) []byte {
	size := dt.Size()
	b := make([]byte, count*size)
	one, err := fiatomic.Lookup(fi.AtomicBase, dt, fi.AtomicSum)
	if err != nil {
		fill(b, seed, 0)
		return b
	}
	// Numbers are sums of ones, which every type can hold: the bits come from the type's own kernel.
	unit := unitOf(dt)
	for i := range count {
		for range 1 + word(seed, uint64(i))%9 {
			one.Apply(b[i*size:(i+1)*size], unit, nil, nil, 1)
		}
		if word(seed, uint64(i))%5 == 0 { // and sometimes the difference
			if diff, err := fiatomic.Lookup(fi.AtomicBase, dt, fi.AtomicDiff); err == nil {
				zero := make([]byte, size)
				diff.Apply(zero, b[i*size:(i+1)*size], nil, nil, 1)
				copy(b[i*size:], zero)
			}
		}
	}
	return b
}

// unitOf is a true value of the type: logical operations make 1.
func unitOf(dt fi.Datatype) []byte {
	b := make([]byte, dt.Size())
	fillByte(b, 0x3c) // not zero in any type
	if k, err := fiatomic.Lookup(fi.AtomicBase, dt, fi.AtomicLOr); err == nil {
		k.Apply(b, b, nil, nil, 1)
	}
	return b
}

// expected applies a kernel to a copy of old and gives memory and result.
func applied(k *fiatomic.Kernel, old, op, cmp []byte) (now, result []byte) {
	now = bytes.Clone(old)
	if k.GivesResult() {
		result = make([]byte, len(old))
	}
	k.Apply(now, op, cmp, result, len(old)/k.Size())
	return now, result
}

// atomically makes one call and checks memory and result against the kernel applied here.
func (p *pair) atomically(m *region, k *fiatomic.Kernel, form string, count int, seed uint64) {
	t := p.t
	dt, size := k.Datatype(), k.Size()
	old := operand(dt, count, seed)
	op := operand(dt, count, seed+1)
	c := call{Form: form, N: count * size, Bytes: op, At: m.remote, Type: dt, Op: k.Op()}
	if k.NeedsCompare() {
		c.Compare = operand(dt, count, seed+2)
		if seed%3 == 0 {
			c.Compare = bytes.Clone(old) // so that equal ones occur
		}
	}
	if !k.NeedsOperand() {
		c.NoBuf = seed%2 == 0
	}
	m.set(0, old)
	want, result := applied(k, old, op, c.Compare)
	if c.msgForm() {
		c.Flags = fi.OpDeliveryComplete
	}
	o := p.a.to(p.b, c)
	if c.silent() {
		t.until(form+" in memory", func() bool { return bytes.Equal(m.bytes(0, len(want)), want) })
		return
	}
	t.wait(o)
	what := fmt.Sprintf("%s %v %v × %d", form, dt, k.Op(), count)
	got := m.bytes(0, len(want))
	if !bytes.Equal(got, want) && !c.msgForm() && k.Kind() == fi.AtomicBase { // the level says only that the peer has it
		t.until(what+" in memory", func() bool {
			got = m.bytes(0, len(want))
			return bytes.Equal(got, want)
		})
	}
	if d := firstDiff(got, want); d != "" {
		t.Errorf("%s: memory: %s (old %x operand %x compare %x)", what, d, old, op, c.Compare)
	}
	if k.GivesResult() {
		if d := firstDiff(o.last().Bytes, result); d != "" {
			t.Errorf("%s: result: %s", what, d)
		}
	}
	flags := fi.CompAtomic | fi.CompWrite
	if k.Kind() != fi.AtomicBase {
		flags = fi.CompAtomic | fi.CompRead
	}
	if o.last().Flags != flags {
		t.Errorf("%s: flags %v, want %v", what, o.last().Flags, flags)
	}
}

// served tells whether the provider serves the combination.
func (p *pair) served(k *fiatomic.Kernel) bool {
	if p.a.n == nil {
		return true
	}
	_, err := p.a.n.dom.QueryAtomic(k.Kind(), k.Datatype(), k.Op())
	return err == nil
}

// atomicMatrix runs every operation on every type in every class.
func atomicMatrix(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	seed := uint64(0)
	eachAtomic(func(k *fiatomic.Kernel, forms [3]string) {
		for rep := range 3 {
			seed++
			if p.served(k) {
				p.atomically(m, k, forms[0], 1+rep, seed)
			}
		}
	})
}

// atomicSome runs a few that stand for all.
func atomicSome(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	seed := uint64(0)
	eachAtomic(func(k *fiatomic.Kernel, forms [3]string) {
		if dt := k.Datatype(); dt == fi.TypeUint64 || dt == fi.TypeFloat || dt == fi.TypeInt8 {
			seed++
			p.atomically(m, k, forms[0], 2, seed)
		}
	})
}

// atomicForms makes every call form, with all flags.
func atomicForms(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	for i, kind := range atomicKinds {
		op := []fi.AtomicOp{fi.AtomicSum, fi.AtomicMin, fi.AtomicCSwapLE}[i]
		k, err := fiatomic.Lookup(kind.kind, fi.TypeInt32, op)
		t.check(err)
		for j, form := range kind.forms {
			for n := range 4 {
				p.atomically(m, k, form, n+1, uint64(i*100+j*10+n))
			}
		}
		for _, f := range []fi.OpFlags{0, fi.OpMore, fi.OpFence, fi.OpInject, fi.OpDeliveryComplete, fi.OpTransmitComplete, fi.OpInjectComplete, fi.OpCompletion} {
			old, val := operand(fi.TypeInt32, 1, 3), operand(fi.TypeInt32, 1, 4)
			m.set(0, old)
			c := call{Form: kind.forms[2], N: 4, Bytes: val, At: m.remote, Type: fi.TypeInt32, Op: op, Flags: f}
			if i == 2 {
				c.Compare = operand(fi.TypeInt32, 1, 5)
			}
			want, _ := applied(k, old, val, c.Compare)
			o := p.a.to(p.b, c)
			if f != 0 || !c.silent() {
				t.wait(o)
			}
			t.until("the atomic in memory", func() bool { return bytes.Equal(m.bytes(0, 4), want) })
		}
	}
	k, err := fiatomic.Lookup(fi.AtomicBase, fi.TypeUint64, fi.AtomicBXor)
	t.check(err)
	p.atomically(m, k, "inject_atomic", 3, 9)
}

// atomicCounts runs as many elements in a call as the provider says, and one more.
func atomicCounts(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 1 << 16, Key: 1})
	for _, dt := range []fi.Datatype{fi.TypeInt8, fi.TypeUint64, fi.TypeDoubleComplex, fi.TypeFloat16} {
		for _, kind := range atomicKinds {
			op := fi.AtomicSum
			if kind.kind == fi.AtomicCompare {
				op = fi.AtomicCSwap
			}
			k, err := fiatomic.Lookup(kind.kind, dt, op)
			t.check(err)
			attr, err := p.a.n.dom.QueryAtomic(kind.kind, dt, op)
			t.check(err)
			if attr.Count < 1 || attr.Size != dt.Size() {
				t.Errorf("%v %v: count %d size %d", dt, op, attr.Count, attr.Size)
			}
			for _, n := range []int{1, 7, attr.Count} {
				if n*dt.Size() <= m.n {
					p.atomically(m, k, kind.forms[0], n, uint64(n))
				}
			}
			c := call{Form: kind.forms[0], N: (attr.Count + 1) * dt.Size(), At: m.remote, Type: dt, Op: op, To: p.a.addr(p.b)}
			if k.NeedsCompare() {
				c.Compare = make([]byte, c.N)
			}
			p.a.refuse(c, fi.ErrMsgSize)
		}
	}
}

// atomicVectors spreads operands, compare values, results and targets over several buffers and ranges.
func atomicVectors(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 256, Key: 1})
	if p.a.info.Tx.RMAIovLimit < 3 {
		return
	}
	const count = 12
	for i, kind := range atomicKinds {
		op := []fi.AtomicOp{fi.AtomicSum, fi.AtomicBXor, fi.AtomicMSwap}[i]
		k, err := fiatomic.Lookup(kind.kind, fi.TypeUint32, op)
		t.check(err)
		old, val, cmp := pattern(1, 256), pattern(2, count*4), pattern(3, count*4)
		m.set(0, old)
		ranges := []fi.RMAIov{
			{Addr: m.remote.Addr + 128, Len: 16, Key: m.remote.Key},
			{Addr: m.remote.Addr + 4, Len: 4, Key: m.remote.Key},
			{Addr: m.remote.Addr + 200, Len: 28, Key: m.remote.Key},
		}
		c := call{Form: kind.forms[2], N: count * 4, Bytes: val, Split: []int{8, 36, 4}, Ranges: ranges, Type: fi.TypeUint32,
			Op: op, Flags: fi.OpDeliveryComplete}
		if i == 2 {
			c.Compare = cmp
		}
		want := bytes.Clone(old)
		var result []byte
		off := 0
		for _, r := range ranges {
			at, n := int(r.Addr-m.remote.Addr), int(r.Len)
			now, res := applied(k, old[at:at+n], val[off:off+n], cmp[off:off+n])
			copy(want[at:], now)
			result = append(result, res...)
			off += n
		}
		o := p.a.to(p.b, c)
		t.wait(o)
		if d := firstDiff(m.bytes(0, 256), want); d != "" {
			t.Errorf("%s over three ranges: memory: %s", c.Form, d)
		}
		if d := firstDiff(o.last().Bytes, result); result != nil && d != "" {
			t.Errorf("%s over three ranges: result: %s", c.Form, d)
		}
	}
}

// atomicQuery asks what there is: the queries agree with each other and with the operations.
func atomicQuery(t *test) {
	s := t.open(1)[0]
	d, ep := s.n.dom, s.n.eps[0]
	valid := func(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) (int, error) {
		switch kind {
		case fi.AtomicFetch:
			return ep.FetchAtomicValid(dt, op)
		case fi.AtomicCompare:
			return ep.CompareAtomicValid(dt, op)
		}
		return ep.AtomicValid(dt, op)
	}
	for _, kind := range atomicKinds {
		for dt := fi.TypeInt8; dt <= fi.TypeFloat8E5M2; dt++ {
			for op := fi.AtomicMin; op <= fi.AtomicDiff; op++ {
				attr, err := d.QueryAtomic(kind.kind, dt, op)
				n, err2 := valid(kind.kind, dt, op)
				if (err == nil) != (err2 == nil) || attr.Count != n {
					t.Errorf("%v %v: query %d %v, valid %d %v", dt, op, attr.Count, err, n, err2)
				}
				if _, e := fiatomic.Lookup(kind.kind, dt, op); e != nil && !errors.Is(err, fi.ErrOpNotSupp) {
					t.Errorf("%v %v has no meaning: query says %v, want FI_EOPNOTSUPP", dt, op, err)
				}
			}
		}
	}
	for _, c := range []struct {
		kind fi.AtomicKind
		dt   fi.Datatype
		op   fi.AtomicOp
		want fi.Errno
	}{
		{fi.AtomicFetch | fi.AtomicCompare, fi.TypeInt32, fi.AtomicSum, fi.ErrInvalid},
		{fi.AtomicBase, 99, fi.AtomicSum, fi.ErrInvalid},
		{fi.AtomicBase, -1, fi.AtomicSum, fi.ErrInvalid},
		{fi.AtomicBase, fi.TypeInt32, 99, fi.ErrInvalid},
		{fi.AtomicBase, fi.TypeVoid, fi.AtomicSum, fi.ErrOpNotSupp},
		{fi.AtomicBase, fi.TypeInt32, fi.AtomicNoop, fi.ErrOpNotSupp},
		{fi.AtomicBase, fi.TypeLongDouble, fi.AtomicSum, fi.ErrOpNotSupp},
		{fi.AtomicBase, fi.TypeLongDoubleComplex, fi.AtomicSum, fi.ErrOpNotSupp},
	} {
		if _, err := d.QueryAtomic(c.kind, c.dt, c.op); !errors.Is(err, c.want) {
			t.Errorf("query of %#x, %v, %v: %v, want %v", uint64(c.kind), c.dt, c.op, err, c.want)
		}
	}
}

// atomicRefused makes calls that are wrong: they return the error at once and change nothing.
func atomicRefused(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	to := p.a.addr(p.b)
	base := call{Form: "atomic", N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum, To: to}
	for _, x := range []struct {
		what string
		f    func(c *call)
		want fi.Errno
	}{
		{"bits of floats", func(c *call) { c.Type, c.Op = fi.TypeDouble, fi.AtomicBAnd }, fi.ErrOpNotSupp},
		{"order of complex numbers", func(c *call) { c.Type, c.Op = fi.TypeFloatComplex, fi.AtomicMin }, fi.ErrOpNotSupp},
		{"a read in the base class", func(c *call) { c.Op = fi.AtomicRead }, fi.ErrOpNotSupp},
		{"a swap in the base class", func(c *call) { c.Op = fi.AtomicCSwap }, fi.ErrOpNotSupp},
		{"long double", func(c *call) { c.Type, c.N = fi.TypeLongDouble, 16 }, fi.ErrOpNotSupp},
		{"no elements", func(c *call) { c.N = 0 }, fi.ErrInvalid},
		{"no whole elements", func(c *call) { c.N = 12 }, fi.ErrInvalid},
		{"an unknown type", func(c *call) { c.Type = 77 }, fi.ErrInvalid},
		{"an unknown operation", func(c *call) { c.Op = 77 }, fi.ErrInvalid},
		{"nobody", func(c *call) { c.To = 99 }, fi.ErrInvalid},
		{"a sum in the compare class", func(c *call) { c.Form, c.Compare = "compare_atomic", make([]byte, 8) }, fi.ErrOpNotSupp},
		{"a short compare", func(c *call) {
			c.Form, c.Op, c.Compare = "compare_atomic", fi.AtomicCSwap, make([]byte, 4)
		}, fi.ErrInvalid},
		{"ranges of another length", func(c *call) {
			c.Form, c.Ranges = "atomicmsg", []fi.RMAIov{{Addr: m.remote.Addr, Len: 16, Key: m.remote.Key}}
		}, fi.ErrInvalid},
		{"ranges without whole elements", func(c *call) {
			c.Form, c.Ranges = "atomicmsg", []fi.RMAIov{{Addr: m.remote.Addr, Len: 4, Key: m.remote.Key}, {Addr: m.remote.Addr, Len: 4, Key: m.remote.Key}}
		}, fi.ErrInvalid},
		{"a long inject", func(c *call) { c.Form, c.N = "inject_atomic", p.a.info.Tx.InjectSize+8 }, fi.ErrMsgSize},
	} {
		c := base
		x.f(&c)
		o, err := p.a.try(c)
		if !isErr(err, x.want) || x.want == 0 {
			t.Errorf("%s: %v, want %v", x.what, err, x.want)
			if o != nil {
				o.maybe = 9
			}
		}
	}
	if d := differs(m.bytes(0, 64), 0, 0); d != "" {
		t.Errorf("a refused atomic has changed memory: %s", d)
	}
}

// atomicTooLong lowers the limits: what is as long as they say goes, what is longer does not.
func atomicTooLong(t *test) {
	p := t.pair(func(o *openOpts) { o.Max.Atomic, o.Inject.Atomic = 64, 16 })
	m := p.b.reg(regOpts{N: 256, Key: 1})
	c := call{At: m.remote, To: p.a.addr(p.b), Type: fi.TypeUint64, Op: fi.AtomicSum}
	for _, x := range []struct {
		form  string
		flags fi.OpFlags
		most  int
	}{
		{"atomic", 0, 64}, {"atomicmsg", 0, 64}, {"fetch_atomic", 0, 64}, {"fetch_atomicmsg", 0, 64},
		{"inject_atomic", 0, 16}, {"atomicmsg", fi.OpInject | fi.OpDeliveryComplete, 16},
	} {
		c.Form, c.Flags, c.N = x.form, x.flags, x.most+8
		p.a.refuse(c, fi.ErrMsgSize)
		c.N = x.most
		if o := p.a.to(p.b, c); !o.s.quiet(&c) {
			t.wait(o)
		}
	}
}
