package session

import (
	"sync/atomic"
	"unsafe"
)

// WaitByte waits until a peer's write has put b into the last byte of buf. It drives the endpoint meanwhile: the
// provider may need that to write at all. The byte is read as a part of an aligned word, which buf's memory contains.
func (s *Session) WaitByte(buf []byte, b byte) error {
	var p patience
	at := uintptr(unsafe.Pointer(&buf[len(buf)-1]))
	word := (*uint32)(unsafe.Pointer(unsafe.SliceData(s.memory.bytes)))
	base := uintptr(unsafe.Pointer(word))
	word = (*uint32)(unsafe.Add(unsafe.Pointer(word), (at-base)&^3))
	for {
		w := atomic.LoadUint32(word)
		if (*[4]byte)(unsafe.Pointer(&w))[(at-base)&3] == b {
			return nil
		}
		if n, err := s.RxCQ.Read(nil); n == 0 && err != nil && !empty(err) {
			return s.queueError(s.RxCQ, err)
		}
		if err := s.tired(&p); err != nil {
			return err
		}
	}
}
