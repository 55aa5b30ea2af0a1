package fi

import (
	"reflect"
	"testing"
)

// fillNumbers sets every number of v to n.
func fillNumbers(t *testing.T, v reflect.Value, n uint64) {
	switch v.Kind() {
	case reflect.Uint64:
		v.SetUint(n)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillNumbers(t, field, n)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillNumbers(t, v.Index(i), n)
		}
	default:
		t.Fatalf("%v in numbers", v.Type())
	}
}

// checkNumbers checks that every number of v is n, or most when its name says that it is the highest there was.
func checkNumbers(t *testing.T, name string, v reflect.Value, n, most uint64) {
	switch v.Kind() {
	case reflect.Uint64:
		if v.Uint() != n {
			t.Errorf("%s is %d, want %d", name, v.Uint(), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, want := v.Type().Field(i).Name, n
			if len(f) > 4 && f[:4] == "Most" {
				want = most
			}
			checkNumbers(t, name+"."+f, v.Field(i), want, most)
		}
	case reflect.Array:
		for i := range v.Len() {
			checkNumbers(t, name, v.Index(i), n, most)
		}
	}
}

// TestStatsAdd adds numbers: no field is forgotten.
func TestStatsAdd(t *testing.T) {
	var a, b DomainStats
	fillNumbers(t, reflect.ValueOf(&a).Elem(), 5)
	fillNumbers(t, reflect.ValueOf(&b).Elem(), 7)
	a.Add(&b)
	checkNumbers(t, "DomainStats", reflect.ValueOf(a), 12, 7)
	var f, g FabricStats
	fillNumbers(t, reflect.ValueOf(&f).Elem(), 5)
	fillNumbers(t, reflect.ValueOf(&g).Elem(), 7)
	f.Add(&g)
	checkNumbers(t, "FabricStats", reflect.ValueOf(f), 12, 7)
}

// TestOpKinds names every kind, and skips what has not happened.
func TestOpKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := range OpKinds {
		if n := k.String(); n == "" || n == "unknown" || seen[n] {
			t.Errorf("kind %d is %q", k, n)
		}
		seen[k.String()] = true
	}
	if OpKinds.String() != "unknown" {
		t.Errorf("one too many is %v", OpKinds)
	}
	var table OpTable
	table[OpKindTSend].Done, table[OpKindRead].Failed = 3, 1
	var got []OpKind
	for k := range table.All() {
		got = append(got, k)
	}
	if len(got) != 2 || got[0] != OpKindTSend || got[1] != OpKindRead {
		t.Errorf("has happened: %v", got)
	}
}
