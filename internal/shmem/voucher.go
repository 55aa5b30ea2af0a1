package shmem

// VoucherBytes is the length of what a process says.
const VoucherBytes = 16

// Voucher tells a process from a later one of the same number, or of the same process after exec: random bytes at an
// address that only its memory has there.
type Voucher struct {
	At   uintptr
	Says [VoucherBytes]byte
}
