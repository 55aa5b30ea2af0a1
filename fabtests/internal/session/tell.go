package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// When a client says that it waits for its server: for the first time, and then again.
const (
	tellAfter = time.Second
	tellAgain = 10 * time.Second
)

// tellWaiting says that the server is waited for, until stop is called. Some providers wait by themselves, inside of one call,
// so it cannot be told between two tries.
func (s *Session) tellWaiting(server []byte) (stop func()) {
	ctx, cancel := context.WithCancel(s.env.Ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for pause := tellAfter; ; pause = tellAgain {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			fmt.Fprintf(s.env.Err, "fabtests: waiting for the server at %s\n", fi.FormatAddr(s.Info.AddrFormat, server))
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
