package ubertest

import (
	"iter"

	"github.com/gofabric/gofabric/fi"
)

// choice is a value for each key of the product; 0 where the set has none.
type choice map[string]uint64

// factors are the keys of the product, the fastest first.
func factors() []string {
	var names []string
	for _, k := range keys {
		if k.kind == product {
			names = append(names, k.name)
		}
	}
	return names
}

// count is how many tests a set makes, at most: saturated above what is accepted.
func (s *set) count() int {
	n := 1
	for _, name := range factors() {
		n *= max(1, len(s.values[name]))
		if n > mostTests {
			return mostTests + 1
		}
	}
	return n
}

// each gives the tests of a set in the order of libfabric's program.
func (s *set) each(yield func(choice) bool) {
	names := factors()
	c := choice{}
	var vary func(i int) bool
	vary = func(i int) bool {
		if i < 0 {
			return yield(c)
		}
		name := names[i]
		values := s.values[name]
		if len(values) == 0 || name == "av_type" && fi.EPType(c["ep_type"]) == fi.EPMsg { // connected endpoints have no vector
			if c[name] = 0; len(values) > 0 {
				c[name] = values[0]
			}
			return vary(i - 1)
		}
		for _, v := range values {
			c[name] = v
			if !vary(i - 1) {
				return false
			}
		}
		return true
	}
	vary(len(names) - 1)
}

// tests gives all tests of a configuration, numbered from 1.
func tests(sets []*set) iter.Seq[*Test] {
	return func(yield func(*Test) bool) {
		n := int32(0)
		for _, s := range sets {
			more := true
			s.each(func(c choice) bool {
				n++
				t := s.test(c)
				t.Index = n
				more = yield(t)
				return more
			})
			if !more {
				return
			}
		}
	}
}

// count is how many tests a configuration has.
func count(sets []*set) int {
	n := 0
	for range tests(sets) {
		n++
	}
	return n
}

// test makes a test of a choice.
func (s *set) test(c choice) *Test {
	t := &Test{
		Type: testType(c["test_type"]), Function: function(c["class_function"]), MsgFlags: fi.OpFlags(s.all("msg_flags")),
		Op: fi.AtomicOp(c["op"]), Datatype: fi.Datatype(c["datatype"]), Flags: s.all("test_flags"),
		Class: fi.Caps(c["test_class"]), Mode: fi.Mode(s.all("mode")), MRMode: fi.MRMode(s.all("mr_mode")),
		AV: fi.AVType(c["av_type"]), EP: fi.EPType(c["ep_type"]), Comp: compType(c["comp_type"]),
		EQWait: fi.WaitObj(c["eq_wait_obj"]), CQWait: fi.WaitObj(c["cq_wait_obj"]), CounterWait: fi.WaitObj(c["cntr_wait_obj"]),
		Progress: fi.Progress(c["progress"]), Threading: fi.Threading(c["threading"]),
		Node: s.texts["node"], Service: s.texts["service"], Provider: s.texts["prov_name"],
		RxBind: fi.BindFlags(s.all("rx_cq_bind_flags")), TxBind: fi.BindFlags(s.all("tx_cq_bind_flags")),
		RxOps: fi.OpFlags(s.all("rx_op_flags")), TxOps: fi.OpFlags(s.all("tx_op_flags")),
		Format: fi.CQFormat(c["cq_format"]),
	}
	if t.Comp == 0 {
		t.Comp = compQueue
	}
	t.Caps = t.Class
	if t.Class&(fi.CapRMA|fi.CapAtomic) != 0 {
		t.Caps |= capMsg // by which the sides synchronise
		if t.Comp.counts() {
			t.Caps |= fi.CapRMAEvent
		}
	}
	t.Caps |= fi.Caps(s.all("constant_caps"))
	if t.Format == 0 {
		t.Format = t.format()
	}
	return t
}

// format is the least format of completions that shows what a test looks at.
func (t *Test) format() fi.CQFormat {
	switch {
	case t.Class&fi.CapTagged != 0:
		return fi.CQFormatTagged
	case t.withData():
		return fi.CQFormatData
	case t.Class&fi.CapMsg != 0:
		return fi.CQFormatMsg
	}
	return fi.CQFormatContext
}

// makesSense tells whether a combination can be tested.
func (t *Test) makesSense() bool {
	f := t.Function
	switch {
	case !f.in(t.Class),
		t.MsgFlags != 0 && !f.hasFlags(),
		t.withData() && f.reads(),
		(t.Class&fi.CapTagged != 0) != (t.Format == fi.CQFormatTagged),
		t.withData() && t.Format < fi.CQFormatData,
		t.Type == unitTest && t.EP == fi.EPDgram,
		t.bringsBack() && !t.completesTx() && !t.Comp.counts(): // nobody would know when it has come
		return false
	}
	if t.RxBind != 0 {
		// Without a counter nobody would see the messages by which the sides synchronise.
		if t.RxOps&fi.OpCompletion == 0 && t.MsgFlags&fi.OpCompletion == 0 || !t.Comp.counts() {
			return false
		}
	}
	return t.Class&(fi.CapMsg|fi.CapTagged) == 0 || t.seesRx()
}
