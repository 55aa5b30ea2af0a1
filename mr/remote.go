package mr

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/fi"
)

// Remote names memory at a peer: an address and the key that gives the right to it (the addr and key arguments of
// fi_write and its kin, fi_rma(3)). Addr is an offset in the region, or a virtual address where the domain's mode has
// MRModeVirtAddr. One value instead of two integers, which are easily swapped.
type Remote struct {
	Addr uint64
	Key  uint64
}

// RemoteSize is the length of a marshalled Remote in bytes.
const RemoteSize = 16

// At is the place off bytes further on.
func (r Remote) At(off uint64) Remote { return Remote{r.Addr + off, r.Key} }

// MarshalBinary gives RemoteSize bytes, little endian, to be sent to the peer that shall use it.
func (r Remote) MarshalBinary() ([]byte, error) {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, RemoteSize), r.Addr)
	return binary.LittleEndian.AppendUint64(b, r.Key), nil
}

// UnmarshalBinary reads what MarshalBinary made; other lengths are fi.ErrInvalid.
func (r *Remote) UnmarshalBinary(b []byte) error {
	if len(b) != RemoteSize {
		return &fi.Error{Op: "mr_remote", Err: fi.ErrInvalid, Hint: "a marshalled mr.Remote has 16 bytes"}
	}
	r.Addr, r.Key = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return nil
}
