package fi

import (
	"errors"
	"strings"
	"testing"
)

func TestParseCaps(t *testing.T) {
	for in, want := range map[string]Caps{
		"":                                  0,
		"none":                              0,
		"0":                                 0,
		"[  ]":                              0,
		"FI_MSG":                            CapMsg,
		"msg":                               CapMsg,
		"Fi_Msg":                            CapMsg,
		"FI_MSG|FI_RMA":                     CapMsg | CapRMA,
		" FI_MSG\t| fi_rma ":                CapMsg | CapRMA,
		"FI_MSG, FI_RMA":                    CapMsg | CapRMA,
		"[ FI_MSG, FI_RMA ]":                CapMsg | CapRMA,
		"|FI_MSG||":                         CapMsg,
		"FI_TRANSMIT|FI_ATOMICS":            CapSend | CapAtomic,
		"0x2|tagged":                        CapMsg | CapTagged,
		"FI_REMOTE_CQ_DATA|FI_MORE|FI_PEEK": 7 << 17,
	} {
		if got, err := ParseCaps(in); err != nil || got != want {
			t.Errorf("%q reads as %v, %v", in, got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	caps := func(s string) error { _, err := ParseCaps(s); return err }
	mode := func(s string) error { _, err := ParseMode(s); return err }
	ep := func(s string) error { _, err := ParseEPType(s); return err }
	format := func(s string) error { _, err := ParseAddrFormat(s); return err }
	errno := func(s string) error { _, err := ParseErrno(s); return err }
	tclass := func(s string) error { var c TClass; return c.UnmarshalText([]byte(s)) }
	version := func(s string) error { var v Version; return v.UnmarshalText([]byte(s)) }
	for _, c := range []struct {
		parse               func(string) error
		in                  string
		kind, word, nearest string
	}{
		{caps, "FI_RAM", "capability", "FI_RAM", "FI_RMA"},
		{caps, "FI_MSG| FI_TAGED", "capability", "FI_TAGED", "FI_TAGGED"},
		{caps, "multirecv", "capability", "multirecv", "FI_MULTI_RECV"},
		{caps, "FI_DIRECTED", "capability", "FI_DIRECTED", "FI_DIRECTED_RECV"},
		{caps, "FI_MSG FI_RMA", "capability", "FI_MSG FI_RMA", ""},
		{caps, "xyzzy", "capability", "xyzzy", ""},
		{caps, "0x1ffffffffffffffff", "capability", "0x1ffffffffffffffff", ""},
		{caps, "-1", "capability", "-1", ""},
		{caps, "[FI_MSG", "capability", "[FI_MSG", ""},
		{mode, "FI_CONTEXT3", "mode", "FI_CONTEXT3", "FI_CONTEXT"},
		{ep, "FI_EP_RDN", "endpoint type", "FI_EP_RDN", "FI_EP_RDM"},
		{ep, "dgramm", "endpoint type", "dgramm", "FI_EP_DGRAM"},
		{ep, "", "endpoint type", "", ""},
		{format, "FI_SOCKADDR_INN", "address format", "FI_SOCKADDR_INN", "FI_SOCKADDR_IN"},
		{errno, "EAGIAN", "error number", "EAGIAN", "FI_EAGAIN"},
		{errno, "12x", "error number", "12x", ""},
		{tclass, "FI_TC_DSCP+256", "DSCP value", "256", ""},
		{tclass, "bulk", "traffic class", "bulk", "FI_TC_BULK_DATA"},
		{version, "2", "version", "2", ""},
		{version, "2.65536", "version", "2.65536", ""},
		{version, "x.6", "version", "x.6", ""},
	} {
		err := c.parse(c.in)
		var w *WordError
		if !errors.As(err, &w) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if w.Kind != c.kind || w.Word != c.word || w.Nearest != c.nearest {
			t.Errorf("%q: %+v", c.in, *w)
		}
	}
	_, err := ParseCaps("FI_RAM")
	if got, want := err.Error(), `unrecognized capability "FI_RAM": did you mean FI_RMA?`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err = ParseCaps(strings.Repeat("x\x00", 1000))
	if len(err.Error()) > 300 {
		t.Errorf("a long word gives a long message: %s", err)
	}
}

// TestUnmarshalTextKeeps: on an error the value stays as it was.
func TestUnmarshalTextKeeps(t *testing.T) {
	c, e, n := CapMsg, EPRDM, ErrAgain
	if c.UnmarshalText([]byte("FI_RMA|x")) == nil || e.UnmarshalText([]byte("x")) == nil || n.UnmarshalText([]byte("x")) == nil {
		t.Error("a wrong word is accepted")
	}
	if c != CapMsg || e != EPRDM || n != ErrAgain {
		t.Errorf("changed to %v, %v, %v", c, e, n)
	}
}

// TestPrintedOrder: libfabric prints bits in orders of its own, which scripts may rely on.
func TestPrintedOrder(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{(CapHMEM | CapSource | CapMsg | CapDirectedRecv).List(), "[ FI_MSG, FI_SOURCE, FI_DIRECTED_RECV, FI_HMEM ]"},
		{(CompMsg | CompSend | CompRemoteCQData).List(), "[ FI_SEND, FI_MSG, FI_REMOTE_CQ_DATA ]"},
		{(AccessRemoteWrite | AccessSend | AccessRecv).String(), "FI_RECV, FI_SEND, FI_REMOTE_WRITE"},
		{(ModeContext2 | ModeAsyncIov | ModeContext).String(), "FI_CONTEXT, FI_ASYNC_IOV, FI_CONTEXT2"},
		{Order(0).List(), "[  ]"},
		{Order(0).String(), "none"},
		{(BindTransmit | BindRecv).String(), "FI_RECV, FI_TRANSMIT"},
		{CapSend.String(), "FI_SEND"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestTClass(t *testing.T) {
	ef := DSCPClass(46)
	if ef != 0x12e || ef.DSCP() != 46 || ef.String() != "FI_TC_DSCP+46" || TClassBulkData.DSCP() != 0 {
		t.Errorf("%#x %d %v", uint32(ef), ef.DSCP(), ef)
	}
	for v := range 256 {
		c := DSCPClass(uint8(v))
		var back TClass
		text, _ := c.MarshalText()
		if err := back.UnmarshalText(text); err != nil || back != c || c.DSCP() != uint8(v) {
			t.Errorf("%s reads as %v, %v", text, back, err)
		}
	}
}

func TestAddrText(t *testing.T) {
	if s := AddrUnspec.String(); s != "FI_ADDR_UNSPEC" {
		t.Error(s)
	}
	if s := Addr(7).String(); s != "7" {
		t.Error(s)
	}
	if MPITag(-1, 3) != 0x3ffffffff || RxAddr(5, 2, 4) != 2<<60|5 || RxAddr(5, 2, 0) != 5 || RxAddr(5, 2, 99) != 5 ||
		RxAddr(5, 2, -1) != 5 || GroupAddr(5, 2) != 2<<32|5 {
		t.Error("packing differs from libfabric's")
	}
}
