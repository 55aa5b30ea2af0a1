// Package avshare is how processes of one host share an address vector by its name (FI_SHARED_AV, fi_av(3)): one publishes
// what it inserts, others see it, and hear of changes.
//
//	p, err := avshare.Publish("tcp/eth0/ranks", 1024)
//	err = p.Set(0, address)
//
// In another process:
//
//	s, err := avshare.Subscribe(ctx, "tcp/eth0/ranks", func() { … }) // called when something has changed
//	raw, ok := s.At(0)
//
// The vector lies in memory that only its publisher can write to and whose size is sealed; it goes from hand to hand over a
// local socket, so that nothing stays behind in the file system. Only processes of one user share one. A subscriber keeps
// what it has when the publisher ends.
//
// All is safe for concurrent use, but nothing may be called beside or after Close. The package needs Linux; elsewhere both
// calls fail with an error that is errors.ErrUnsupported. It reads no environment variables.
package avshare
