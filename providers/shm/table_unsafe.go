package shm

import "unsafe"

// tableOf gives the words and slots of a table's memory, which must have tableBytes bytes and begin at a page.
func tableOf(mem []byte) (asleep, events *uint32, slots *[tableSlots]slot) {
	return (*uint32)(unsafe.Pointer(&mem[0])), (*uint32)(unsafe.Pointer(&mem[64])),
		(*[tableSlots]slot)(unsafe.Pointer(&mem[slotsAt]))
}

var _ [slotBytes]byte = [unsafe.Sizeof(slot{})]byte{} // a slot is as long as the layout says
