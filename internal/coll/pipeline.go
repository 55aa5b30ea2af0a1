package coll

// segments cuts a span of whole elements into segments.
type segments struct {
	s    Span
	each int // bytes
}

// segments is for spans of at most n bytes, of which most segments each are allowed.
func (b *builder) segments(n, most int) int {
	each := b.a.Segment
	if each == 0 {
		each = DefaultSegment
	}
	each = max(each, (n+most-1)/most)
	return (each + b.a.Size - 1) / b.a.Size * b.a.Size
}

// count of segments.
func (g segments) count() int { return (g.s.Len + g.each - 1) / g.each }

// at is segment i; beyond the last one it is empty.
func (g segments) at(i int) Span {
	off := min(i*g.each, g.s.Len)
	return g.s.part(off, min(g.each, g.s.Len-off))
}

// broadcastPipeline lets segments go from one member to the next: while one comes in, the one before goes out.
func broadcastPipeline(b *builder) {
	v, size := b.relative(), b.size()
	g := segments{Span{Out, 0, size}, b.segments(size, tagMore)}
	if v == 0 {
		g.s.Buf = In
	}
	last := v == b.n()-1
	for i := range g.count() {
		if v > 0 {
			b.recv(b.absolute(v-1), i, g.at(i))
		}
		switch {
		case last:
		case v == 0:
			b.send(b.absolute(1), i, g.at(i))
		case i > 0:
			b.send(b.absolute(v+1), i-1, g.at(i-1))
		}
		b.next()
	}
	if v > 0 && !last {
		b.send(b.absolute(v+1), g.count()-1, g.at(g.count()-1))
	}
}
