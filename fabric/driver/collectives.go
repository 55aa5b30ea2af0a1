package driver

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
)

// Collectives is the group of collective operations (FI_COLLECTIVE). Package fabric/driver/collective makes it of tagged
// messages for any endpoint that is a [Revoker]; a provider whose device does collectives makes its own.
type Collectives interface {
	// Join begins to make a group and gives the address that stands for it, with which operations may be posted as soon as
	// j.Done was called. Without the lock. Errors: fi.ErrExist for a key that is in use, fi.ErrInvalid, fi.ErrBadFD.
	Join(j *Join) (fi.Addr, error)

	// Leave ends our part in a group. Operations that still run complete with fi.ErrCanceled, and at the other members in
	// error. Without the lock.
	Leave(group fi.Addr) error

	// Collective posts an operation of a group. in and out are what fi_collective(3) calls buf and result, as many blocks
	// as the operation wants; of a broadcast, both are the one buffer. root is of rooted operations, k of reductions, size
	// the bytes of an element. The completion has fi.CompCollective. Without the lock.
	//
	// Errors: fi.ErrInvalid for lengths that do not fit the group or no such group or root, fi.ErrOpBadState before the
	// group is there, fi.ErrOpNotSupp for an operation that the group is not for, fi.ErrMsgSize, fi.ErrAgain, fi.ErrBadFD.
	Collective(o fi.CollectiveOp, group, root fi.Addr, k *fiatomic.Kernel, size int, in, out []byte, ctx any, fl fi.OpFlags) error
}

// Join is what a group shall be.
type Join struct {
	Members []fi.Addr // in the order of their ranks
	Names   [][]byte  // their addresses
	Self    int       // the rank of the endpoint that joins
	Base    fi.Addr   // a group that all members are in, or fi.AddrNotAvail
	Key     int       // of the application that manages the members, 0 to 65534; -1: the members are to be asked
	Flags   fi.AVSetFlags

	// Done is called once, with the domain's lock held, perhaps before Join returns: the group is there (0), or will never be.
	Done func(err fi.Errno, text string)
}

// Revoker is an [Issuer] that can take back what was issued.
type Revoker interface {
	Issuer
	// Revoke is Endpoint.Cancel with the lock held, by whoever holds it.
	Revoke(ctx any) error
}

// Answerer is an endpoint that is reached at more addresses than its Name: at all of the machine's.
type Answerer interface {
	// Answers tells whether raw, as Domain.CheckAddr gives it, is an address of the endpoint.
	Answers(raw []byte) bool
}

// CollectiveTag is the bit of tags that an endpoint with FI_COLLECTIVE keeps for its collectives, and CollectiveTagFormat
// what is left for applications (mem_tag_format).
const (
	CollectiveTag       uint64 = 1 << 63
	CollectiveTagFormat uint64 = 0x5555555555555555
)
