package element

import "reflect"

// FixBools makes every bool in the elements of raw, which somebody else sent, one that Go knows: any byte but 0 becomes 1.
// It does nothing when there is none ([Info.HasBool]) or to an element that is not whole.
func (e *Info) FixBools(raw []byte) {
	if !e.bool {
		return
	}
	for ; len(raw) >= e.Size; raw = raw[e.Size:] {
		fixBools(e.Type, raw[:e.Size])
	}
}

func fixBools(t reflect.Type, raw []byte) {
	switch t.Kind() {
	case reflect.Bool:
		if raw[0] != 0 {
			raw[0] = 1
		}
	case reflect.Array:
		for i, el := 0, t.Elem(); i < t.Len(); i++ {
			fixBools(el, raw[uintptr(i)*el.Size():])
		}
	case reflect.Struct:
		for f := range t.Fields() {
			fixBools(f.Type, raw[f.Offset:])
		}
	}
}
