package ring

// The first word of a line: seq:32 | op:6 | place:2 | len:8 | aux:16. "Shape" is place and len where they stand.
const (
	opShift    = 32
	placeShift = 38
	lenShift   = 40
	auxShift   = 48

	opMask    = 0x3f
	placeMask = 3 << placeShift

	placeInline = 0 << placeShift
	placeNext   = 1 << placeShift
	placeArea   = 2 << placeShift

	descriptor = 8 // bytes of size and offset in the line of a message with place area

	noReservation = ^uint64(0) // as a shape: its place is none of the three
)

// MaxOp is the largest operation code that a line can carry.
const MaxOp = opMask

func word(pos uint32, op uint8, aux uint16, shape uint64) uint64 {
	return uint64(pos+1) | uint64(op&opMask)<<opShift | shape | uint64(aux)<<auxShift
}

func roundUp(n uint32) uint32 { return (n + LineSize - 1) &^ (LineSize - 1) }
