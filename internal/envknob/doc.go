// Package envknob holds the environment variables that this module reads, under libfabric's names.
//
// You need it when a package has a setting that users turn from outside. Each variable is a package-level value of the
// package that reads it, defined once:
//
//	var linger = envknob.Between(envknob.Int("FI_SHM_LINGER", "shm", "time to flush at close, in ms", 100), 0, 60_000)
//
//	ms, err := linger.Get(env) // env is os.LookupEnv, or the look-up that an application or a test gave
//
// Definitions happen while package variables are initialised and never after, so the list of [All] is complete when
// main starts and depends only on what is linked in. That list is the one piece of package state here; values are never
// kept, each Get asks the look-up that it is given. Get belongs into set-up code: it parses a string.
//
// A variable that is set but empty counts as not set. A value that does not parse is an error that names the variable,
// the value and the accepted forms; it is never replaced by the default behind the user's back.
//
// [Unknown] finds variables of an environment that start with FI_ and that nothing here reads.
//
// All functions are safe for concurrent use. The package itself reads no environment variables.
package envknob
