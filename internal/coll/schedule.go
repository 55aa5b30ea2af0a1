package coll

// Kind says what a step does.
type Kind uint8

// Kinds of steps.
const (
	KindSend   Kind = iota // Src goes to Peer
	KindRecv               // a message of Peer's comes into Dst
	KindCopy               // Dst = Src
	KindReduce             // Dst = Dst op Src, element by element
)

// Buf names one of the buffers of an operation: those below, and then [InBlock] and [OutBlock] of operations with a block
// for each member or neighbour.
type Buf uint32

// Buffers.
const (
	In         Buf = iota // what the member contributes; never written. Of a broadcast, the root's
	Out                   // the result
	Tmp                   // scratch memory of Schedule.Tmp bytes
	blocksFrom            // where those of blocks begin
)

// Span is a part of a buffer in bytes.
type Span struct {
	Buf      Buf
	Off, Len int
}

// Step is one thing that a member does.
type Step struct {
	Kind     Kind
	Peer     int    // of sends and receives: the other member's rank
	Tag      uint32 // of sends and receives: below MaxTag
	Src, Dst Span   // of equal length where both are used
}

// Round is a set of communications, and what is done when all of them have completed.
type Round struct {
	Comm  []Step // receives and sends, in the order to post them
	Local []Step // copies and reductions
}

// Schedule is what one member does for one collective operation.
type Schedule struct {
	Alg    Alg
	Rounds []Round
	Tmp    int // bytes of scratch memory
	Sends  int // messages that this member sends
	Bytes  int // what they carry in all
}

// MaxMembers is how many members a group may have.
const MaxMembers = 1 << 20

// MaxTag is one more than the largest tag of a step.
const MaxTag = 1 << 23

// builder makes a schedule round by round.
type builder struct {
	a   Args
	s   *Schedule
	cur Round
	tag uint32 // added to the tags of steps: the parts of a composed schedule keep apart
}

func (b *builder) n() int { return b.a.Members }

// size is the bytes of Count elements.
func (b *builder) size() int { return b.a.Count * b.a.Size }

// next ends a round, if it has anything.
func (b *builder) next() {
	if len(b.cur.Comm)+len(b.cur.Local) > 0 {
		b.s.Rounds = append(b.s.Rounds, b.cur)
		b.cur = Round{}
	}
}

// comm makes sure that a communication can still join the round.
func (b *builder) comm(s Step) {
	if len(b.cur.Local) > 0 {
		b.next()
	}
	s.Tag += b.tag
	if b.cur.Comm == nil {
		b.cur.Comm = make([]Step, 0, 2)
	}
	b.cur.Comm = append(b.cur.Comm, s)
}

func (b *builder) send(to int, tag int, src Span) {
	b.s.Sends++
	b.s.Bytes += src.Len
	b.comm(Step{Kind: KindSend, Peer: to, Tag: uint32(tag), Src: src})
}

func (b *builder) recv(from int, tag int, dst Span) {
	b.comm(Step{Kind: KindRecv, Peer: from, Tag: uint32(tag), Dst: dst})
}

func (b *builder) copy(dst, src Span) {
	if dst != src && dst.Len > 0 {
		b.cur.Local = append(b.cur.Local, Step{Kind: KindCopy, Src: src, Dst: dst})
	}
}

func (b *builder) reduce(dst, src Span) {
	if dst.Len > 0 {
		b.cur.Local = append(b.cur.Local, Step{Kind: KindReduce, Src: src, Dst: dst})
	}
}

// scratch takes n bytes of scratch memory.
func (b *builder) scratch(n int) Span {
	at := b.s.Tmp
	b.s.Tmp += n
	return Span{Tmp, at, n}
}

// input is where the n bytes that the member contributes are.
func (b *builder) input(n int) Span {
	switch {
	case !b.a.InPlace:
		return Span{In, 0, n}
	case b.a.Coll == Allgather || b.a.Coll == Gather:
		return Span{Out, b.a.Rank * n, n}
	case b.a.Coll == Allgatherv || b.a.Coll == Gatherv:
		return Span{OutBlock(b.a.Rank), 0, n}
	}
	return Span{Out, 0, n}
}

// part is n bytes of a span from off.
func (s Span) part(off, n int) Span { return Span{s.Buf, s.Off + off, n} }

// blocks cuts count elements of a size into n blocks, the first ones larger by one element. at(i) is where block i begins.
type blocks struct{ count, n, size int }

func (k blocks) at(i int) int { return (k.count/k.n*i + min(i, k.count%k.n)) * k.size }

// of is the blocks from i up to j of a span.
func (k blocks) of(s Span, i, j int) Span { return s.part(k.at(i), k.at(j)-k.at(i)) }
