package fi

import (
	"net/netip"
	"os"
	"reflect"
	"testing"
)

func mustSockaddr(t testing.TB, s string) []byte {
	t.Helper()
	_, raw, err := EncodeSockaddr(netip.MustParseAddrPort(s))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// fullInfo is the entry whose text, as libfabric prints it, is in testdata/info_full.txt.
func fullInfo(t testing.TB) *Info {
	return &Info{
		Caps: CapMsg | CapRMA | CapTagged | CapAtomic | CapHMEM | CapDirectedRecv | CapSend | CapRecv | CapSource,
		Mode: ModeContext, AddrFormat: AddrFormatSockaddrIn, SrcAddr: mustSockaddr(t, "192.0.2.2:7471"),
		Tx: TxAttr{
			Caps:     CapMsg | CapRMA | CapSend | CapRead | CapWrite,
			OpFlags:  OpInjectComplete | OpDeliveryComplete | OpCompletion,
			MsgOrder: OrderSAS | OrderRMAWAW | OrderRAR, InjectSize: 64, Size: 1024, IovLimit: 4, RMAIovLimit: 5,
			TClass: TClassBulkData,
		},
		Rx: RxAttr{
			Caps: CapMsg | CapRecv | CapRemoteRead | CapSource | CapMultiRecv | CapRMAEvent, Mode: ModeRxCQData,
			OpFlags: OpMultiRecv, MsgOrder: OrderSAS, Size: 512, IovLimit: 6,
		},
		EP: EPAttr{
			Type: EPRDM, Protocol: ProtoXNET, ProtocolVersion: 3, MaxMsgSize: 1<<64 - 1, MsgPrefixSize: 8,
			MaxOrderRAWSize: 1<<64 - 1, MaxOrderWARSize: 7, MemTagFormat: 2, TxCtxCount: SharedContext, RxCtxCount: 1,
			AuthKey: []byte("0123456789abcdef"),
		},
		Domain: DomainAttr{
			Name: "eth0", Threading: ThreadSafe, Progress: ProgressAuto, ResourceMgmt: RMEnabled, AVType: AVTable,
			MRMode:    MRModeLocal | MRModeVirtAddr | MRModeAllocated | MRModeProvKey | MRModeCollective,
			MRKeySize: 8, CQDataSize: 8, CQCount: 256, EPCount: 1025, TxCtxCount: 11, RxCtxCount: 12, MaxEPTxCtx: 1,
			MaxEPRxCtx: 2, MaxEPStxCtx: 3, MaxEPSrxCtx: 4, CounterCount: 100, MRIovLimit: 9,
			Caps: CapLocalComm | CapRemoteComm | CapSharedAV | CapPeer | CapAVUserID, Mode: ModeContext | ModeContext2,
			AuthKey: []byte("abc"), MaxErrData: 77, MRCount: 65535, TClass: DSCPClass(46), MaxEPAuthKey: 1,
			MaxGroupID: 255, MaxCounterValue: 1<<64 - 1, MaxErrCounterValue: 127,
		},
		Fabric: FabricAttr{Name: "192.0.2.0/24", ProvName: "tcp", ProvVersion: MakeVersion(206, 0),
			APIVersion: MakeVersion(2, 6)},
		NIC: &NIC{
			Name: "mlx5_0", DeviceID: "0x101b", DeviceVersion: "0", VendorID: "0x02c9", Driver: "mlx5_core",
			Firmware: "20.31.1014", BusType: "FI_BUS_PCI", BusAddr: "0010:af:03.1", LinkAddr: "fe80::1", MTU: 1500,
			Speed: 100_000_000_000, LinkState: "FI_LINK_UP", NetworkType: "InfiniBand",
		},
	}
}

func golden(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fill sets every field below v to something that is not zero, so that a field that is added is seen by the tests.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 5))
		for i := range 3 {
			fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf(request{}))
	default:
		v.SetUint(1)
	}
}

// request is a handle.
type request struct{}

func (request) Class() Class { return ClassConnReq }

// shares reports whether two values of one type reach the same memory.
func shares(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if shares(a.Field(i), b.Field(i)) {
				return true
			}
		}
	case reflect.Pointer:
		return a.Pointer() == b.Pointer() || shares(a.Elem(), b.Elem())
	case reflect.Slice:
		return a.Pointer() == b.Pointer()
	}
	return false
}

func TestCloneIsDeep(t *testing.T) {
	var i Info
	var h Hints
	fill(reflect.ValueOf(&i).Elem())
	fill(reflect.ValueOf(&h).Elem())
	ic, hc := i.Clone(), h.Clone()
	if !reflect.DeepEqual(&i, ic) || !reflect.DeepEqual(&h, hc) {
		t.Error("a clone differs")
	}
	if shares(reflect.ValueOf(&i), reflect.ValueOf(ic)) || shares(reflect.ValueOf(&h), reflect.ValueOf(hc)) {
		t.Error("a clone shares memory")
	}
	again := i.Hints()
	if !reflect.DeepEqual(again, &h) {
		t.Errorf("hints of an info differ from it: %+v", again)
	}
	again.EP.AuthKey[0], again.SrcAddr[0] = 9, 9
	if i.EP.AuthKey[0] == 9 || i.SrcAddr[0] == 9 {
		t.Error("hints share memory with their info")
	}
	if (*Info)(nil).Clone() != nil || (*Hints)(nil).Clone() != nil {
		t.Error("the clone of nil is not nil")
	}
}

func TestEqual(t *testing.T) {
	a, b := fullInfo(t), fullInfo(t)
	if !a.Equal(b) || !a.Hints().Equal(b.Hints()) {
		t.Error("equal entries differ")
	}
	b.DestAddr = []byte{}
	if !a.Equal(b) {
		t.Error("an empty slice differs from nil")
	}
	if b.Handle = (request{}); !a.Equal(b) || b.Clone().Handle != b.Handle {
		t.Error("a handle is kept by a clone, and nothing else")
	}
	for _, change := range []func(*Info){
		func(i *Info) { i.EP.AuthKey[0]++ }, func(i *Info) { i.NIC.MTU++ }, func(i *Info) { i.Domain.MRCount++ },
		func(i *Info) { i.SrcAddr = i.SrcAddr[:3] }, func(i *Info) { i.NIC = nil },
	} {
		c := a.Clone()
		change(c)
		if a.Equal(c) || c.Equal(a) {
			t.Errorf("a change is not seen:\n%+v", c)
		}
	}
	if !(*Hints)(nil).Equal(&Hints{Tx: &TxAttr{}, Domain: &DomainAttr{}}) {
		t.Error("hints without wishes differ from none")
	}
	if (&Hints{}).Equal(&Hints{EP: &EPAttr{Type: EPRDM}}) {
		t.Error("a hint is not seen")
	}
	if (*Info)(nil).Equal(a) || a.Equal(nil) || !(*Info)(nil).Equal(nil) {
		t.Error("nil is equal to nil only")
	}
}
