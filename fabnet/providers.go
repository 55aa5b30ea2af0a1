package fabnet

import _ "github.com/gofabric/gofabric/providers/all" // a program changes one import, and has them all
