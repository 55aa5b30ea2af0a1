package osx

// Limit is one resource limit of this process: the soft one, which holds, and the hard one, up to which the soft one may
// be raised. [Unlimited] stands for none.
type Limit struct {
	Soft, Hard uint64
}

// Unlimited is the value of a limit that does not limit.
const Unlimited = ^uint64(0)

// Limits are the resource limits that matter to fabrics.
type Limits struct {
	Memlock Limit // bytes that may be locked in memory (RLIMIT_MEMLOCK)
	Nofile  Limit // file descriptors (RLIMIT_NOFILE)
}
