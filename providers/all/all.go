package all

import (
	_ "github.com/gofabric/gofabric/providers/hook" // what FI_HOOK puts before them
	_ "github.com/gofabric/gofabric/providers/lnx"  // one endpoint over several of the others
	_ "github.com/gofabric/gofabric/providers/mem"  // for tests: reaches its own process only, and ranks last
	_ "github.com/gofabric/gofabric/providers/tcp"  // everybody, over IP
	_ "github.com/gofabric/gofabric/providers/udp"  // the same, by datagrams that may be lost
)
