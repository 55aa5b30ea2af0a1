package element

import (
	"bytes"
	"reflect"
)

// kindCode numbers the basic kinds, from 1. A padding byte is pad.
var kindCode = [reflect.UnsafePointer + 1]byte{
	reflect.Bool: 1, reflect.Int8: 2, reflect.Uint8: 3, reflect.Int16: 4, reflect.Uint16: 5, reflect.Int32: 6,
	reflect.Uint32: 7, reflect.Int64: 8, reflect.Uint64: 9, reflect.Float32: 10, reflect.Float64: 11,
	reflect.Complex64: 12, reflect.Complex128: 13,
}

const (
	pad      = 14 // one byte between fields
	maxUnit  = 4096
	firstMix = 32 // hashes of units of more than one code start here
)

// signature is the sequence of basic kinds in memory: unit, times over. The unit is the shortest that repeats, so that
// types of the same sequence have the same unit.
type signature struct {
	unit  []byte
	times int
	cut   bool // a unit of more than maxUnit codes: only its start is kept
}

func signatureOf(t reflect.Type) signature {
	switch t.Kind() {
	case reflect.Array:
		s := signatureOf(t.Elem())
		s.times *= t.Len()
		return s
	case reflect.Struct:
		return structSignature(t)
	}
	return signature{unit: []byte{kindCode[SizedKind(t.Kind())]}, times: 1}
}

func structSignature(t reflect.Type) signature {
	var parts []signature
	add := func(s signature) {
		if s.times != 0 && len(s.unit) != 0 {
			parts = append(parts, s)
		}
	}
	at := uintptr(0)
	for f := range t.Fields() {
		add(signature{unit: []byte{pad}, times: int(f.Offset - at)})
		add(signatureOf(f.Type))
		at = f.Offset + f.Type.Size()
	}
	add(signature{unit: []byte{pad}, times: int(t.Size() - at)})
	return join(parts)
}

// join makes one signature of those that follow each other.
func join(parts []signature) signature {
	if len(parts) == 0 {
		return signature{}
	}
	same, times, cut := true, 0, false
	for _, p := range parts {
		same = same && p.cut == parts[0].cut && bytes.Equal(p.unit, parts[0].unit)
		times += p.times
		cut = cut || p.cut
	}
	if same {
		return signature{unit: parts[0].unit, times: times, cut: cut}
	}
	var flat []byte
	for _, p := range parts {
		for range p.times {
			if flat = append(flat, p.unit...); len(flat) > maxUnit {
				return signature{unit: flat[:maxUnit], times: 1, cut: true}
			}
		}
	}
	n := period(flat)
	return signature{unit: flat[:n], times: len(flat) / n, cut: cut}
}

// period is the length of the shortest part of which s is a repetition.
func period(s []byte) int {
	border := make([]int, len(s)+1) // of each prefix: its longest proper prefix that is a suffix too
	border[0] = -1
	for i, k := 0, -1; i < len(s); {
		for k >= 0 && s[i] != s[k] {
			k = border[k]
		}
		i++
		k++
		border[i] = k
	}
	if n := len(s) - border[len(s)]; len(s)%n == 0 {
		return n
	}
	return len(s)
}

func (s signature) like(o signature) bool { return s.cut == o.cut && bytes.Equal(s.unit, o.unit) }

// hash folds the unit to 10 bits. A single code stands for itself.
func (s signature) hash() uint16 {
	if len(s.unit) == 1 {
		return uint16(s.unit[0])
	}
	h := uint32(2166136261) // FNV-1a
	for _, c := range s.unit {
		h = (h ^ uint32(c)) * 16777619
	}
	return firstMix + uint16((h^h>>16)%(1024-firstMix))
}

func (s signature) has(code byte) bool { return s.cut || bytes.IndexByte(s.unit, code) >= 0 }

// padding is exact unless the unit is cut.
func (s signature) padding() int { return bytes.Count(s.unit, []byte{pad}) * s.times }
