package mpi

// Class is the kind of an error (MPI's error classes, MPI 4.1, 9.4). It is an error itself, to compare with:
//
//	if errors.Is(err, mpi.ErrTruncated) {
type Class uint8

// Classes of errors. What a C program calls MPI_ERR_RANK is ErrRank here.
const (
	ErrOther             Class = iota // MPI_ERR_OTHER: the words say more
	ErrBuffer                         // MPI_ERR_BUFFER: memory that cannot be used for this
	ErrCount                          // MPI_ERR_COUNT: a length that does not fit
	ErrType                           // MPI_ERR_TYPE: an element type that cannot be sent, or is not the sender's
	ErrTag                            // MPI_ERR_TAG: below 0 or above MaxTag
	ErrComm                           // MPI_ERR_COMM: a communicator that is closed, or of the wrong kind
	ErrRank                           // MPI_ERR_RANK: no such rank
	ErrRequest                        // MPI_ERR_REQUEST: a request that cannot be used for this
	ErrRoot                           // MPI_ERR_ROOT: no such root
	ErrGroup                          // MPI_ERR_GROUP: members that are not there, or twice
	ErrOp                             // MPI_ERR_OP: an operation that the type has not
	ErrTopology                       // MPI_ERR_TOPOLOGY: no such topology
	ErrDims                           // MPI_ERR_DIMS: dimensions that cannot be
	ErrArg                            // MPI_ERR_ARG: another argument that cannot be
	ErrTruncated                      // MPI_ERR_TRUNCATE: the message was longer than the buffer
	ErrPending                        // MPI_ERR_PENDING: not over yet
	ErrWin                            // MPI_ERR_WIN: a window that is closed, or of the wrong kind
	ErrRMARange                       // MPI_ERR_RMA_RANGE: outside of the window
	ErrRMASync                        // MPI_ERR_RMA_SYNC: not now: the epoch is missing, or another one is open
	ErrLockType                       // MPI_ERR_LOCKTYPE: no such kind of lock
	ErrMismatch                       // members of a communicator called different collectives, or with different counts or roots
	ErrProcFailed                     // MPI_ERR_PROC_FAILED: a rank that is needed has ended
	ErrProcFailedPending              // MPI_ERR_PROC_FAILED_PENDING: a rank that might have sent has ended; the receive goes on
	ErrRevoked                        // MPI_ERR_REVOKED: somebody has revoked the communicator
	ErrClosed                         // the job is closed
	ErrUnsupported                    // MPI_ERR_UNSUPPORTED_OPERATION: the provider in use cannot do this
	numClass
)

var classNames = [numClass]string{
	"other", "buffer", "count", "type", "tag", "communicator", "rank", "request", "root", "group", "operation", "topology",
	"dimensions", "argument", "truncated", "pending", "window", "range", "synchronization", "lock type", "mismatch",
	"process failed", "process failed, receive pending", "revoked", "closed", "unsupported",
}

// Error gives the name.
func (c Class) Error() string {
	if c < numClass {
		return "mpi: " + classNames[c]
	}
	return "mpi: unknown class"
}
