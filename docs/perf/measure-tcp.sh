#!/usr/bin/env bash
# Measures the figures of tcp on loopback that docs/perf/README.md lists, and compares each with its bar.
#
#   docs/perf/measure-tcp.sh [-n STARTS] [-o FILTER]      e.g. measure-tcp.sh -n 8 -o 'latency|stream'
#
# Ours and the other side's are started in turns, STARTS times (8), and the best of each counts. Peers are Debian's
# fi_pingpong (libfabric-bin) and ucx_perftest (ucx-utils). The machine's congestion control counts for all; to measure
# under another one, run it in a network namespace that has it:
#
#   unshare -n sh -c 'ip link set lo up; sysctl -qw net.ipv4.tcp_congestion_control=reno; docs/perf/measure-tcp.sh'

. "$(dirname "$0")/kit.sh"
tcp() { local s=$1; shift; ours "$s" --local -p tcp "$@"; }
socket() { ours floor --over socket "$@"; }
net() { ours floor --over net "$@"; }
tls=tcp,self
s=(--threading safe)
echo "# $(sysctl -n net.ipv4.tcp_congestion_control), best of $starts"
for t in rdm_tagged_pingpong rdm_pingpong msg_pingpong; do
  row "latency: 8 B, $t, against a bare socket" 1.1 tcp $t "${s[@]}" -S 8 -- socket -S 8
done
row "latency: 8 B against net.Conn" 0.2 tcp rdm_tagged_pingpong "${s[@]}" -S 8 -- net -S 8 -I 2000
row "latency: 8 B against ucx_perftest" 1.1 tcp rdm_tagged_pingpong "${s[@]}" -S 8 -- ucx tag_lat 8 10000 5
for n in 64 1024 4096 16384 65536 1048576; do
  bar=1; [ $n = 65536 ] && bar=1.1
  i=10000; [ $n -ge 65536 ] && i=500
  peer="net -e rdm -m tagged"
  row "latency: $n B against fi_pingpong (net, rdm)" $bar tcp rdm_tagged_pingpong "${s[@]}" -S $n -- pingpong $n $i
  peer="tcp -e msg -m msg"
  row "latency: $n B, msg, against fi_pingpong (tcp, msg)" $bar tcp msg_pingpong "${s[@]}" -S $n -- pingpong $n $i
done
row "large: 64 KiB against a bare socket" 1.1 tcp rdm_tagged_pingpong "${s[@]}" -S 65536 -- socket -S 65536
row "large: 64 KiB against ucx_perftest" 1 tcp rdm_tagged_pingpong "${s[@]}" -S 65536 -- ucx tag_lat 65536 1000 5
row "large: 1 MiB against ucx_perftest" 1 tcp rdm_tagged_pingpong "${s[@]}" -S 1048576 -- ucx tag_lat 1048576 200 5
row "large: 1 MiB write, ping-pong, against our message" 1.1 tcp rma_pingpong "${s[@]}" -o writedata -S 1048576 -- tcp rdm_tagged_pingpong "${s[@]}" -S 1048576
row "stream: 1 MiB against ucx_perftest" 1 tcp rdm_tagged_bw "${s[@]}" -S 1048576 -I 2000 -- rate tag_bw 1048576 2000
row "stream: 64 KiB against a bare socket" 1.111 tcp rdm_tagged_bw "${s[@]}" -S 65536 -I 20000 -- socket --stream -S 65536 -I 20000
window() { tcp rdm_tagged_bw "${s[@]}" -S 8 -W "$1" -I 500000 | awk -v w="$1" '{print $1 * w}'; } # of one window
trip() { socket -S 8 | awk '{print 2 * $1}'; }
row "stream: 8 B, window of 64 answered, against a socket's round trip" 2.7 window 64 -- trip
row "stream: 8 B, window of 256 answered, us a message" 0.167 tcp rdm_tagged_bw "${s[@]}" -S 8 -W 256 -I 500000
w=(-S 8 -I 300 --pause 1ms)
row "blocking: 8 B, each answer 1 ms later, against net.Conn" 1.05 tcp rdm_tagged_pingpong "${s[@]}" -c sread "${w[@]}" -- net "${w[@]}"
crowd() { figure crowd --local -p tcp -I 20000 --starts 1 | awk -v c="$1" '$(NF-3) == c {print $(NF-1)}'; } # time beside c - 1 others
row "crowd: 8 B, 1,000 connections beside, against none" 1.1 crowd 1001 -- crowd 1
exit 0
