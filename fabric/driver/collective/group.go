package collective

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
)

type groupState uint8

const (
	groupJoining groupState = iota // members have not told their numbers
	groupReady
	groupFailed // a member has ended, or we leave
)

// group is one that this endpoint is a member of.
type group struct {
	e       *Endpoint
	id      uint32 // the number that messages to us carry
	self    int
	members []fi.Addr
	names   []string
	ranks   map[fi.Addr]int
	flags   fi.AVSetFlags
	hash    uint64 // of the members: what tells groups that are being joined apart
	state   groupState
	done    func(fi.Errno, string) // of the join; nil when it was called

	ids    []uint32 // the numbers that messages to each member carry
	heard  []bool   // who has told it
	absent int      // how many have not

	seq     uint64
	plans   map[coll.Args]*plan
	barrier *plan
	asked   []bool // members whose answer to a probe is awaited
	err     fi.Errno
	text    string
	left    bool // forgotten when its last operation has ended
	ops     int  // that run
}

// keyed is the bit of the numbers of groups whose members the application manages.
const keyed uint32 = 1 << 16

// Join begins to make a group.
func (e *Endpoint) Join(j *driver.Join) (fi.Addr, error) {
	n := len(j.Members)
	if n == 0 || n > MaxMembers || len(j.Names) != n || j.Self < 0 || j.Self >= n || j.Key >= int(keyed)-1 || len(j.Names[j.Self]) > nameMost {
		return fi.AddrNotAvail, fi.ErrInvalid
	}
	g := &group{e: e, self: j.Self, members: append([]fi.Addr(nil), j.Members...), names: make([]string, n),
		ranks: make(map[fi.Addr]int, n), flags: j.Flags, done: j.Done, ids: make([]uint32, n), heard: make([]bool, n),
		asked: make([]bool, n), plans: make(map[coll.Args]*plan)}
	h := fnv.New64a()
	for i, a := range g.members {
		g.ranks[a] = i
		g.names[i] = string(j.Names[i])
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(j.Names[i]))))
		h.Write(j.Names[i])
	}
	e.eng.Lock()
	defer e.eng.Unlock()
	if e.closed {
		return fi.AddrNotAvail, fi.ErrBadFD
	}
	if j.Base != fi.AddrNotAvail {
		base := e.group(j.Base)
		if base == nil {
			return fi.AddrNotAvail, fi.ErrInvalid
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, base.hash))
	}
	g.hash = h.Sum64()
	if err := e.number(g, j.Key); err != 0 {
		return fi.AddrNotAvail, err
	}
	e.listen(g)
	if j.Key >= 0 {
		for i := range g.ids {
			g.ids[i] = g.id
		}
		g.joined(0, "")
	} else {
		g.ask()
	}
	return groupAddr | fi.Addr(g.id), nil
}

// MaxMembers is how many members a group may have.
const MaxMembers = coll.MaxMembers

// number gives a group its number, and enters it.
func (e *Endpoint) number(g *group, key int) fi.Errno {
	if key >= 0 {
		g.id = keyed | uint32(key)
		if e.groups[g.id] != nil {
			return fi.ErrExist
		}
		e.enter(g)
		return 0
	}
	for range keyed { // the number that was free for the longest time
		e.last = (e.last + 1) % keyed
		if e.groups[e.last] == nil {
			g.id = e.last
			e.enter(g)
			return 0
		}
	}
	return fi.ErrNoSpc
}

func (e *Endpoint) enter(g *group) {
	e.groups[g.id] = g
	delete(e.gone, g.id)
}

// joined ends the join.
func (g *group) joined(err fi.Errno, text string) {
	if g.done == nil {
		return
	}
	if g.state = groupReady; err != 0 {
		g.state, g.err, g.text = groupFailed, err, text
	}
	done := g.done
	g.done = nil
	done(err, text)
}

// Leave ends our part in a group.
func (e *Endpoint) Leave(at fi.Addr) error {
	e.eng.Lock()
	defer e.eng.Unlock()
	g := e.group(at)
	if g == nil || g.left {
		return fi.ErrInvalid
	}
	g.left = true
	if !e.closed && (g.state == groupJoining || g.ops > 0) {
		g.fail(fi.ErrCanceled, "the endpoint has left the group", g.self)
	}
	g.forget()
	return nil
}

// forget takes a group out that was left, when nothing of it runs.
func (g *group) forget() {
	if g.left && g.ops == 0 && g.e.groups[g.id] == g {
		delete(g.e.groups, g.id)
		g.e.remember(g)
	}
}

// goneMost is how many groups are remembered that were left, for members that still wait there.
const goneMost = 1024

// remember has probes of a group that was left answered, until its number is given again.
func (e *Endpoint) remember(g *group) {
	if len(e.goners) == goneMost {
		if old := e.goners[0]; e.gone[old.id] == old {
			delete(e.gone, old.id)
		}
		e.goners = append(e.goners[:0], e.goners[1:]...)
	}
	g.plans, g.barrier = nil, nil
	e.gone[g.id] = g
	e.goners = append(e.goners, g)
}

// fail ends everything of the group: member rank has ended. It tells the others, unless they are the ones who said so.
func (g *group) fail(err fi.Errno, text string, rank int) {
	if g.state == groupFailed {
		return
	}
	joining := g.state == groupJoining
	g.state, g.err, g.text = groupFailed, err, text
	if joining {
		g.e.joining--
	}
	for i := range g.members {
		if i != g.self && i != rank {
			g.tell(i, kindAbort, rank)
		}
	}
	if joining {
		g.joined(err, text)
	}
	g.e.running.each(func(x *op) {
		if x.g == g {
			x.fail(err, text)
			x.revoke()
		}
	})
}

// who names a member in texts.
func (g *group) who(rank int) string {
	return fmt.Sprintf("member %d of the group (address %d)", rank, g.members[rank])
}

// args finds out what is asked from the lengths of the buffers.
func (g *group) args(o fi.CollectiveOp, root fi.Addr, k *fiatomic.Kernel, size, in, out int) (a coll.Args, err fi.Errno) {
	n := len(g.members)
	a = coll.Args{Coll: coll.Coll(o), Members: n, Rank: g.self}
	if a.Coll == coll.Barrier {
		return a, 0
	}
	if a.Coll.Rooted() {
		r, ok := g.ranks[root]
		if !ok {
			return a, fi.ErrInvalid
		}
		a.Root = r
	}
	block, other := in, out // bytes of one block, and what the other buffer must have
	rooted := a.Root == g.self
	switch a.Coll {
	case coll.Broadcast, coll.Allreduce:
	case coll.Reduce:
		if !rooted {
			other = block
		}
	case coll.Alltoall:
		if in != out || in%n != 0 {
			return a, fi.ErrInvalid
		}
		block, other = in/n, in/n
	case coll.Allgather:
		if out%n != 0 {
			return a, fi.ErrInvalid
		}
		other = out / n
	case coll.Gather:
		if other = block; rooted {
			if out%n != 0 {
				return a, fi.ErrInvalid
			}
			other = out / n
		}
	case coll.ReduceScatter:
		if in%n != 0 {
			return a, fi.ErrInvalid
		}
		block, other = out, in/n
	case coll.Scatter:
		if block, other = out, out; rooted {
			if in%n != 0 {
				return a, fi.ErrInvalid
			}
			other = in / n
		}
	default:
		return a, fi.ErrInvalid
	}
	if block != other || size < 1 || block%size != 0 || block/size == 0 {
		return a, fi.ErrInvalid
	}
	a.Count, a.Size = block/size, size
	if k != nil {
		a.Ordered = k.Op() == fi.AtomicDiff || k.Op() == fi.AtomicWrite
	}
	return a, 0
}
