package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGoldenTagged(t *testing.T) {
	e := NewEncoder(Little)
	b := make([]byte, MaxHeader)
	n := e.PutTagged(b, FlagData, 0x55667788, 0xA1A2A3A4A5A6A7A8, 6)
	want := unhex(t, "03 01 0100 00 00 20 00 2600000000000000 8877665500000000 a8a7a6a5a4a3a2a1")
	if !bytes.Equal(b[:n], want) {
		t.Errorf("% x\n% x", b[:n], want)
	}
	d := NewDecoder(Little, RDM1Ops)
	var h Header
	m, err := d.Header(b[:n], &h)
	if m != n || err != nil || h.Tag != 0xA1A2A3A4A5A6A7A8 || h.Data != 0x55667788 || h.Payload != 6 {
		t.Error(m, err, h)
	}
	_ = fi.RMAIov{}
}
