package archtest

// rule forbids imports. Patterns name packages: "./fabric" is one of this module, "./providers/..." a folder with all
// below it, "std" the whole standard library.
type rule struct {
	name   string
	in     []string // packages that the rule is for
	except []string // packages of those that it is not for
	files  []string // files, by path.Match on the name or on the whole path, that it is not for
	tests  bool     // also for *_test.go
	deny   []string
	allow  []string // what is denied only by a wide pattern
	self   bool     // a package's own folder with all below it is allowed
	why    string
}

var everywhere = []string{"./..."}

var rules = []rule{
	{
		name: "fi-std", in: []string{"./fi"}, deny: []string{"*", "os/exec", "net/http/..."}, allow: []string{"std"},
		why: "fi imports only the standard library: the vocabulary must be free to use anywhere",
	},
	{
		name: "blocks", in: []string{"./mr/...", "./cq/...", "./atomic/..."}, self: true,
		deny: []string{"./mr/...", "./cq/...", "./atomic/...", "./fabric/...", "./providers/..."},
		why:  "mr, cq and atomic never import each other or fabric: building blocks stay reusable by out-of-tree providers",
	},
	{
		name: "fabric-providers", in: []string{"./fabric/..."}, deny: []string{"./providers/..."},
		why: "fabric never imports a provider: applications choose what is linked in",
	},
	{
		name: "driver-fabric", in: []string{"./fabric/driver/..."}, deny: []string{"./fabric"},
		why: "what providers build on does not know the objects of applications",
	},
	{
		name: "providers-apart", in: []string{"./providers/..."}, except: []string{"./providers/all"}, self: true,
		deny: []string{"./providers/..."}, allow: []string{"./providers/hook/wrap"}, // what hooks are made of
		why: "providers never import each other; hook and lnx take inner providers as values: layering happens by composition",
	},
	{
		name: "providers-register", in: []string{"./providers/..."}, files: []string{"register.go", "register_*.go"},
		deny: []string{"./fabric"},
		why:  "a provider touches fabric in its register.go only: both sides can be written outside this repository",
	},
	{
		name:   "public-api",
		in:     []string{"./mpi/...", "./pmi/...", "./mpirun/...", "./fabnet/...", "./examples/...", "./fabtests/..."},
		except: []string{"./fabtests/conformance/...", "./examples/provider-skeleton/..."},
		deny:   []string{"./fabric/driver/...", "./providers/..."}, allow: []string{"./providers/all"},
		files: []string{"mpi/local/*.go"},
		why:   "layers above use fabric only, never fabric/driver or a provider's type: it proves that the public API is enough",
	},
	{
		name: "mpi-local", in: []string{"./mpi/local/..."}, deny: []string{"./fabric/driver/...", "./providers/..."},
		allow: []string{"./providers/mem"},
		why:   "mpi/local names mem and nothing else below the public API",
	},
	{
		name: "conformance-linked", in: []string{"./fabtests", "./fi_info"}, deny: []string{"./fabtests/conformance/..."},
		why: "the suite takes providers as values and is for tests; the commands use the public API",
	},
	{
		name: "internal-leaf", in: []string{"./internal/..."}, except: []string{"./internal/testx/..."},
		deny: []string{"./fabric", "./providers/...", "./fabtests/...", "./mpi/..."},
		why:  "internal packages are leaf helpers: what uses them must not be used by them",
	},
	{
		name: "x-sys", in: everywhere, except: []string{"./internal/osx/...", "./internal/shmem/..."}, tests: true,
		files: []string{"sys_*.go"}, deny: []string{"golang.org/x/sys/..."},
		why: "x/sys only in internal/osx, internal/shmem and files named sys_*.go: one place to port",
	},
	{
		name: "purego", in: everywhere, except: []string{"./providers/verbs/dl/...", "./pmi/pmix/..."}, tests: true,
		deny: []string{"github.com/ebitengine/purego/..."},
		why:  "purego only in providers/verbs/dl and pmi/pmix: the default binary stays static",
	},
	{
		name: "pmix-alone", in: everywhere, except: []string{"./pmi/pmix"}, tests: true, deny: []string{"./pmi/pmix"},
		why: "pmi/pmix loads a C library: who wants it imports it in a program of their own",
	},
	{
		name: "zap", in: everywhere,
		except: []string{"./internal/zlog", "./fi_info/...", "./fabtests/...", "./mpirun/..."},
		files:  []string{"fabric/options.go", "fabric/logger.go"},
		deny:   []string{"go.uber.org/zap/..."},
		why:    "zap only in internal/zlog, the commands and fabric.WithLogger: no logging framework spreads or is forced on users",
	},
	{
		name: "zap-core", in: []string{"./internal/zlog", "./fabric/..."}, deny: []string{"go.uber.org/zap"},
		why: "libraries take zapcore: zap itself links net/http, 2.7 MB, into every program",
	},
	{
		name: "net-http", deny: []string{"net/http/...", "net/rpc/...", "html/template", "plugin"},
		in: []string{"./fi/...", "./fabric/...", "./mr/...", "./cq/...", "./atomic/...", "./providers/...", "./internal/...",
			"./mpi/...", "./pmi/...", "./fabnet/..."},
		why: "a library that sits under other people's programs stays small",
	},
	{
		name: "testing", in: everywhere, except: []string{"./fabtests/conformance/...", "./internal/testx/..."},
		deny: []string{"testing/..."},
		why:  "nothing that is only for tests reaches a binary",
	},
	{
		name: "cgo", in: everywhere, tests: true, deny: []string{"C"},
		why: "no cgo: go get works, cross-compiling works, the binary is static",
	},
	{
		name: "unsafe", in: everywhere, tests: false, deny: []string{"unsafe"},
		except: []string{"./internal/osx/...", "./internal/shmem/...", "./internal/ring/...", "./internal/relstore/..."},
		files:  []string{"*_unsafe.go", "*_unsafe_*.go", "sys_*.go"},
		why:    "unsafe lives in files named for it (*_unsafe.go, sys_*.go) and in the packages that are about raw memory",
	},
	{
		name: "contrib-apart", in: everywhere, except: []string{"./contrib/..."}, tests: true, deny: []string{"./contrib/..."},
		why: "what lies below contrib are modules of their own: nothing here may need them",
	},
	{
		name: "contrib", in: []string{"./contrib/..."}, tests: true, deny: []string{"*", "./internal/...", "./fabric/driver/..."},
		allow: []string{"std", "./...", "github.com/prometheus/client_golang/..."},
		why:   "adapters use the public API, and the one library that they are for (docs/design/0002-dependencies.md)",
	},
	{
		name: "dependencies", in: everywhere, except: []string{"./contrib/..."}, tests: true, deny: []string{"*"},
		allow: []string{"std", "./...", "C",
			"golang.org/x/sys/...", "go.uber.org/zap/...", "github.com/libp2p/go-reuseport", "github.com/spf13/pflag",
			"github.com/ebitengine/purego/...", "github.com/HdrHistogram/hdrhistogram-go",
			"github.com/google/go-cmp/...", "go.uber.org/goleak", "pgregory.net/rapid", "github.com/anishathalye/porcupine",
			"github.com/rogpeppe/go-internal/...", "github.com/x448/float16", "golang.org/x/net/nettest"},
		why: "a new dependency needs a page in docs/design first (0002-dependencies.md)",
	},
	{
		name: "test-dependencies", in: everywhere, except: []string{"./fabtests/conformance/...", "./internal/testx/..."},
		deny: []string{"github.com/google/go-cmp/...", "go.uber.org/goleak", "pgregory.net/rapid",
			"github.com/anishathalye/porcupine", "github.com/rogpeppe/go-internal/...", "github.com/x448/float16",
			"golang.org/x/net/..."},
		why: "these modules are for tests and must not reach a binary",
	},
	{
		name: "reuseport", in: everywhere, except: []string{"./providers/tcp/..."},
		deny: []string{"github.com/libp2p/go-reuseport"},
		why:  "shared ports are an option of tcp and nothing else's business",
	},
	{
		name: "hdrhistogram", in: everywhere, except: []string{"./fabtests/internal/perf"},
		deny: []string{"github.com/HdrHistogram/hdrhistogram-go"},
		why:  "histograms are for measuring: the library and its users are without",
	},
	{
		name: "pflag", in: everywhere, except: []string{"./fi_info/...", "./fabtests/...", "./mpirun/...", "./internal/cli/..."},
		deny: []string{"github.com/spf13/pflag"},
		why:  "command-line options are for commands",
	},
}
