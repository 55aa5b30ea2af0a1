package pmi

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/pmi/internal/wire"
)

// TestValues sends any bytes through the pieces and back.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 2000), 1, 5).Draw(t, "values")
		store := map[string]string{}
		var keys []string
		for i, v := range values {
			key := "key-" + string(rune('a'+i))
			keys = append(keys, key)
			for _, p := range encode(key, v) {
				if len(p.value) > maxValue || len(p.key) > 63 || !wire.Plain(p.key+p.value) {
					t.Fatalf("piece %q of %d bytes", p.key, len(p.value))
				}
				store[p.key] = p.value
			}
		}
		got, err := gather(keys, lookIn(store))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if !bytes.Equal(got[i], v) {
				t.Fatalf("value %d of %d bytes came back as %d", i, len(v), len(got[i]))
			}
		}
	})
}

func lookIn(store map[string]string) func([]string) ([]string, error) {
	return func(keys []string) ([]string, error) {
		var out []string
		for _, k := range keys {
			v, ok := store[k]
			if !ok {
				return nil, notThere(k)
			}
			out = append(out, v)
		}
		return out, nil
	}
}

// TestCutValues: a launcher that cuts values is found out.
func TestCutValues(t *testing.T) {
	for name, change := range map[string]func(map[string]string){
		"first":   func(m map[string]string) { m["k"] = m["k"][:500] },
		"second":  func(m map[string]string) { m["k+1"] = m["k+1"][:100] },
		"empty":   func(m map[string]string) { m["k+1"] = "" },
		"missing": func(m map[string]string) { delete(m, "k+2") },
		"head":    func(m map[string]string) { m["k"] = "abc" },
		"huge":    func(m map[string]string) { m["k"] = "99999999999.AAAA" },
		"long":    func(m map[string]string) { m["k+2"] += "AAAA" },
		"letters": func(m map[string]string) { m["k"] = m["k"][:10] + "!" + m["k"][11:] },
	} {
		store := map[string]string{}
		for _, p := range encode("k", make([]byte, 1000)) {
			store[p.key] = p.value
		}
		change(store)
		if _, err := gather([]string{"k"}, lookIn(store)); err == nil {
			t.Errorf("%s: nothing was noticed", name)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, ok := range map[string]bool{"a": true, "addr-12_x.Y": true, strings.Repeat("k", 48): true,
		"": false, "a b": false, "a=b": false, "a+1": false, "ä": false, strings.Repeat("k", 49): false} {
		if err := checkKey("put", key); (err == nil) != ok || err != nil && !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// FuzzValue reads what another process may have put.
func FuzzValue(f *testing.F) {
	f.Add("4.AAAA", "")
	f.Add("684."+strings.Repeat("A", 508), strings.Repeat("A", 176))
	f.Fuzz(func(t *testing.T, first, more string) {
		calls := 0
		values, err := gather([]string{"k"}, func(keys []string) ([]string, error) {
			if calls++; calls == 1 {
				return []string{first}, nil
			}
			if len(keys) > 1000 {
				return nil, errors.New("enough")
			}
			out := make([]string, len(keys))
			for i := range out {
				out[i] = more
			}
			return out, nil
		})
		if err == nil && len(values) != 1 {
			t.Error("no value and no error")
		}
	})
}
