// Package session is one side of a fabtests pair: it opens what libfabric's fabtests open, finds the other side as they do,
// and posts, waits and synchronises by their rules, so that a Go and a C program can be the two sides of one test.
//
//	s, err := session.Open(env, session.Need{Caps: fi.CapTagged})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	err = s.Sync()
//
// Every message has a sequence number of its direction, counted over the whole run; a tagged one has it as its tag. One
// receive is always posted, for the largest size. So the next message, a synchronisation say, always finds a place.
//
// A Session is used by one goroutine. The methods that post and wait allocate nothing, so that they can be in a measured
// loop.
package session
