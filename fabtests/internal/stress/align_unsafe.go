package stress

import "unsafe"

// bytesOf is the memory of words, which is aligned to them.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}
