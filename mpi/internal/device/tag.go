package device

// The 64 bits of a tag:
//
//	63-62  space
//	61-60  0
//	59-32  context: the communicator or window
//	31-0   what the space says: of messages between two members the user's tag, which has 31 bits
const (
	spaceShift   = 62
	contextShift = 32

	// ContextBits is how many bits a context has.
	ContextBits = 28

	// MaxTag is the largest tag of a user.
	MaxTag = 1<<31 - 1

	// AnyTag is what a receive ignores that takes every tag of its context.
	AnyTag = uint64(MaxTag)
)

// Space keeps kinds of messages apart.
type Space uint64

// Spaces.
const (
	PointToPoint Space = iota
	Collective
	Remote  // windows, and bodies of values
	Control // between devices
)

// TagOf puts a tag together.
func TagOf(s Space, context uint32, low uint32) uint64 {
	return uint64(s)<<spaceShift | uint64(context)<<contextShift | uint64(low)
}
