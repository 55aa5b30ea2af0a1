package ubertest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// TestLayout has each field where C's structure has it on 64-bit systems.
func TestLayout(t *testing.T) {
	d := &Test{Type: unitTest, Index: 7, Speaks: oursAsks, Function: funcWriteData, MsgFlags: fi.OpCompletion, Op: fi.AtomicSum, Datatype: fi.TypeDouble,
		Flags: flagQuick, Class: capRMA, Caps: capRMA | capMsg, Mode: fi.ModeRxCQData, MRMode: fi.MRModeVirtAddr, AV: fi.AVTable, EP: fi.EPRDM, Comp: compAll,
		EQWait: fi.WaitUnspec, CQWait: fi.WaitFD, CounterWait: fi.WaitMutexCond, Progress: fi.ProgressManual, Threading: fi.ThreadCompletion,
		Protocol: 25, ProtocolVersion: 1, Node: "node", Service: "service", Provider: "tcp", Fabric: "fabric",
		RxBind: fi.BindSelectiveCompletion, TxBind: fi.BindSelectiveCompletion, RxOps: fi.OpCompletion, TxOps: fi.OpCompletion, Format: fi.CQFormatData}
	b := d.encode()
	if len(b) != testSize {
		t.Fatalf("%d bytes", len(b))
	}
	e := binary.NativeEndian
	for at, want := range map[int]uint32{0: 3, 4: 7, 8: 1, 12: 14, 24: 2, 28: 9, 72: 2, 76: 3, 80: 3, 84: 1, 88: 3, 92: 4, 96: 2, 100: 4, 104: 25, 108: 1, 400: 3} {
		if got := e.Uint32(b[at:]); got != want {
			t.Errorf("at %d: %d, want %d", at, got, want)
		}
	}
	for at, want := range map[int]uint64{16: 1 << 24, 32: 1, 40: uint64(capRMA), 48: uint64(capRMA | capMsg), 56: 1 << 56, 64: uint64(fi.MRModeVirtAddr),
		368: 1 << 59, 376: 1 << 59, 384: 1 << 24, 392: 1 << 24} {
		if got := e.Uint64(b[at:]); got != want {
			t.Errorf("at %d: %#x, want %#x", at, got, want)
		}
	}
	for at, want := range map[int]string{112: "node", 176: "service", 240: "tcp", 304: "fabric"} {
		if !bytes.HasPrefix(b[at:], append([]byte(want), 0)) {
			t.Errorf("at %d: %q", at, b[at:at+8])
		}
	}
	if again, err := decode(b); err != nil || *again != *d {
		t.Errorf("%+v: %v", again, err)
	}
}

// TestDecodeRefuses lets nothing through that a test cannot have.
func TestDecodeRefuses(t *testing.T) {
	good := (&Test{Type: latencyTest, Index: 3, Class: capMsg, Caps: capMsg, EP: fi.EPRDM, Comp: compQueue, Format: fi.CQFormatMsg}).encode()
	if _, err := decode(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   int
		with byte
		want string
	}{
		{0, 0, "test_type"}, {0, 9, "test_type"}, {12, 26, "class_function"}, {15, 0x80, "class_function"}, {16, 1, "msg_flags"}, {24, 20, "op"}, {28, 99, "datatype"},
		{40, 0xff, "test_class"}, {55, 0x80, "caps"}, {56, 1, "mode"}, {70, 0x80, "mr_mode"}, {72, 3, "av_type"}, {76, 0, "ep_type"}, {80, 4, "comp_type"}, {84, 2, "wait_obj"},
		{88, 7, "wait_obj"}, {95, 0x80, "wait_obj"}, {96, 4, "progress"}, {100, 6, "threading"}, {112, 7, "a name that is none"}, {368, 1, "cq_bind_flags"}, {384, 1, "op_flags"},
		{400, 0, "cq_format"}, {400, 5, "cq_format"},
	} {
		b := bytes.Clone(good)
		b[c.at] = c.with
		if _, err := decode(b); !errors.Is(err, fi.ErrProto) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d at %d: %v, want %s", c.with, c.at, err, c.want)
		}
	}
	long := bytes.Clone(good)
	copy(long[240:304], bytes.Repeat([]byte("x"), 64))
	for _, b := range [][]byte{nil, good[:407], append(bytes.Clone(good), 0), long} {
		if _, err := decode(b); !errors.Is(err, fi.ErrProto) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
}

// TestOtherMessages are said as they are heard.
func TestOtherMessages(t *testing.T) {
	if n := decodeStatus(encodeStatus(61)); n != 61 || !bytes.Equal(encodeStatus(61), binary.NativeEndian.AppendUint32(nil, 0xffffffc3)) {
		t.Errorf("status %d, % x", n, encodeStatus(61))
	}
	b, err := encodeName([]byte("address"))
	if err != nil || len(b) != 1028 {
		t.Fatal(len(b), err)
	}
	if name, err := decodeName(b); err != nil || string(name) != "address" {
		t.Errorf("%q: %v", name, err)
	}
	if _, err := encodeName(make([]byte, nameRoom+1)); !errors.Is(err, fi.ErrTooSmall) {
		t.Error(err)
	}
	for _, n := range []uint32{0, nameRoom + 1, 1 << 31} {
		binary.NativeEndian.PutUint32(b, n)
		if _, err := decodeName(b); !errors.Is(err, fi.ErrProto) {
			t.Errorf("an address of %d bytes: %v", n, err)
		}
	}
	at := mr.Remote{Addr: 0x123456789, Key: 0xC0DE}
	if got := decodeRegion(encodeRegion(at)); got != at || len(encodeRegion(at)) != regionSize {
		t.Errorf("%+v", got)
	}
}
