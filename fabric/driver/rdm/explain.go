package rdm

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// explain gives the words for an error completion that came without any: what happened and what to do about it.
//
//go:noinline
func explain(err fi.Errno, kind fi.CompFlags, n, olen int) string {
	switch err {
	case fi.ErrKeyRejected:
		return "the peer has no region with this key: it was closed, used up or not enabled, or the key is another peer's; " +
			"ask the peer for MR.Remote of a region that is open"
	case fi.ErrAccess:
		return "the region was registered without this right: its owner gives fi.AccessRemoteRead or fi.AccessRemoteWrite " +
			"to RegisterMR, both for atomics that bring values back"
	case fi.ErrInvalid:
		if kind&fi.CompAtomic != 0 {
			return "the range is not inside the peer's region, or not aligned to its type in memory that peers share: " +
				"compare address and length with the peer's MR.Remote and MR.Len"
		}
		return "the range is not inside the peer's region: compare address and length with the peer's MR.Remote and MR.Len"
	case fi.ErrTruncated:
		text := fmt.Sprintf("the message has %d bytes, the buffer takes %d: post larger buffers", n+olen, n)
		if kind&fi.CompTagged != 0 {
			text += ", or ask for the length with fi.OpPeek"
		}
		return text
	case fi.ErrCanceled:
		return "Cancel or Close ended the operation before it was done"
	case fi.ErrNoMsg:
		return "no message that matches has come yet: peek again, or post a receive"
	case fi.ErrConnReset:
		return "peer closed: it closed its endpoint or ended"
	case fi.ErrConnRefused:
		return "nobody listens at the peer's address: start the peer first"
	}
	return ""
}
