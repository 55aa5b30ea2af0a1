package session

import (
	"os"
	"strconv"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fi"
)

// Facts of fabtests programs that the other side relies on.
const (
	// CtrlSize is the least size of a buffer: addresses and keys are exchanged in messages of at most that length.
	CtrlSize = 1024
	// AckSize is the size of the message that confirms a window, and what the regions of a pair leave free before RMA.
	AckSize = 4
	// RegionKey is the key asked for.
	RegionKey = 0xC0DE

	lineSize = 64
	// mostMemory bounds the slots of a window: with large messages several of them share one.
	mostMemory = 64 << 20
)

// Sizes are the transfer sizes of this run.
func (s *Session) Sizes() []int {
	if s.need.Size > 0 {
		return []int{s.need.Size}
	}
	return s.Opt.SizeList(s.maxSize())
}

func (s *Session) maxSize() uint64 {
	most := s.Info.EP.MaxMsgSize
	if n := s.Opt.MaxMsgSize; n > 0 {
		most = min(most, uint64(n))
	}
	return most
}

// window is how many slots are wanted.
func (s *Session) window() int {
	if s.need.Windows {
		return s.Opt.Window
	}
	return 1
}

// allocate makes the receive slots, and behind them the transmit slots, as one piece of memory.
func (s *Session) allocate() error {
	sizes := s.Sizes()
	if len(sizes) == 0 { // a run without a row would look like a success
		return &fail.Usage{Text: "no size is left: a message has at most " + strconv.FormatUint(s.maxSize(), 10) + " bytes here",
			Next: "a smaller size with -S, or a larger --max-msg-size"}
	}
	largest := CtrlSize
	for _, n := range sizes {
		largest = max(largest, n)
	}
	s.Slot = round(largest, lineSize)
	if s.Opt.Align {
		s.Slot = round(largest, os.Getpagesize())
	}
	switch {
	case s.Opt.Verify:
		s.Slots = s.window()
	case s.Opt.Touch:
		s.Slots = max(1, min(s.window(), mostMemory/s.Slot))
	default: // one buffer for all, as libfabric's programs and other peers have it
		s.Slots = 1
	}
	side, used := s.sideSize(largest)
	m, err := newMemory(2*side, s.align(), s.Opt)
	if err != nil {
		return fail.Call("mr_alloc", err)
	}
	s.memory, s.remoteOff = m, side
	s.Rx, s.Tx = m.bytes[:side:side], m.bytes[side:2*side:2*side]
	for i := range s.window() {
		s.contexts = append(s.contexts, &slotContext{i})
	}
	if s.Opt.Touch {
		s.scratch = make([]byte, s.Slot)
		pattern.Fill(s.scratch)
	}
	for i := 0; i < used; i += 4096 { // every page is there before the clock starts
		s.Rx[i], s.Tx[i] = 0, 0
	}
	return nil
}

// sideSize is how many bytes the receive slots take, and how many of them will be used; the transmit slots are as long. A C
// program that reads and writes our memory looks for its places where they are in its own: it has room for a window of
// its largest size, which is that of -S all unless there is one size only.
func (s *Session) sideSize(largest int) (side, used int) {
	align := s.align()
	side = round(s.Slot*s.Slots+lineSize, align)
	used = side
	if s.likeC() {
		most := max(CtrlSize, int(min(s.Opt.LargestInC(), s.maxSize())))
		side = max(side, round(most*s.Opt.Window+AckSize, align))
		used = min(side, largest*s.Opt.Window+lineSize)
	}
	return side, used
}

// likeC tells whether the peer may be a C program that looks for its places in our memory.
func (s *Session) likeC() bool { return s.need.Remote && !s.Opt.Child.On }

// align is where both sides' slots begin: long ones at pages, where a program's long buffers are.
func (s *Session) align() int {
	if s.Opt.Align || !s.likeC() && s.Slot >= os.Getpagesize() {
		return os.Getpagesize()
	}
	return lineSize
}

func round(n, to int) int { return (n + to - 1) / to * to }

// register makes the memory a region, where peers shall reach it or the provider wants it.
func (s *Session) register() (err error) {
	i := s.Info
	remote := i.Caps&(fi.CapRMA|fi.CapAtomic) != 0 && !s.need.NoRegion
	if !remote && i.Domain.MRMode&fi.MRModeLocal == 0 {
		return nil
	}
	var access fi.Access
	if i.Caps&(fi.CapMsg|fi.CapTagged) != 0 {
		access |= fi.AccessSend | fi.AccessRecv
	}
	if remote {
		access |= fi.AccessRead | fi.AccessWrite | fi.AccessRemoteRead | fi.AccessRemoteWrite
	}
	attr := &fi.MRAttr{Key: RegionKey}
	if s.need.RMAEvents {
		attr.Flags = fi.MRRMAEvent
	}
	s.MR, err = s.Region(s.Domain, s.EP, s.memory.bytes, access, attr)
	return err
}
