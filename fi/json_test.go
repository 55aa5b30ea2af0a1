package fi

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInfoJSON(t *testing.T) {
	i := fullInfo(t)
	got, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(golden(t, "info_full.json"), string(got)+"\n"); d != "" {
		t.Errorf("the form changed; see SchemaVersion (-want +got):\n%s", d)
	}
	var back Info
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	i.EP.AuthKey, i.Domain.AuthKey = nil, nil
	if !i.Equal(&back) {
		t.Errorf("read back: %+v", &back)
	}
	var h Hints
	if err := json.Unmarshal(got, &h); err != nil || !h.Equal(i.Hints()) {
		t.Errorf("read back as hints: %v, %+v", err, &h)
	}
}

// TestJSONKeepsEveryField: a field that is added must have its place in the JSON form.
func TestJSONKeepsEveryField(t *testing.T) {
	var i, back Info
	fill(reflect.ValueOf(&i).Elem())
	i.EP.AuthKey, i.Domain.AuthKey = nil, nil // secret
	i.AddrFormat, i.SrcAddr, i.DestAddr = AddrFormatSockaddr6, mustSockaddr(t, "[fe80::1%7]:1"), []byte{1, 2}
	b, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &back); err != nil || !i.Equal(&back) {
		t.Errorf("%v\n%s\n%+v", err, b, &back)
	}
	h := i.Hints()
	h.Rx = nil
	var hback Hints
	if b, err = json.Marshal(h); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &hback); err != nil || !reflect.DeepEqual(h, &hback) {
		t.Errorf("%v\n%s\n%+v", err, b, &hback)
	}
}

func TestJSONAccepts(t *testing.T) {
	var h Hints
	in := `{"caps":"msg|rma","mode":["FI_CONTEXT"],"new_field":1,"ep_attr":{"type":"rdm"},"domain_attr":null}`
	if err := json.Unmarshal([]byte(in), &h); err != nil {
		t.Fatal(err)
	}
	if want := (&Hints{Caps: CapMsg | CapRMA, Mode: ModeContext, EP: &EPAttr{Type: EPRDM}}); !h.Equal(want) {
		t.Errorf("got %v", &h)
	}
	for _, bad := range []string{
		`{"schema":2}`, `{"caps":["FI_MSSG"]}`, `{"caps":"x"}`, `{"caps":5}`, `{"caps":[1]}`, `[]`, `{"src_addr":"nohost"}`,
		`{"dest_addr":"fi_sockaddr_in://a"}`, `{"ep_attr":{"type":"FI_EP_X"}}`, `{`,
	} {
		h := Hints{Caps: CapTagged}
		i := Info{Caps: CapTagged}
		if err := json.Unmarshal([]byte(bad), &h); err == nil || h.Caps != CapTagged {
			t.Errorf("%s as hints: %v, %v", bad, err, &h)
		}
		if err := json.Unmarshal([]byte(bad), &i); err == nil || i.Caps != CapTagged {
			t.Errorf("%s as info: %v, %v", bad, err, &i)
		}
	}
	err := json.Unmarshal([]byte(`{"caps":["FI_MSSG"]}`), &h)
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "did you mean FI_MSG?") {
		t.Errorf("got %v", err)
	}
}

func TestSetJSON(t *testing.T) {
	type doc struct {
		Caps  Caps   `json:"caps"`
		Order Order  `json:"order"`
		Type  EPType `json:"type"`
	}
	b, err := json.Marshal(doc{Caps: CapMsg | CapTagged | 1<<60, Type: EPRDM})
	want := `{"caps":["FI_MSG","FI_TAGGED","0x1000000000000000"],"order":[],"type":"FI_EP_RDM"}`
	if err != nil || string(b) != want {
		t.Fatalf("%s, %v", b, err)
	}
	var d doc
	d.Order = OrderSAS
	if err := json.Unmarshal([]byte(`{"caps":["FI_MSG","FI_TAGGED","0x1000000000000000"],"order":null}`), &d); err != nil {
		t.Fatal(err)
	}
	if d.Caps != CapMsg|CapTagged|1<<60 || d.Order != OrderSAS {
		t.Errorf("%+v", d)
	}
}
