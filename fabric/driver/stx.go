package driver

// SharedTx is a transmit context that several endpoints share: how many of their operations may be under way in all.
// The domain's lock guards it.
type SharedTx struct{ free int }

// NewSharedTx makes one for size operations.
func NewSharedTx(size int) *SharedTx { return &SharedTx{free: size} }

// Take takes a place for an operation; false when there is none. A nil context has places without end.
func (s *SharedTx) Take() bool {
	if s == nil {
		return true
	}
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// Give gives the place back.
func (s *SharedTx) Give() {
	if s != nil {
		s.free++
	}
}
