package runner

import (
	"context"
	"io"
	"os"
	"time"
)

// supervisedVar tells one of ours that a runner started it.
const supervisedVar = "FABTESTS_RUN"

// Supervised tells whether a runner started this process, which then has to say when it is ready. The context ends when the
// runner closes the standard input or goes away; the process does soon afterwards, whatever it is busy with. It is called
// once, first of all: children of this process are not told.
func Supervised(ctx context.Context) (context.Context, bool) {
	if os.Getenv(supervisedVar) == "" {
		return ctx, false
	}
	os.Unsetenv(supervisedVar) //nolint:errcheck // a plain name
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the process
		io.Copy(io.Discard, os.Stdin) //nolint:errcheck // its end is what counts
		cancel()
		time.Sleep(grace) // sleep: what the end of the context ends is not known here
		os.Exit(1)
	}()
	return ctx, true
}
