package atomic_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
)

func ExampleKernel_ApplyShared() {
	counter := make([]byte, 8) // of a region that others use too
	add := binary.NativeEndian.AppendUint64(nil, 5)
	old := make([]byte, 8)

	k, err := fiatomic.Lookup(fi.AtomicFetch, fi.TypeUint64, fi.AtomicSum)
	if err != nil {
		panic(err)
	}
	for range 3 {
		if err := k.ApplyShared(counter, add, nil, old, 1); err != nil {
			panic(err)
		}
	}
	fmt.Println(binary.NativeEndian.Uint64(old), binary.NativeEndian.Uint64(counter))
	// Output: 10 15
}

// A base kernel reduces whole vectors.
func ExampleKernel_Apply() {
	var sum, part []byte
	for i := range 4 {
		sum = binary.NativeEndian.AppendUint32(sum, math.Float32bits(float32(i)))
		part = binary.NativeEndian.AppendUint32(part, math.Float32bits(0.5))
	}
	k, err := fiatomic.Lookup(fi.AtomicBase, fi.TypeFloat, fi.AtomicSum)
	if err != nil {
		panic(err)
	}
	if err := k.Apply(sum, part, nil, nil, 4); err != nil {
		panic(err)
	}
	for i := range 4 {
		fmt.Print(math.Float32frombits(binary.NativeEndian.Uint32(sum[4*i:])), " ")
	}
	// Output: 0.5 1.5 2.5 3.5
}

func ExampleKernel_Shared64() {
	var lock uint64
	k, err := fiatomic.Lookup(fi.AtomicCompare, fi.TypeUint64, fi.AtomicCSwap)
	if err != nil {
		panic(err)
	}
	const me, free = 7, 0
	for range 2 {
		owner, err := k.Shared64(&lock, me, free)
		if err != nil {
			panic(err)
		}
		fmt.Println("owner before:", owner)
	}
	// Output:
	// owner before: 0
	// owner before: 7
}

func ExampleValid() {
	fmt.Println(fiatomic.Valid(fi.AtomicBase, fi.TypeBFloat16, fi.AtomicSum))
	fmt.Println(errors.Is(fiatomic.Valid(fi.AtomicBase, fi.TypeDouble, fi.AtomicBXor), fi.ErrOpNotSupp))
	fmt.Println(errors.Is(fiatomic.Valid(fi.AtomicBase, 99, fi.AtomicSum), fi.ErrInvalid))
	// Output:
	// <nil>
	// true
	// true
}
