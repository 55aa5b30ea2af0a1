package mpi

import "time"

// start is what Wtime counts from.
var start = time.Now()

// Wtime is the time in seconds since some moment in the past of this process, by a clock that never goes back (MPI_Wtime;
// MPI 4.1, 9.6). Processes have moments of their own (MPI_WTIME_IS_GLOBAL is false).
func Wtime() float64 { return time.Since(start).Seconds() }

// Wtick is the resolution of Wtime in seconds (MPI_Wtick).
func Wtick() float64 { return time.Nanosecond.Seconds() }
