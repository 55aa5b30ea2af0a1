package device

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/gofabric/gofabric/pmi"
	_ "github.com/gofabric/gofabric/providers/all" // what devices run over
)

// alone gives a device that takes itself for rank 1 of 4; the others are not there.
func alone(t testing.TB) *Device {
	t.Helper()
	j := pmi.NewLocal(1)[0]
	d, err := Open(context.Background(), Config{
		Rank: 1, Size: 4, Provider: "mem",
		Exchange: func(_ context.Context, mine []byte) ([][]byte, error) {
			if err := j.Put("a", mine); err != nil {
				return nil, err
			}
			other := func(c byte) []byte { return append(mine[:len(mine)-1:len(mine)-1], c) }
			return [][]byte{other('x'), mine, other('y'), other('z')}, j.Fence(context.Background())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestControlMessages(t *testing.T) {
	for _, body := range [][]byte{nil, {1}, make([]byte, 400)} {
		kind, got, ok := decodeControl(encodeControl(kindVote, body))
		if !ok || kind != kindVote || !bytes.Equal(got, body) {
			t.Errorf("%v became %v %v %v", body, kind, got, ok)
		}
	}
	v := ballot{context: 3, number: 9, Vote: Vote{And: 1 << 63, Most: 7}, unacked: true, failed: []bool{true, false, false, true, false, false, false, false, true}}
	v.acked = slices.Clone(v.failed)
	v.acked[0] = false
	w, ok := decodeBallot(v.encode(), 9)
	if !ok || w.Vote != v.Vote || w.context != 3 || w.number != 9 || !w.unacked || !slices.Equal(w.failed, v.failed) || !slices.Equal(w.acked, v.acked) {
		t.Errorf("%+v became %+v", v, w)
	}
	ws := []where{{waited: time.Second, peer: -1, tag: 1 << 62, call: "Recv", place: "x.go:1"}, {peer: 3, call: "Send"}}
	if got, ok := decodeWhere(encodeWhere(ws, 500)); !ok || !slices.Equal(got, ws) {
		t.Errorf("%+v became %+v", ws, got)
	}
	if got, ok := decodeWhere(encodeWhere(ws, 40)); !ok || len(got) != 1 {
		t.Errorf("in 40 bytes there is %+v", got)
	}
}

// What others say cannot make this process believe that it has failed itself, nor revoke what they are not in.
func FuzzControl(f *testing.F) {
	d := alone(f)
	s := d.OpenScope(5, []int{0, 1})
	f.Add(byte(kindFailed), []byte{1, 0, 0, 0})
	f.Add(byte(kindFailed), []byte{0xff, 0xff, 0xff, 0xff, 1})
	f.Add(byte(kindRevoked), []byte{5, 0, 0, 0})
	f.Add(byte(kindAsk), make([]byte, 8))
	f.Add(byte(kindVote), (&ballot{context: 5, failed: make([]bool, 4), acked: make([]bool, 4)}).encode())
	f.Add(byte(kindDecided), (&ballot{context: 5, failed: make([]bool, 4), acked: make([]bool, 4)}).encode())
	f.Add(byte(kindHere), encodeWhere([]where{{call: "\x1b[2J", place: "x"}}, 100))
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		b := encodeControl(Kind(kind), body)
		k, got, ok := decodeControl(b)
		if len(body) < 1<<16 && ok != (kind > 0 && kind < byte(kindsEnd)) {
			t.Fatalf("kind %d of %d bytes: %v", kind, len(body), ok)
		}
		decodeControl(body)
		if !ok {
			return
		}
		if h := d.control.handlers[k]; h != nil {
			h(3, got)
		}
		if d.Failed(1) || s.Revoked() || s.agreement.used() {
			t.Fatalf("kind %d, %x: failed %v, revoked %v", k, got, d.FailedRanks(), s.Revoked())
		}
		ws, _ := decodeWhere(got)
		for _, w := range ws {
			if bytes.ContainsAny([]byte(w.call+w.place), "\x1b\n\x00") {
				t.Fatalf("%q", w.call+w.place)
			}
		}
	})
}

// A revocation may come before the communicator is made here.
func TestRevokedEarly(t *testing.T) {
	d := alone(t)
	for context, by := range map[uint32]int{7: 0, 8: 3} {
		d.heardRevoked(by, binary.LittleEndian.AppendUint32(nil, context))
	}
	if !d.OpenScope(7, []int{0, 1}).Revoked() || d.OpenScope(8, []int{0, 1}).Revoked() {
		t.Error("the revocation of a member counts, and that of a stranger does not")
	}
}

func TestCycles(t *testing.T) {
	for _, c := range []struct {
		next []int
		want []string
	}{
		{[]int{1, 2, 0, 0}, []string{"0 waits for 1 waits for 2 waits for 0"}},
		{[]int{1, -1, 1}, nil},
		{[]int{1, 0, 3, 2, 0}, []string{"0 waits for 1 waits for 0", "2 waits for 3 waits for 2"}},
		{[]int{3, 2, 1, 3}, []string{"3 waits for 3", "1 waits for 2 waits for 1"}},
	} {
		if got := cycles(c.next); !slices.Equal(got, c.want) {
			t.Errorf("%v gives %q, want %q", c.next, got, c.want)
		}
	}
}
