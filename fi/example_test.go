package fi_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/gofabric/gofabric/fi"
)

func ExampleInfo() {
	info := &fi.Info{
		Caps:       fi.CapMsg | fi.CapTagged,
		AddrFormat: fi.AddrFormatStr,
		SrcAddr:    []byte("fi_shm://a"),
		EP:         fi.EPAttr{Type: fi.EPRDM, Protocol: fi.ProtoSHM},
		Domain:     fi.DomainAttr{Name: "shm"},
		Fabric:     fi.FabricAttr{Name: "shm", ProvName: "shm", ProvVersion: fi.ProvVersion},
	}
	fmt.Println(info)
	fmt.Print(info.Dump(fi.DetailShort)) // as fi_info; %+v prints everything, as fi_info -v

	// Ask for the same again, but with more room for inline messages.
	hints := info.Hints()
	hints.Tx.InjectSize = 256
	fmt.Println(hints.Tx)
	// Output:
	// shm: FI_EP_RDM, FI_PROTO_SHM, domain shm, fi_shm://a
	// provider: shm
	//     fabric: shm
	//     domain: shm
	//     version: 206.0
	//     type: FI_EP_RDM
	//     protocol: FI_PROTO_SHM
	// {inject_size=256}
}

func ExampleHints() {
	hints := &fi.Hints{
		Caps:   fi.CapMsg | fi.CapRMA,
		EP:     &fi.EPAttr{Type: fi.EPRDM},
		Domain: &fi.DomainAttr{Threading: fi.ThreadSafe},
	}
	fmt.Println(hints)
	// Output: caps=FI_MSG|FI_RMA ep_attr.type=FI_EP_RDM domain_attr.threading=FI_THREAD_SAFE
}

func ExampleCaps() {
	caps := fi.CapMsg | fi.CapRMA
	fmt.Println(caps)
	fmt.Println(caps.List())

	js, _ := json.Marshal(caps)
	fmt.Println(string(js))

	// Sets and enumerations are options of package flag as they are.
	fs := flag.NewFlagSet("tool", flag.ContinueOnError)
	fs.SetOutput(os.Stdout)
	fs.TextVar(&caps, "caps", caps, "what is needed")
	fs.Parse([]string{"-caps", "msg | tagged"})
	fmt.Println(caps)
	// Output:
	// FI_MSG, FI_RMA
	// [ FI_MSG, FI_RMA ]
	// ["FI_MSG","FI_RMA"]
	// FI_MSG, FI_TAGGED
}

func ExampleParseCaps() {
	_, err := fi.ParseCaps("FI_MSG | FI_TAGED")
	fmt.Println(err)

	var w *fi.WordError
	if errors.As(err, &w) {
		fmt.Println(w.Kind, w.Word, w.Nearest)
	}
	// Output:
	// unrecognized capability "FI_TAGED": did you mean FI_TAGGED?
	// capability FI_TAGED FI_TAGGED
}

func ExampleErrno() {
	var err error = fi.ErrAgain
	fmt.Println(err)
	fmt.Println(err == fi.ErrAgain) // allowed, and free, in loops

	fmt.Println(errors.Is(fi.ErrTimedOut, context.DeadlineExceeded))
	fmt.Println(errors.Is(fi.ErrNoSys, errors.ErrUnsupported))
	fmt.Println(fi.Errno(999))
	// Output:
	// FI_EAGAIN: resource temporarily unavailable
	// true
	// true
	// true
	// unknown error 999
}

func ExampleError() {
	err := error(&fi.Error{
		Op: "mr_reg", Provider: "shm", Err: fi.ErrNoMem,
		Hint: "RLIMIT_MEMLOCK is 64 KiB, 4 MiB are needed",
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, fi.ErrNoMem))
	// Output:
	// shm: mr_reg: FI_ENOMEM: cannot allocate memory (RLIMIT_MEMLOCK is 64 KiB, 4 MiB are needed)
	// true
}

func ExampleRejection() {
	r := fi.Rejection{
		Provider: "shm", Domain: "shm", Attr: "ep_attr.type",
		Want: fi.EPMsg.String(), Have: fi.EPRDM.String(), Fix: "use tcp",
	}
	fmt.Println(r)
	// Output: shm (shm): ep_attr.type: wanted FI_EP_MSG, offered FI_EP_RDM; use tcp
}

func ExampleStrAddr() {
	a, err := fi.ParseStrAddr("fi_sockaddr://192.0.2.2:7471?qos=3")
	fmt.Println(a.Node, a.Service, a.Params["qos"], err)

	format, raw, err := fi.ParseAddr(a.String())
	fmt.Println(format, len(raw), fi.FormatAddr(format, raw), err)
	// Output:
	// 192.0.2.2 7471 3 <nil>
	// FI_SOCKADDR_IN 16 fi_sockaddr_in://192.0.2.2:7471 <nil>
}

func ExampleSuggest() {
	fmt.Println(fi.Suggest("FI_LOG_LEVLE", []string{"FI_LOG_LEVEL", "FI_LOG_PROV"}))
	// Output: FI_LOG_LEVEL
}
