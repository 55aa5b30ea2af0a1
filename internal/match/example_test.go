package match_test

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/match"
)

// A message comes before its receive, another one after it.
func Example() {
	var q match.Queue
	buf := make([]byte, 16)

	if q.Arrive(1, 7, 0) == nil {
		q.Keep(1, 7, 0, []byte("early"))
	}
	if m := q.Post(buf, fi.AddrUnspec, 7, 0, 0, nil, 0); m != nil {
		fmt.Printf("%s from %d\n", buf[:copy(buf, m.Payload)], m.Src)
		q.Free(m)
	}

	q.Post(buf, 2, 0x100, 0xff, 0, "context", 0)
	r := q.Arrive(2, 0x123, 0)
	dst := q.Consume(r, 4, 0)
	fmt.Printf("%s for %v\n", dst[:copy(dst, "late")], r.Ctx)
	q.Done(r)
	// Output:
	// early from 1
	// late for context
}

// A buffer takes messages until less than 4 bytes are left.
func ExampleQueue_PostMulti() {
	var q match.Queue
	q.Keep(1, 0, 0, []byte("one"))
	q.Keep(1, 0, 0, []byte("three"))
	q.Keep(1, 0, 0, []byte("four"))

	buf := make([]byte, 10)
	r := q.PostMulti(buf, fi.AddrUnspec, 0, 0, 0, nil, 0)
	for m := q.Next(r); m != nil; m = q.Next(r) {
		copy(q.Consume(r, m.Len, 4), m.Payload)
		q.Free(m)
		if q.Done(r) {
			fmt.Printf("%s, %d message left\n", buf[:8], q.Unexpected())
		}
	}
	// Output: onethree, 1 message left
}
