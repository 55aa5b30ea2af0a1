package atomic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/x448/float16"
)

// conversions are those of all small floats, as 16-bit codes.
var conversions = map[fi.Datatype]struct {
	from func(uint16) float32
	to   func(float32) uint16
}{
	fi.TypeFloat16:    {FromFloat16, ToFloat16},
	fi.TypeBFloat16:   {FromBFloat16, ToBFloat16},
	fi.TypeFloat8E4M3: {func(c uint16) float32 { return FromFloat8E4M3(uint8(c)) }, func(v float32) uint16 { return uint16(ToFloat8E4M3(v)) }},
	fi.TypeFloat8E5M2: {func(c uint16) float32 { return FromFloat8E5M2(uint8(c)) }, func(v float32) uint16 { return uint16(ToFloat8E5M2(v)) }},
}

func TestFloat16MatchesX448(t *testing.T) {
	for c := range 1 << 16 {
		got, want := FromFloat16(uint16(c)), float16.Frombits(uint16(c)).Float32()
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("FromFloat16(%#04x) = %#08x, want %#08x", c, math.Float32bits(got), math.Float32bits(want))
		}
		// Each value, the points half way to its neighbours, and what is just beside those.
		for _, d := range []int32{0, 1, -1, 0x0fff, 0x1000, 0x1001, -0x0fff, -0x1000, -0x1001} {
			v := math.Float32frombits(math.Float32bits(got) + uint32(d))
			if g, w := ToFloat16(v), float16.Fromfloat32(v).Bits(); g != w {
				t.Fatalf("ToFloat16(%#08x) = %#04x, want %#04x", math.Float32bits(v), g, w)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		v := math.Float32frombits(r.Uint32())
		if g, w := ToFloat16(v), float16.Fromfloat32(v).Bits(); g != w {
			t.Fatalf("ToFloat16(%#08x) = %#04x, want %#04x", math.Float32bits(v), g, w)
		}
	}
}

func TestConversionsMatchDefinition(t *testing.T) {
	for dt, conv := range conversions {
		t.Run(typeNames[dt], func(t *testing.T) {
			f := formats[dt]
			check := func(v float32) {
				got, want := conv.to(v), f.nearest(float64(v))
				if g, w := f.value(got), f.value(want); got != want && (g == g || w == w) {
					t.Fatalf("to(%g = %#08x) = %#x, want %#x", v, math.Float32bits(v), got, want)
				}
				if math.Signbit(float64(v)) != (got>>(f.exp+f.frac) != 0) {
					t.Fatalf("to(%#08x) = %#x lost the sign", math.Float32bits(v), got)
				}
			}
			for c := range uint16(1<<(f.exp+f.frac+1) - 1) {
				v, want := conv.from(c), f.value(c)
				if float64(v) != want && (v == v || want == want) || v == 0 && math.Signbit(float64(v)) != math.Signbit(want) {
					t.Fatalf("from(%#x) = %g, want %g", c, v, want)
				}
				if v == v && conv.to(v) != c {
					t.Fatalf("to(from(%#x)) = %#x", c, conv.to(v))
				}
				mid := float32((f.value(c) + f.value(c+1)) / 2)
				for _, x := range []float32{v, mid, math.Nextafter32(mid, 0), math.Nextafter32(mid, float32(math.Inf(1)))} {
					check(x)
					check(-x)
				}
			}
			r := rand.New(rand.NewPCG(3, 4))
			for range 50_000 {
				check(math.Float32frombits(r.Uint32()))
				check(float32(r.NormFloat64() * math.Ldexp(1, r.IntN(40)-25)))
			}
		})
	}
}

func TestNaNConversions(t *testing.T) {
	for dt, conv := range conversions {
		f := formats[dt]
		for _, b := range []uint32{0x7f800001, 0x7fc00000, 0xff800001, 0xffffffff, 0x7fbfffff} {
			got := conv.to(math.Float32frombits(b))
			if v := f.value(got); v == v {
				t.Errorf("%s: NaN %#08x became %#x = %g", typeNames[dt], b, got, v)
			}
			if sign := got >> (f.exp + f.frac); uint32(sign) != b>>31 {
				t.Errorf("%s: NaN %#08x became %#x: another sign", typeNames[dt], b, got)
			}
		}
	}
}

func TestOverflowRules(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		dt   fi.Datatype
		in   float32
		want uint16
	}{
		{fi.TypeFloat8E4M3, 448, 0x7e}, {fi.TypeFloat8E4M3, 464, 0x7e}, {fi.TypeFloat8E4M3, 464.0001, 0x7f},
		{fi.TypeFloat8E4M3, inf, 0x7f}, {fi.TypeFloat8E4M3, -inf, 0xff}, {fi.TypeFloat8E4M3, -1e30, 0xff},
		{fi.TypeFloat8E5M2, 57344, 0x7b}, {fi.TypeFloat8E5M2, 61439.99, 0x7b}, {fi.TypeFloat8E5M2, 61440, 0x7c},
		{fi.TypeFloat8E5M2, -inf, 0xfc},
		{fi.TypeFloat16, 65504, 0x7bff}, {fi.TypeFloat16, 65519.99, 0x7bff}, {fi.TypeFloat16, 65520, 0x7c00},
		{fi.TypeBFloat16, math.MaxFloat32, 0x7f80}, {fi.TypeBFloat16, 0x1.fep127, 0x7f7f}, {fi.TypeBFloat16, inf, 0x7f80},
	} {
		if got := conversions[c.dt].to(c.in); got != c.want {
			t.Errorf("%s: to(%g) = %#x, want %#x", typeNames[c.dt], c.in, got, c.want)
		}
	}
}
