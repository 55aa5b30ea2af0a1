package match

// poolLimit is how many free objects a pool keeps; the rest of a burst goes back to the garbage collector.
const poolLimit = 4096

// A pool hands out zeroed objects and takes them back. Objects are allocated one by one: a block of them would be held
// by the last one in use.
type pool[T any] struct {
	free []*T
}

//fabric:fastpath
func (p *pool[T]) get() *T {
	if n := len(p.free) - 1; n >= 0 {
		x := p.free[n]
		p.free = p.free[:n]
		return x
	}
	return p.fresh()
}

//go:noinline
func (p *pool[T]) fresh() *T { return new(T) }

// put takes an object that refers to nothing any more.
//
//fabric:fastpath
func (p *pool[T]) put(x *T) {
	if len(p.free) < poolLimit {
		p.free = append(p.free, x)
	}
}
