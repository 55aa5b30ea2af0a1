package match

import "unsafe"

// msgBytes is the fixed part of an unexpected message in memory.
const msgBytes = int(unsafe.Sizeof(Msg{}))
