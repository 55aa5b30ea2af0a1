package foreign

import "errors"

// Member is a membership in a job. Its calls block as long as they need to, and may come from any goroutine.
type Member interface {
	// Rank, Size, ID and AppNum are those of pmi.Job.
	Rank() int
	Size() int
	ID() string
	AppNum() int
	// Put publishes a text without zero bytes.
	Put(key, value string) error
	// Fence waits for all members.
	Fence() error
	// Get gives what any member put; ErrNoKey when none did.
	Get(key string) (string, error)
	// Abort ends the job, Close leaves it.
	Abort(code int, msg string) error
	Close() error
}

// ErrNoKey is the error of a key that nobody put.
var ErrNoKey = errors.New("no such key")

// Join joins the job of a launcher that speaks PMIx; nil when no package for it is linked.
var Join func() (Member, error)
