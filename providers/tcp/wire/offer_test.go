package wire

import "testing"

func TestAnswer(t *testing.T) {
	for _, c := range []struct{ mine, req, want Offer }{
		{Offer{1, 1, 5}, Offer{1, 1, 7}, Offer{1, 0, 5}},
		{Offer{1, 1, 5}, Offer{9, 1, 7}, Offer{1, 0, 5}},
		{Offer{1, 1, 5}, Offer{9, 2, 7}, Offer{}}, // newer, and no longer speaks ours
		{Offer{3, 2, 5}, Offer{1, 1, 7}, Offer{}}, // older than what we speak
		{Offer{3, 2, 5}, Offer{2, 1, 7}, Offer{2, 0, 5}},
		{Offer{}, Offer{1, 1, 7}, Offer{}}, // turned off
		{Offer{1, 1, 5}, Offer{}, Offer{}},
		{Offer{1, 1, 5}, Offer{1, 2, 7}, Offer{}}, // nonsense
	} {
		got := c.mine.Answer(c.req)
		if got != c.want {
			t.Errorf("%v to %v: %v", c.mine, c.req, got)
		}
		spoken, err := c.req.Confirm(got)
		if spoken != (got.Version != 0) || err != nil {
			t.Errorf("%v to %v: the other side finds %v, %v", c.mine, c.req, spoken, err)
		}
	}
}

func TestConfirm(t *testing.T) {
	mine := Offer{3, 2, AllFeatures}
	for v, want := range map[uint8]string{0: "", 2: "yes", 3: "yes", 1: "no", 4: "no"} {
		spoken, err := mine.Confirm(Offer{Version: v})
		if spoken != (want == "yes") || (err != nil) != (want == "no") {
			t.Error(v, spoken, err)
		}
	}
	if spoken, err := (Offer{}).Confirm(Offer{Version: 1}); spoken || err == nil {
		t.Error("an extension that was not offered:", spoken, err)
	}
}

// TestEcho sees that a peer that sends our request back as its response is not one of ours.
func TestEcho(t *testing.T) {
	b, err := AppendControl(nil, &Control{Type: ConnRequest, Offer: Offer{1, 1, AllFeatures}})
	if err != nil {
		t.Fatal(err)
	}
	b[1] = byte(ConnResponse)
	var c Control
	if n, err := DecodeResponse(b, &c); n != ControlSize || err != nil || c.Offer != (Offer{}) {
		t.Error(n, err, c)
	}
}

// TestPlain sees that an endpoint without the extension writes what C does.
func TestPlain(t *testing.T) {
	b, err := AppendControl(nil, &Control{Type: ConnRequest, Offer: Offer{0, 1, AllFeatures}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range b[4:24] {
		if v != 0 {
			t.Errorf("byte %d is %d", i+4, v)
		}
	}
}

func TestExtOps(t *testing.T) {
	for _, c := range []struct {
		mine, peer Features
		yes, no    []Op
	}{
		{0, 0, []Op{OpMsg, ExtDone}, []Op{OpTagged, ExtMsg, ExtWrite, ExtHeld, ExtPing, ExtPong, ExtGoodbye}},
		{AllFeatures, 0, []Op{ExtTagged, ExtTaggedRTS, ExtRTS, ExtData, ExtRead, ExtAtomic, ExtPing, ExtGoodbye, ExtHold},
			[]Op{ExtPull, ExtReadData, ExtResult, ExtPong, ExtHeld}},
		{0, AllFeatures, []Op{ExtPull, ExtReadData, ExtResult, ExtPong, ExtHeld},
			[]Op{OpTagged, ExtTaggedRTS, ExtRTS, ExtData, ExtRead, ExtAtomic, ExtPing, ExtGoodbye, ExtHold}},
		{FeatureRendezvous, 0, []Op{ExtRTS}, []Op{ExtTaggedRTS, OpTagged}},
		{FeatureTagged, 0, []Op{OpTagged, ExtTagged}, []Op{ExtTaggedRTS}},
		{AllFeatures, AllFeatures, nil, []Op{OpReadReq, OpReadRsp, OpWrite, OpTaggedRTS, OpCTS, OpRTSData, OpAck}},
	} {
		s := ExtOps(c.mine, c.peer)
		for _, op := range c.yes {
			if !s.Has(op) {
				t.Errorf("%b, %b: no %v", c.mine, c.peer, op)
			}
		}
		for _, op := range c.no {
			if s.Has(op) {
				t.Errorf("%b, %b: %v", c.mine, c.peer, op)
			}
		}
	}
}
