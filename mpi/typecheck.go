package mpi

// typesDiffer compares what the sender's elements are with what is received into. Empty messages have no elements.
func typesDiffer(call string, src int, want, got uint16) error {
	if want == got {
		return nil
	}
	return bad(call, ErrType, src, "the elements of the message are not of the type that they were received into: use the same type on both sides")
}
