//go:build amd64 || arm64

package ring

// ownPair asks the processor to fetch two lines for writing, without waiting for them. It is a hint and changes nothing.
//
//go:noescape
func ownPair(l *line)
