package stress

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// card is what a rank tells of itself before a phase.
type card struct {
	Names  [][]byte  // of its endpoints, by lane
	Remote mr.Remote // its memory
}

// meet makes the peers of the phase known: cards are those of all ranks.
func (n *node) meet(cards []card, r *rand.Rand) error {
	n.remote = n.remote[:0]
	for _, c := range cards {
		n.remote = append(n.remote, c.Remote)
	}
	if n.av == nil {
		return nil
	}
	for at, name := range n.names {
		if n.h.Refresh[n.rank] || name != string(cards[at.Rank].Names[at.Lane]) {
			if err := n.av.Remove([]fi.Addr{n.addr[at]}); err != nil {
				return err
			}
			delete(n.byAddr, n.addr[at])
			delete(n.addr, at)
			delete(n.names, at)
		}
	}
	places := n.places()
	r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, at := range places {
		if _, known := n.names[at]; known {
			continue
		}
		a, err := n.insert(cards[at.Rank].Names[at.Lane])
		if err != nil {
			return err
		}
		n.names[at], n.addr[at], n.byAddr[a] = string(cards[at.Rank].Names[at.Lane]), a, at
	}
	n.second = map[place]fi.Addr{}
	if n.h.Second[n.rank] {
		for _, at := range places {
			a, err := n.insert([]byte(n.names[at]))
			if err != nil {
				return err
			}
			n.second[at] = a
		}
	}
	return nil
}

// insert gives an address a name and looks whether it is the one.
func (n *node) insert(raw []byte) (fi.Addr, error) {
	var out [1]fi.Addr
	if _, err := n.av.Insert([][]byte{raw}, out[:], 0); err != nil {
		return 0, err
	}
	got, err := n.av.Lookup(out[0])
	if err == nil && !bytes.Equal(got, raw) {
		err = fmt.Errorf("the vector gives %q for the address that %q was inserted as", got, raw)
	}
	return out[0], err
}

// part takes the second names away.
func (n *node) part() error {
	for _, a := range n.second {
		if err := n.av.Remove([]fi.Addr{a}); err != nil {
			return err
		}
	}
	n.second = nil
	return nil
}

// churn inserts a peer once more and removes it while messages are on their way.
func (n *node) churn(r *rand.Rand) error {
	places := n.places()
	a, err := n.insert([]byte(n.names[places[r.IntN(len(places))]]))
	if err != nil {
		return err
	}
	return n.av.Remove([]fi.Addr{a})
}

// places lists those of all ranks.
func (p *plan) places() []place {
	var out []place
	for rank := range p.Ranks {
		for lane := range p.Lanes {
			out = append(out, place{rank, lane})
		}
	}
	return out
}
