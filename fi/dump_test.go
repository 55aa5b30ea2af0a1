package fi

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDumpIsFiInfos(t *testing.T) {
	full := fullInfo(t)
	empty := &Info{AddrFormat: AddrFormatSockaddr6, DestAddr: mustSockaddr(t, "[fe80::6:12%2]:0")}
	for _, c := range []struct {
		name, got, want string
	}{
		{"full", full.Dump(DetailVerbose), golden(t, "info_full.txt")},
		{"full by %+v", fmt.Sprintf("%+v", full), golden(t, "info_full.txt")},
		{"empty", empty.Dump(DetailVerbose), golden(t, "info_empty.txt")},
		{"hints", fmt.Sprintf("%+v", &Hints{Caps: CapMsg}), golden(t, "hints.txt")},
		{"short", full.Dump(DetailShort), "provider: tcp\n    fabric: 192.0.2.0/24\n    domain: eth0\n" +
			"    version: 206.0\n    type: FI_EP_RDM\n    protocol: FI_PROTO_XNET\n"},
		{"list", full.Dump(DetailList), "tcp:\n    version: 206.0\n"},
		{"short, empty", (&Info{}).Dump(DetailShort), "provider: (null)\n    fabric: (null)\n    domain: (null)\n" +
			"    version: 0.0\n    type: FI_EP_UNSPEC\n    protocol: FI_PROTO_UNSPEC\n"},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	var b strings.Builder
	if n, err := full.WriteTo(&b); err != nil || int(n) != b.Len() || b.String() != golden(t, "info_full.txt") {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
}

func TestOneLine(t *testing.T) {
	full := fullInfo(t)
	for _, c := range []struct {
		got, want string
	}{
		{fmt.Sprint(full), "tcp: FI_EP_RDM, FI_PROTO_XNET, domain eth0, fi_sockaddr_in://192.0.2.2:7471"},
		{fmt.Sprint(&Info{Fabric: FabricAttr{ProvName: "shm"}, AddrFormat: AddrFormatStr, DestAddr: []byte("fi_shm://a\x00")}),
			"shm: FI_EP_UNSPEC, FI_PROTO_UNSPEC, domain (null) to fi_shm://a"},
		{fmt.Sprint((*Info)(nil)), "<nil>"},
		{fmt.Sprint((*Hints)(nil)), "any"},
		{fmt.Sprintf("%+v", (*Hints)(nil)), "any"},
		{fmt.Sprint(&Hints{Tx: &TxAttr{}}), "any"},
		{fmt.Sprint(&Hints{Caps: CapMsg | CapRMA, AddrFormat: AddrFormatStr, SrcAddr: []byte("fi_shm://a"),
			Tx: &TxAttr{InjectSize: 64, MsgOrder: OrderSAS}, EP: &EPAttr{Type: EPRDM, TxCtxCount: SharedContext},
			Domain: &DomainAttr{MRMode: MRModeLocal | MRModeProvKey, Name: "eth0"}}),
			"caps=FI_MSG|FI_RMA addr_format=FI_ADDR_STR src_addr=fi_shm://a tx_attr.msg_order=FI_ORDER_SAS" +
				" tx_attr.inject_size=64 ep_attr.type=FI_EP_RDM ep_attr.tx_ctx_cnt=FI_SHARED_CONTEXT" +
				" domain_attr.name=eth0 domain_attr.mr_mode=FI_MR_LOCAL|FI_MR_PROV_KEY"},
		{fmt.Sprint(full.Fabric), "{name=192.0.2.0/24 prov_name=tcp prov_version=206.0 api_version=2.6}"},
		{fmt.Sprint(full.NIC), "mlx5_0 0010:af:03.1"},
		{fmt.Sprint((*NIC)(nil)), "<nil>"},
		{fmt.Sprint(CQAttr{Size: 8, Format: CQFormatTagged}), "{size=8 format=FI_CQ_FORMAT_TAGGED}"},
		{fmt.Sprint(CounterAttr{Events: CounterEventsBytes}), "{events=FI_CNTR_EVENTS_BYTES}"},
		{fmt.Sprint(AVAttr{Count: 3, Flags: AVSymmetric | AVRead}), "{count=3 flags=FI_READ|FI_SYMMETRIC}"},
		{fmt.Sprint(MRAttr{Iov: [][]byte{make([]byte, 3), make([]byte, 4)}, Access: AccessRecv, Key: 10}),
			"{iov_count=2 len=7 access=FI_RECV requested_key=0xa}"},
		{fmt.Sprintf("%+v", CounterAttr{}), "fi_cntr_attr:\n    events: FI_CNTR_EVENTS_COMP\n    wait_obj: FI_WAIT_NONE\n"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// TestKeysAreSecret: neither dumps nor JSON hold the bytes of an authorisation key.
func TestKeysAreSecret(t *testing.T) {
	i := fullInfo(t)
	i.EP.AuthKey, i.Domain.AuthKey = []byte("SECRET"), []byte("SECRET")
	js, err := i.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{string(js), fmt.Sprintf("%+v %v %s", i, i, i), fmt.Sprintf("%+v %v", i.EP, i.EP),
		fmt.Sprintf("%+v %v %d", i.Domain, i.Domain, i.Domain), fmt.Sprintf("%v %+v", i.Hints(), i.Hints())} {
		if strings.Contains(s, "SECRET") || strings.Contains(s, "83 69 67") || strings.Contains(s, "U0VD") {
			t.Errorf("a key is shown:\n%s", s)
		}
	}
}

// TestDumpsShowEveryField: a field that is added to a structure must be added to its dump.
func TestDumpsShowEveryField(t *testing.T) {
	var i Info
	var av AVAttr
	var cq CQAttr
	var cntr CounterAttr
	for _, c := range []struct {
		v      any
		fields func() []field
		more   int // fields of the dump less those of the structure
	}{
		{&i.Tx, i.Tx.fields, 0}, {&i.Rx, i.Rx.fields, 0}, {&i.EP, i.EP.fields, 0},
		{&i.Domain, i.Domain.fields, 0}, // one more, the pointer to the open domain; one less, AuthKey and AVAuthKey are one
		{&i.Fabric, i.Fabric.fields, 0}, {&av, av.fields, 0}, {&cq, cq.fields, 0}, {&cntr, cntr.fields, 0},
	} {
		v := reflect.ValueOf(c.v).Elem()
		fill(v)
		list := c.fields()
		if len(list) != v.NumField()+c.more {
			t.Errorf("%s has %d fields, its dump %d", v.Type(), v.NumField(), len(list))
		}
		for _, f := range list {
			if _, isPointer := f.val.(pointer); !isPointer && reflect.ValueOf(f.val).IsZero() {
				t.Errorf("%s: %s does not show its field", v.Type(), f.name)
			}
		}
	}
}

// TestGoSyntax: %#v is Go's own form, which shows all that there is.
func TestGoSyntax(t *testing.T) {
	i := fullInfo(t)
	for _, c := range []struct {
		got, has string
	}{
		{fmt.Sprintf("%#v", i), `Name:"192.0.2.0/24"`}, {fmt.Sprintf("%#v", i.Hints()), "fi.plain{Caps:0x"},
		{fmt.Sprintf("%#v", i.NIC), `Driver:"mlx5_core"`}, {fmt.Sprintf("%#v", i.Domain), `AuthKey:[]uint8{0x61, 0x62, 0x63}`},
		{fmt.Sprintf("%+v", DomainAttr{AVAuthKey: true}), "auth_key_size: FI_AV_AUTH_KEY\n"}, {fmt.Sprint(DomainAttr{AVAuthKey: true}), "{auth_key_size=FI_AV_AUTH_KEY}"},
		{fmt.Sprintf("%+v", i.NIC), "fi_pci_attr:\n"}, {fmt.Sprintf("%+v", &NIC{BusType: "FI_BUS_PCI", BusAddr: "x:y"}),
			"bus_type: FI_BUS_PCI\n    fi_link_attr:\n        address: (null)\n        mtu: 0\n        speed: 0\n        state: FI_LINK_UNKNOWN\n"},
		{fmt.Sprintf("%+v", i.Rx), "fi_rx_attr:\n    caps: [ FI_MSG, "},
	} {
		if !strings.Contains(c.got, c.has) {
			t.Errorf("%s\nlacks %s", c.got, c.has)
		}
	}
}
