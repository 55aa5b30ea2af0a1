package promfabric

// sums are objects by labels K, and what those have counted that were removed.
type sums[K comparable, S any, O comparable] struct {
	live map[K][]O
	gone map[K]*S
}

func (x *sums[K, S, O]) add(k K, o O) {
	if x.live == nil {
		x.live, x.gone = make(map[K][]O), make(map[K]*S)
	}
	x.live[k] = append(x.live[k], o)
	if x.gone[k] == nil {
		x.gone[k] = new(S)
	}
}

// remove takes an object out, with what is to be kept of it.
func (x *sums[K, S, O]) remove(k K, o O, keep func(total *S)) {
	for i, l := range x.live[k] {
		if l == o {
			x.live[k] = append(x.live[k][:i:i], x.live[k][i+1:]...)
			keep(x.gone[k])
			return
		}
	}
}

// totals gives, for all labels that were ever there, what is kept with the numbers of all objects added.
func (x *sums[K, S, O]) totals(add func(s *S, o O)) map[K]*S {
	out := make(map[K]*S, len(x.gone))
	for k, kept := range x.gone {
		s := *kept
		for _, o := range x.live[k] {
			add(&s, o)
		}
		out[k] = &s
	}
	return out
}
