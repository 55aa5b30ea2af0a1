package cq_test

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

func ExampleErrEntry() {
	var err error = &cq.ErrEntry{
		Entry: cq.Entry{Flags: fi.CompRecv | fi.CompMsg, Len: 8},
		Err:   fi.ErrTruncated, OLen: 92,
	}
	fmt.Println(errors.Is(err, fi.ErrTruncated), err)
	// Output: true FI_RECV, FI_MSG: FI_ETRUNC: message longer than the buffer, 92 bytes did not fit
}

// A provider reserves a place when an operation is posted, and fills it when the operation is done.
func ExampleQueue() {
	q := cq.NewQueue(64)
	if q.Reserve() {
		q.Put("context", fi.CompSend|fi.CompMsg, 8, 0)
	}
	var got [4]cq.Entry
	n, isErr := q.Read(got[:])
	fmt.Println(n, isErr, got[0].Context, got[0].Flags)
	// Output: 1 false context FI_SEND, FI_MSG
}

func ExampleCounter() {
	c := cq.NewCounter(fi.CounterEventsBytes)
	c.Done(100)
	c.Done(28)
	c.Fail()
	fmt.Println(c.Value(), "bytes,", c.Errs(), "error")
	// Output: 128 bytes, 1 error
}
