package wire

import "testing"

// BenchmarkTagged writes and reads the header of the commonest message.
func BenchmarkTagged(b *testing.B) {
	for _, o := range []Order{Little, Big} {
		b.Run(o.String(), func(b *testing.B) {
			e, d := NewEncoder(o), NewDecoder(o, RDM1Ops)
			buf := make([]byte, MaxHeader)
			var h Header
			for i := range b.N {
				e.PutTagged(buf, 0, 0, uint64(i), 8)
				if _, err := d.Header(buf, &h); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWrite writes and reads the header of an RMA write of the extension.
func BenchmarkWrite(b *testing.B) {
	e, d := NewEncoder(Little), NewDecoder(Little, allExt)
	buf := make([]byte, MaxHeader)
	var h Header
	r := rma(16, 8, key)
	for i := range b.N {
		e.PutExtWrite(buf, 0, uint32(i)|1, 0, r, 8)
		if _, err := d.Header(buf, &h); err != nil {
			b.Fatal(err)
		}
	}
}
