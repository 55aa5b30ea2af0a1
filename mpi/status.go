package mpi

import "github.com/gofabric/gofabric/mpi/internal/device"

// Special ranks and tags.
const (
	AnySource = -1 // MPI_ANY_SOURCE: a receive takes messages of every rank
	AnyTag    = -1 // MPI_ANY_TAG: a receive takes every tag
	ProcNull  = -2 // MPI_PROC_NULL: messages to and from nobody, which are over at once

	// Root is the root that the root of a collective operation on an intercommunicator gives for itself (MPI_ROOT). Others
	// of its group give ProcNull, and the members of the other group its rank there.
	Root = -4

	// MaxTag is the largest tag (MPI_TAG_UB).
	MaxTag = device.MaxTag
)

// Status says what a receive got (MPI_Status).
type Status struct {
	Source    int  // rank of the sender; ProcNull
	Tag       int  // its tag
	Bytes     int  // the length of the message; of one that was truncated its whole length
	Cancelled bool // the receive was withdrawn (MPI_Test_cancelled)
}

// noMessage is the status of messages from nobody.
var noMessage = Status{Source: ProcNull, Tag: AnyTag}
