#!/usr/bin/env bash
# Measures the figures that docs/perf/README.md lists, on this machine, and compares each with its bar.
#
#   docs/perf/measure.sh [-n STARTS] [-o FILTER]      e.g. measure.sh -n 8 -o 'small|stream'
#
# Ours and the peer's are started in turns, STARTS times (8), and the best of each counts. Peers are Debian's fi_pingpong
# (libfabric-bin) and ucx_perftest (ucx-utils); rows whose peer is missing say so. It needs Go, taskset and awk, and two
# processors. As root everything runs at the highest ordinary priority.

. "$(dirname "$0")/kit.sh"
shm() { local s=$1; shift; ours "$s" --local -p shm "$@"; }
roads() { local r list=$1; shift; for r in $list; do "$@" --road "$r"; done | sort -g | head -1; } # the best of some roads
floor() { ours floor | awk '{print $1 / 1000}'; }
copy() { ours memcpy -S "$1"; }

echo "# $("$scratch/fabtests" floor --starts 1 2>&1 >/dev/null | sed 's/^# //'), best of $starts"
s=(--threading safe)
for n in 8 32; do row "small: $n B tagged, us, against a cache line" 1.4 shm rdm_tagged_pingpong "${s[@]}" -S $n -- floor; done
row "small: 64 B tagged against fi_pingpong" 0.333 shm rdm_tagged_pingpong "${s[@]}" -S 64 -- pingpong 64 20000
for n in 8 64 1024 8192 65536 1048576; do
  i=20000; [ $n -ge 65536 ] && i=5000; [ $n -ge 1048576 ] && i=1000
  row "latency: $n B tagged against ucx_perftest" 1 shm rdm_tagged_pingpong "${s[@]}" -S $n -I $i -- ucx tag_lat $n $i 5
done
for n in 65536 1048576; do
  row "large: $n B, road cma, against fi_pingpong" 1 shm rdm_tagged_pingpong "${s[@]}" --road cma -S $n -I 1000 -- pingpong $n 1000
  bar=0.4; [ $n = 1048576 ] && bar=0.667
  row "large: $n B from mr.Alloc memory against fi_pingpong" $bar shm rdm_tagged_pingpong "${s[@]}" --alloc -S $n -I 1000 -- pingpong $n 1000
done
for n in 65536 1048576; do
  t=(shm rdm_tagged_pingpong "${s[@]}" --touch -S $n)
  row "touch: $n B, road bulk against cma" 0.75 "${t[@]}" --road bulk -- "${t[@]}" --road cma
  row "touch: $n B, road auto against the best of cma, bulk" 1.6 "${t[@]}" -- roads "cma bulk" "${t[@]}"
  row "touch: $n B of mr.Alloc, auto against the best road" 1.6 "${t[@]}" --alloc -- roads "map cma bulk" "${t[@]}" --alloc
done
for p in 65536:2.5 1048576:1.333 4194304:1.111; do
  t=(shm rdm_tagged_pingpong "${s[@]}" -S "${p%:*}")
  row "no cma: ${p%:*} B, road bulk against cma" "${p#*:}" "${t[@]}" --road bulk -- "${t[@]}" --road cma
done
row "stream: 8 B tagged, SAFE, against ucx_perftest" 0.5 shm rdm_tagged_bw --threading safe -S 8 -I 500000 -- rate tag_bw 8 500000
row "stream: 8 B tagged, DOMAIN, against ucx_perftest" 0.37 shm rdm_tagged_bw --threading domain -S 8 -I 500000 -- rate tag_bw 8 500000
for t in domain:0.025:0.025 safe:0.045:0.05; do
  IFS=: read -r mode write add <<<"$t"
  w=(shm rma_bw --alloc -o write -S 8 -W 1 -j 0 --one-way -I 500000 --threading "$mode")
  row "rma: 8 B write, $mode, completion in the queue, us" "$write" "${w[@]}"
  row "rma: 8 B write, $mode, completion counted, us" "$write" "${w[@]}" -t counter
  row "rma: fetch-add, $mode, us" "$add" shm rdm_atomic --alloc -o sum -z uint64 --kind fetch --one-way -I 500000 --threading "$mode"
done
row "rma: 64 KiB write against a plain copy" 1.6 shm rma_bw --alloc -o write -S 65536 -W 1 -j 0 --one-way -I 20000 -- copy 65536
row "rma: 64 KiB write, ping-pong, against ucp_put_lat" 1 shm rma_pingpong --alloc -o write -S 65536 -I 10000 -- ucx ucp_put_lat 65536 10000 5
grep -qE "$filter" <<<depth && figure match_depth -p shm
grep -qE "$filter" <<<empty && figure cq_empty -p shm
grep -qE "$filter" <<<wakeup && figure wakeup -p shm
grep -qE "$filter" <<<barrier && figure barrier -p shm -n 4
grep -qE "$filter" <<<memory && figure memory -p shm
exit 0
