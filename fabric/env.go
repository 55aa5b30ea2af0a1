package fabric

import "github.com/gofabric/gofabric/internal/envknob"

// envProvider narrows what every program of the user gets to see, whatever its hints say.
var envProvider = envknob.String("FI_PROVIDER", "core",
	"only these providers, a list with commas; or with ^ in front all but these", "")
