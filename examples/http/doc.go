// Http serves HTTP over shared memory: a net/http server whose listener is fabnet's. Nothing else differs from one over
// sockets; with -net tcp it serves other hosts, too.
//
//	go run ./examples/http -addr localhost:7471                  # in one terminal
//	go run ./examples/http/get http://localhost:7471/gopher      # in another, when the first says that it serves
package main
