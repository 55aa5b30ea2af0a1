// Program example moves messages over a fabric, and serves its numbers to Prometheus:
//
//	go run ./example -listen 127.0.0.1:9400 &
//	curl -s http://127.0.0.1:9400/metrics | grep gofabric_operations_total
//
// It ends by Ctrl-C, or after the time that -for gives.
package main
