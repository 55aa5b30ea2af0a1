//go:build armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64

package atomic

// bigEndian says where the narrow elements of a 32-bit word lie.
const bigEndian = true

// u128 is a 128-bit integer as it lies in memory.
type u128 struct{ hi, lo uint64 }
