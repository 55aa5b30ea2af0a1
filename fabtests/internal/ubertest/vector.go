package ubertest

// cut cuts n pieces into k parts, in one of four ways: even, growing, shrinking or at random. Parts may be empty where
// there are fewer pieces than parts.
func cut(n, k, way int, random func(n int) int) []int {
	out := make([]int, k)
	left := n
	for i := range out[:k-1] {
		var part int
		switch way {
		case 0:
			part = n / k
		case 1:
			part = 2 * n * (i + 1) / (k * (k + 1))
		case 2:
			part = 2 * n * (k - i) / (k * (k + 1))
		default:
			part = random(left + 1)
		}
		out[i] = min(part, left)
		left -= out[i]
	}
	out[k-1] = left
	return out
}

// ways is how many ways there are to cut.
const ways = 4

// next is how many parts the next vector has.
func (d *direction) next(limit int) int {
	k := parts[d.part]
	if d.part++; d.part >= len(parts) || parts[d.part] > limit {
		d.part = 0
	}
	return min(k, max(limit, 1))
}

// vector cuts a buffer of pieces into parts. The result is used until the next one.
func (s *side) vector(d *direction, buf []byte, piece, limit int) [][]byte {
	n := len(buf) / piece
	k := d.next(limit)
	if piece > 1 { // an atomic has no part without an element
		k = min(k, n)
	}
	lens := cut(n, k, s.rng.IntN(ways), s.rng.IntN)
	if piece > 1 {
		whole(lens)
	}
	s.iovs = slicesOf(s.iovs[:0], buf, lens, piece)
	return s.iovs
}

// whole leaves no part empty: it takes from the longest.
func whole(lens []int) {
	for i, n := range lens {
		if n > 0 {
			continue
		}
		longest := 0
		for j, m := range lens {
			if m > lens[longest] {
				longest = j
			}
		}
		lens[longest]--
		lens[i]++
	}
}

// slicesOf appends the parts of a buffer.
func slicesOf(out [][]byte, buf []byte, lens []int, piece int) [][]byte {
	for _, n := range lens {
		out, buf = append(out, buf[:n*piece:n*piece]), buf[n*piece:]
	}
	return out
}
