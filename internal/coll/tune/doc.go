// Package tune finds out which algorithms of internal/coll are fastest here, and makes a table of it. It measures nothing
// itself: a layer that executes schedules gives a function that does.
//
//	s := tune.Search{Colls: []coll.Coll{coll.Allreduce}, Members: []int{2, 4}, Bytes: tune.Powers(8, 1<<20)}
//	samples, err := s.Run(func(t tune.Trial) (time.Duration, error) { ... })
//	os.WriteFile("table", []byte(tune.Table(samples).String()), 0o644)
//
// You need it for a command that tunes (mpibench -tune). All members of the job run the same search, and their functions
// must give the same time for the same trial, that of the slowest member as a rule: what is tried next depends on it.
//
// The package has no state, and its functions may be called by any goroutine. It reads no environment variables.
package tune
