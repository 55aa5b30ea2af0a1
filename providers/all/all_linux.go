package all

import (
	_ "github.com/gofabric/gofabric/providers/shm" // processes of one host
)
