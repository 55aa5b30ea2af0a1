package collective

import "github.com/gofabric/gofabric/fabric/driver"

// Fields of tags; see the package's comment.
const (
	tagControl uint64 = 1 << 62
	tagGroupAt        = 45
	tagSeqAt          = 24
	tagSeqMask uint64 = 1<<21 - 1
)

// tag is that of a message of operation seq to a member that calls the group id. The number of an operation is used again
// after two million of them; messages of one member with the same tag are received in order.
func tag(id uint32, seq uint64, step uint32) uint64 {
	return driver.CollectiveTag | uint64(id)<<tagGroupAt | seq&tagSeqMask<<tagSeqAt | uint64(step)
}
