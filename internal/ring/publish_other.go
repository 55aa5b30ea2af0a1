//go:build !amd64 || race

package ring

import "sync/atomic"

// On arm64 these are STLR, which is what is wanted; under the race detector they tell it the order.

func release64(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

func release32(p *uint32, v uint32) { atomic.StoreUint32(p, v) }
