package ubertest

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// What the sides tell each other are structures of C, in the byte order of the machine and with the gaps of 64-bit systems:
//
//	client → server   the test, 408 bytes
//	server → client   status, 4 bytes: 0, or a negative error number
//	server → client   the test, with what its provider has made of it
//	client → server   status
//	each way          status: both are ready; the client speaks first, here and below
//	each way          the address of the endpoint, 4 bytes of length and room for 1024, unless endpoints are connected
//	each way          the region, 24 bytes, when its address or its key are not what was asked for
//	each way          status, before and after each size; while data is on its way one that is not 0 ends the test
//	server → client   status of the test

// Sizes of messages.
const (
	testSize   = 408
	statusSize = 4
	nameRoom   = 1024
	regionSize = 24
)

// Who says a test, in a field that C's program leaves 0 and gives back as it was.
const (
	oursAsks    = 1 // a client of ours
	oursAnswers = 2 // a server of ours
)

// statusSkip is the status of a test that makes no sense here: neither side counts it as one that was run.
const statusSkip = 1

// encode writes a test.
func (t *Test) encode() []byte {
	e := binary.NativeEndian
	b := make([]byte, 0, testSize)
	b = e.AppendUint32(b, uint32(t.Type))
	b = e.AppendUint32(b, uint32(t.Index))
	b = e.AppendUint32(b, uint32(t.Speaks))
	b = e.AppendUint32(b, uint32(t.Function))
	b = e.AppendUint64(b, uint64(t.MsgFlags))
	b = e.AppendUint32(b, uint32(t.Op))
	b = e.AppendUint32(b, uint32(t.Datatype))
	for _, v := range []uint64{t.Flags, uint64(t.Class), uint64(t.Caps), uint64(t.Mode), uint64(t.MRMode)} {
		b = e.AppendUint64(b, v)
	}
	for _, v := range []int{int(t.AV), int(t.EP), int(t.Comp), int(t.EQWait), int(t.CQWait), int(t.CounterWait), int(t.Progress), int(t.Threading)} {
		b = e.AppendUint32(b, uint32(v))
	}
	b = e.AppendUint32(b, t.Protocol)
	b = e.AppendUint32(b, t.ProtocolVersion)
	for _, s := range []string{t.Node, t.Service, t.Provider, t.Fabric} {
		room := make([]byte, nameSize)
		copy(room[:nameSize-1], s)
		b = append(b, room...)
	}
	for _, v := range []uint64{uint64(t.RxBind), uint64(t.TxBind), uint64(t.RxOps), uint64(t.TxOps)} {
		b = e.AppendUint64(b, v)
	}
	b = e.AppendUint32(b, uint32(t.Format))
	return b[:testSize]
}

// reader takes fields out of a message.
type reader struct{ b []byte }

func (r *reader) u32() uint32 {
	v := binary.NativeEndian.Uint32(r.b)
	r.b = r.b[4:]
	return v
}

func (r *reader) u64() uint64 {
	v := binary.NativeEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

// name reads a text: what lies before the first zero.
func (r *reader) name() (s string, whole bool) {
	s, _, whole = strings.Cut(string(r.b[:nameSize]), "\x00")
	r.b = r.b[nameSize:]
	return s, whole && printable(s)
}

// decode reads a test. Nothing in it that a test cannot have is let through.
func decode(b []byte) (*Test, error) {
	if len(b) != testSize {
		return nil, nonsense("a test of %d bytes", len(b))
	}
	r := &reader{b}
	t := &Test{Type: testType(r.u32()), Index: int32(r.u32()), Speaks: int32(r.u32()), Function: function(r.u32()), MsgFlags: fi.OpFlags(r.u64()),
		Op: fi.AtomicOp(r.u32()), Datatype: fi.Datatype(r.u32()), Flags: r.u64(), Class: fi.Caps(r.u64()), Caps: fi.Caps(r.u64()), Mode: fi.Mode(r.u64())}
	mode := r.u64()
	t.MRMode = fi.MRMode(mode)
	if uint64(t.MRMode) != mode { // it has 64 bits in C
		return nil, nonsense("test %d has no mr_mode that there is", t.Index)
	}
	t.AV, t.EP, t.Comp = fi.AVType(r.u32()), fi.EPType(r.u32()), compType(r.u32())
	t.EQWait, t.CQWait, t.CounterWait = fi.WaitObj(r.u32()), fi.WaitObj(r.u32()), fi.WaitObj(r.u32())
	t.Progress, t.Threading = fi.Progress(r.u32()), fi.Threading(r.u32())
	t.Protocol, t.ProtocolVersion = r.u32(), r.u32()
	for _, s := range []*string{&t.Node, &t.Service, &t.Provider, &t.Fabric} {
		var whole bool
		if *s, whole = r.name(); !whole {
			return nil, nonsense("test %d has a name that is none", t.Index)
		}
	}
	t.RxBind, t.TxBind, t.RxOps, t.TxOps = fi.BindFlags(r.u64()), fi.BindFlags(r.u64()), fi.OpFlags(r.u64()), fi.OpFlags(r.u64())
	t.Format = fi.CQFormat(r.u32())
	if what := t.wrong(); what != "" {
		return nil, nonsense("test %d has no %s that there is", t.Index, what)
	}
	return t, nil
}

// wrong names the field that a test cannot have; "" for none.
func (t *Test) wrong() string {
	one := func(v fi.Caps) bool { return v == capMsg || v == capTagged || v == capRMA || v == capAtomic }
	object := func(w fi.WaitObj) bool {
		return w == fi.WaitNone || w == fi.WaitUnspec || w == fi.WaitFD || w == fi.WaitMutexCond
	}
	for _, c := range []struct {
		right bool
		what  string
	}{
		{t.Type >= latencyTest && t.Type <= unitTest, "test_type"},
		{t.Function >= 0 && t.Function < functions, "class_function"},
		{t.MsgFlags&^msgKnown == 0, "msg_flags"},
		{t.Op >= 0 && t.Op <= fi.AtomicDiff, "op"},
		{t.Datatype.Size() > 0, "datatype"},
		{one(t.Class), "test_class"},
		{t.Caps&^capsKnown == 0, "caps"},
		{t.Mode&^modeKnown == 0, "mode"},
		{t.MRMode&^mrKnown == 0, "mr_mode"},
		{t.AV >= fi.AVUnspec && t.AV <= fi.AVTable, "av_type"},
		{t.EP >= fi.EPMsg && t.EP <= fi.EPRDM, "ep_type"},
		{t.Comp >= compQueue && t.Comp <= compAll, "comp_type"},
		{object(t.EQWait) && object(t.CQWait) && object(t.CounterWait), "wait_obj"},
		{t.Progress >= fi.ProgressUnspec && t.Progress <= fi.ProgressControlUnified, "progress"},
		{t.Threading >= fi.ThreadUnspec && t.Threading <= fi.ThreadEndpoint, "threading"},
		{t.RxBind&^fi.BindSelectiveCompletion == 0 && t.TxBind&^fi.BindSelectiveCompletion == 0, "cq_bind_flags"},
		{t.RxOps&^opsKnown == 0 && t.TxOps&^opsKnown == 0, "op_flags"},
		{t.Format >= fi.CQFormatContext && t.Format <= fi.CQFormatTagged, "cq_format"},
	} {
		if !c.right {
			return c.what
		}
	}
	return ""
}

// nonsense is the error for what no peer of ours says.
func nonsense(format string, args ...any) error {
	return fail.Call("ctrl_recv", fmt.Errorf(format+": %w", append(args, fi.ErrProto)...))
}

// encodeStatus writes how something went.
func encodeStatus(n int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(int32(-n))) }

// decodeStatus reads it: 0, statusSkip or an error number, which is negative on the wire.
func decodeStatus(b []byte) int {
	n := int(int32(binary.NativeEndian.Uint32(b)))
	if n < 0 {
		n = -n
	}
	return n
}

// encodeName writes the address of an endpoint.
func encodeName(raw []byte) ([]byte, error) {
	if len(raw) > nameRoom {
		return nil, fail.Call("fi_getname", fi.ErrTooSmall)
	}
	b := binary.NativeEndian.AppendUint32(make([]byte, 0, 4+nameRoom), uint32(len(raw)))
	return append(b, raw...)[:4+nameRoom], nil
}

// decodeName reads it.
func decodeName(b []byte) ([]byte, error) {
	if len(b) != 4+nameRoom {
		return nil, nonsense("an address message of %d bytes", len(b))
	}
	n := binary.NativeEndian.Uint32(b)
	if n == 0 || n > nameRoom {
		return nil, nonsense("an address of %d bytes", n)
	}
	return b[4 : 4+n], nil
}

// encodeRegion names a region: its address, a length that nobody looks at, and its key.
func encodeRegion(at mr.Remote) []byte {
	b := binary.NativeEndian.AppendUint64(make([]byte, 0, regionSize), at.Addr)
	b = binary.NativeEndian.AppendUint64(b, 0)
	return binary.NativeEndian.AppendUint64(b, at.Key)
}

// decodeRegion reads it. What it names is the peer's own memory: nothing about it can be wrong here.
func decodeRegion(b []byte) mr.Remote {
	return mr.Remote{Addr: binary.NativeEndian.Uint64(b), Key: binary.NativeEndian.Uint64(b[16:])}
}
