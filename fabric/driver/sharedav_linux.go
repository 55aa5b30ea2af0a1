package driver

import "github.com/gofabric/gofabric/fi"

// CapSharedAV is FI_SHARED_AV where processes can share address vectors, and nothing elsewhere. Package fabric serves it for
// every provider whose Info has it.
const CapSharedAV = fi.CapSharedAV
