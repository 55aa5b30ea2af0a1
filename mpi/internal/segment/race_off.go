//go:build !race

package segment

func raceRelease() {}
func raceAcquire() {}
