package conformance

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

var _ = add("linear",
	testCase{name: "counter", need: atom, kind: threads, run: func(t *test) { linear(t, "sum") }},
	testCase{name: "swaps", need: atom, kind: threads, run: func(t *test) { linear(t, "swap") }},
	testCase{name: "mixed", need: atom, kind: threads, run: func(t *test) { linear(t, "mixed") }},
	testCase{name: "narrow", need: atom, kind: threads, run: func(t *test) { linear(t, "narrow") }},
	testCase{name: "sum-of-all", need: atom, kind: threads, run: sumOfAll},
	testCase{name: "sum-of-many", need: atom, kind: threads, run: sumOfMany},
)

// step is one atomic of a history.
type step struct {
	Kind         fi.AtomicKind
	Type         fi.Datatype
	Op           fi.AtomicOp
	Operand, Cmp uint64
	Old          uint64
	Client       int
	Start, End   int64 // by the clock of this machine, in nanoseconds
}

// job is what a side shall do: so many atomics of a mix to one word, from so many endpoints.
type job struct {
	Peers   []fi.Addr // of each endpoint of ours: what it calls the target
	At      mr.Remote
	Mix     string
	Count   int
	Client  int
	Started int64 // when the fast part begins, by the clock of this machine, in nanoseconds
}

var _ = program("atomics", func(n *node, arg []byte) ([]byte, error) {
	var j job
	if err := gob.NewDecoder(bytes.NewReader(arg)).Decode(&j); err != nil {
		return nil, err
	}
	history := make([][]step, len(n.eps))
	errs := make([]error, len(n.eps))
	var wg sync.WaitGroup
	for i, ep := range n.eps {
		wg.Go(func() { history[i], errs[i] = j.run(ep, n.txq, i) })
	}
	wg.Wait()
	var all []step
	for _, h := range history {
		all = append(all, h...)
	}
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(all)
	return out.Bytes(), errors.Join(append(errs, err)...)
})

// choose gives the i-th atomic of a client.
func (j *job) choose(client, i int) step {
	w := word(uint64(client*7919+i), 3)
	s := step{Kind: fi.AtomicFetch, Type: fi.TypeUint64, Op: fi.AtomicSum, Operand: 1 + w%3, Client: client}
	switch j.Mix {
	case "swap":
		s.Kind, s.Op, s.Operand, s.Cmp = fi.AtomicCompare, fi.AtomicCSwap, w%4, w/4%4
	case "narrow":
		s.Type = fi.TypeUint8
	case "mixed":
		switch w % 5 {
		case 0:
			s.Op = fi.AtomicBXor
		case 1:
			s.Op = fi.AtomicWrite
		case 2:
			s.Op = fi.AtomicRead
		case 3:
			s.Kind, s.Op, s.Operand, s.Cmp = fi.AtomicCompare, fi.AtomicCSwapLE, w%4, w/4%4
		}
	}
	return s
}

// run makes the atomics of one client, each complete before the next.
func (j *job) run(ep *fabric.Endpoint, q *fabric.CQ, index int) ([]step, error) {
	client := j.Client + index
	var out []step
	for i := range j.Count {
		s := j.choose(client, i)
		size := s.Type.Size()
		var op, cmp, old [8]byte
		binary.LittleEndian.PutUint64(op[:], s.Operand)
		binary.LittleEndian.PutUint64(cmp[:], s.Cmp)
		done := make(chan error, 1)
		s.Start = time.Now().UnixNano()
		err := again(func() error {
			if s.Kind == fi.AtomicCompare {
				return ep.CompareAtomic(op[:size], cmp[:size], old[:size], j.Peers[index], j.At, s.Type, s.Op, done)
			}
			return ep.FetchAtomic(op[:size], old[:size], j.Peers[index], j.At, s.Type, s.Op, done)
		})
		if err != nil {
			return out, err
		}
		if err := deliver(q, done); err != nil {
			return out, err
		}
		s.End = time.Now().UnixNano()
		s.Old = binary.LittleEndian.Uint64(old[:])
		out = append(out, s)
	}
	return out, nil
}

// deliver reads a queue that several goroutines read, hands on what is others', and returns when its own has come.
func deliver(q *fabric.CQ, mine chan error) error {
	var e [1]cq.Entry
	end := time.Now().Add(30 * time.Second)
	for {
		select {
		case err := <-mine:
			return err
		default:
		}
		n, err := q.Read(e[:])
		switch {
		case n == 1:
			e[0].Context.(chan error) <- nil
		case errors.Is(err, fi.ErrAvail):
			var ee cq.ErrEntry
			if q.ReadErr(&ee) == nil {
				ee.Context.(chan error) <- &ee
			}
		case time.Now().After(end):
			return errors.New("an atomic did not complete within 30 seconds")
		}
	}
}

// apply is the word after a step, and what the step must have brought.
func (s *step) apply(state uint64) (next, old uint64) {
	size := s.Type.Size()
	k, err := fiatomic.Lookup(s.Kind, s.Type, s.Op)
	if err != nil {
		return state, ^state
	}
	var mem, op, cmp, res [8]byte
	binary.LittleEndian.PutUint64(mem[:], state)
	binary.LittleEndian.PutUint64(op[:], s.Operand)
	binary.LittleEndian.PutUint64(cmp[:], s.Cmp)
	k.Apply(mem[:size], op[:size], cmp[:size], res[:size], 1)
	return binary.LittleEndian.Uint64(mem[:]), binary.LittleEndian.Uint64(res[:])
}

// storm has clients on every side run a mix of atomics on one word of side 0, and gives the history.
func storm(t *test, mix string, count int) (*region, []step) {
	s := t.open(3, func(o *openOpts) { o.EPs = 2 })
	for _, x := range s {
		x.uncounted = true
	}
	m := s[0].reg(regOpts{N: 16, Key: 1})
	m.set(0, make([]byte, 16))
	var mu sync.Mutex
	var history []step
	var waits []func()
	for i, x := range s {
		j := job{At: m.remote, Mix: mix, Count: count, Client: 2 * i}
		for range 2 {
			j.Peers = append(j.Peers, x.addr(s[0]))
		}
		var arg bytes.Buffer
		t.check(gob.NewEncoder(&arg).Encode(&j))
		waits = append(waits, t.background(func() {
			r := x.do(&request{Verb: vProgram, Program: "atomics", Bytes: arg.Bytes()})
			t.check(r.err())
			var steps []step
			t.check(gob.NewDecoder(bytes.NewReader(r.Bytes)).Decode(&steps))
			mu.Lock()
			history = append(history, steps...)
			mu.Unlock()
		}))
	}
	for _, w := range waits {
		w()
	}
	return m, history
}

// linear checks that concurrent atomics on one word could have happened one after the other.
func linear(t *test, mix string) {
	count := 25
	if *long {
		count = 100
	}
	_, history := storm(t, mix, count)
	var ops []porcupine.Operation
	for i := range history {
		s := &history[i]
		ops = append(ops, porcupine.Operation{ClientId: s.Client, Input: s, Output: s.Old, Call: s.Start, Return: s.End})
	}
	model := porcupine.Model{
		Init: func() any { return uint64(0) },
		Step: func(state, in, out any) (bool, any) {
			next, old := in.(*step).apply(state.(uint64))
			return old == out.(uint64), next
		},
		DescribeOperation: func(in, out any) string {
			s := in.(*step)
			return fmt.Sprintf("%v(%d,%d)=%d", s.Op, s.Operand, s.Cmp, out)
		},
	}
	if r := porcupine.CheckOperationsTimeout(model, ops, t.patience); r == porcupine.Illegal {
		t.Errorf("%d atomics of %d clients on one word are not linearizable", len(ops), 6)
	}
}

var _ = program("sums", func(n *node, arg []byte) ([]byte, error) {
	var j job
	if err := gob.NewDecoder(bytes.NewReader(arg)).Decode(&j); err != nil {
		return nil, err
	}
	ones := bytes.Repeat([]byte{1}, sumsBytes)
	for range j.Count {
		done := make(chan error, 1)
		err := again(func() error { return n.eps[0].Atomic(ones, j.Peers[0], j.At, fi.TypeUint8, fi.AtomicSum, done) })
		if err == nil {
			err = deliver(n.txq, done)
		}
		if err != nil {
			return nil, err
		}
	}
	for time.Now().UnixNano() < j.Started { // all at once
		runtime.Gosched()
	}
	return nil, j.addOnes(n)
})

// addOnes adds to the element behind those of the program "sums" as fast as can be: some additions at a time are under way.
func (j *job) addOnes(n *node) error {
	one, at := binary.LittleEndian.AppendUint64(nil, 1), j.At.At(sumsBytes)
	var e [16]cq.Entry
	for left, out := sumsFast, 0; left > 0 || out > 0; {
		for err := error(nil); left > 0 && out < len(e) && err == nil; {
			switch err = n.eps[0].Atomic(one, j.Peers[0], at, fi.TypeUint64, fi.AtomicSum, nil); err {
			case nil:
				left, out = left-1, out+1
			case fi.ErrAgain: //nolint:errorlint // documented: a bare value
			default:
				return err
			}
		}
		k, err := n.txq.Read(e[:])
		switch {
		case err == nil:
			out -= k
		case !errors.Is(err, fi.ErrAgain):
			return err
		}
	}
	return nil
}

// sumsBytes is how many elements an atomic of the program "sums" has, and sumsFast how often it adds to one more.
const (
	sumsBytes = 1024
	sumsFast  = 20000
)

// sumOfMany adds to many elements by each call, which takes its time, and to one as fast as can be: calls meet in the
// middle, and nothing may be lost.
func sumOfMany(t *test) {
	s := t.open(3)
	m := s[0].reg(regOpts{N: sumsBytes + 8, Key: 1})
	m.set(0, make([]byte, sumsBytes+8))
	const count = 400
	started := time.Now().Add(20 * time.Millisecond).UnixNano()
	var waits []func()
	for _, x := range s {
		x.uncounted = true
		var arg bytes.Buffer
		t.check(gob.NewEncoder(&arg).Encode(&job{At: m.remote, Count: count, Peers: []fi.Addr{x.addr(s[0])}, Started: started}))
		waits = append(waits, t.background(func() {
			t.check(x.do(&request{Verb: vProgram, Program: "sums", Bytes: arg.Bytes()}).err())
		}))
	}
	for _, w := range waits {
		w()
	}
	want := bytes.Repeat([]byte{byte(len(s) * count % 256)}, sumsBytes)
	want = binary.LittleEndian.AppendUint64(want, uint64(len(s)*sumsFast))
	t.until("the sums", func() bool { return bytes.Equal(m.bytes(0, sumsBytes+8), want) })
}

// sumOfAll adds at full speed: nothing may be lost.
func sumOfAll(t *test) {
	count := 400
	m, history := storm(t, "sum", count)
	want := uint64(0)
	for i := range history {
		want += history[i].Operand
	}
	if got := le(m.bytes(0, 8)); got != want || len(history) != 6*count {
		t.Errorf("after %d additions: %d, want %d", len(history), got, want)
	}
}
