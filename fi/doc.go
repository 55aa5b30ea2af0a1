// Package fi is the vocabulary of the fabric: capabilities, flags, attributes, error numbers and the structures that
// describe what is wanted ([Hints]) and what is offered ([Info]).
//
// You need it wherever you ask for something, look at what you got, or handle an error:
//
//	hints := &fi.Hints{Caps: fi.CapMsg | fi.CapRMA, EP: &fi.EPAttr{Type: fi.EPRDM}}
//	infos, err := fabric.GetInfo(ctx, hints)
//	if errors.Is(err, fi.ErrNoData) {
//		return err // says which provider refused which hint
//	}
//	for _, info := range infos {
//		fmt.Println(info)        // one line
//		fmt.Printf("%+v", info)  // everything, as fi_info -v prints it
//	}
//	switch err := ep.Send(buf, peer, &op); {
//	case err == fi.ErrAgain: // queue full: make progress, try again
//	case err != nil:
//		return err
//	}
//
// It holds data only and imports nothing but the standard library, so that it can be used anywhere. The objects that
// move bytes are in package fabric. It neither matches hints with offers nor looks up names of hosts.
//
// Names follow one rule: FI_MSG is CapMsg, FI_EP_RDM is EPRDM, FI_THREAD_SAFE is ThreadSafe. Each class of bits and
// each enumeration has a type and a prefix of its own, because in C their numbers collide. The numbers are those of
// libfabric; String prints the C name, and UnmarshalText accepts it (also in lower case, without its FI_ prefix, and
// several bits joined by "|"), so that the types are options of package flag and fields of JSON as they are.
//
// An [Errno] is an error: compare it with == where speed counts and with errors.Is elsewhere, which sees the standard
// library's errors of the same meaning in it too (see [Errno.Is]).
//
// All values are safe to copy and to share between goroutines as long as nobody writes them; the slices in them are
// their owner's, Clone makes independent copies. The package reads no environment variables.
package fi
