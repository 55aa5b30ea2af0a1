package device

import "fmt"

// distinct finds ranks with the same address. A provider that reaches endpoints of its own process only gives the same names
// in each process, and a rank that sent to another would send to itself.
func distinct(provider string, names [][]byte) error {
	seen := make(map[string]int, len(names))
	for r, name := range names {
		if other, ok := seen[string(name)]; ok {
			return fmt.Errorf("ranks %d and %d have the same address: the provider %s does not leave its process; "+
				"leave FI_PROVIDER empty, or say lnx, shm or tcp", other, r, provider)
		}
		seen[string(name)] = r
	}
	return nil
}
