#!/usr/bin/env bash
# Measures the figures that docs/perf/README.md lists, on this machine, and compares each with its bar.
#
#   docs/perf/measure.sh [-n STARTS] [-o FILTER]      e.g. measure.sh -n 8 -o 'small|stream'
#
# Ours and the peer's are started in turns, STARTS times (8), and the best of each counts. Peers are Debian's fi_pingpong
# (libfabric-bin) and ucx_perftest (ucx-utils); rows whose peer is missing say so. It needs Go, taskset and awk, and two
# processors. As root everything runs at the highest ordinary priority.
set -u
starts=8 filter=.
while getopts n:o:h f; do case $f in n) starts=$OPTARG ;; o) filter=$OPTARG ;; *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac; done
cd "$(dirname "$0")/../.." || exit
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/fabtests" ./fabtests || exit
prio=(); nice -n -20 true 2>/dev/null && prio=(nice -n -20)
port() { echo $((20000 + RANDOM % 20000)); }
has() { command -v "$1" >/dev/null; }

# One number a run: microseconds a transfer, or the value of a figure.
ours() { "${prio[@]}" "$scratch/fabtests" "$@" --starts 1 -m 2>/dev/null | tail -1 | sed -n 's/.*usec\/xfer: \([0-9.]*\).*/\1/p; s/.*value: \([0-9.]*\).*/\1/p'; }
shm() { local s=$1; shift; ours "$s" --local -p shm "$@"; }
roads() { local r list=$1; shift; for r in $list; do "$@" --road "$r"; done | sort -g | head -1; } # the best of some roads
floor() { ours floor | awk '{print $1 / 1000}'; }
copy() { ours memcpy -S "$1"; }
pair() { local cpu=$1; shift; timeout -s KILL 60 "${prio[@]}" taskset -c "$cpu" "$@"; }
pingpong() { # size iterations
  local p; p=$(port)
  pair 0 fi_pingpong -p shm -e rdm -m tagged -S "$1" -I "$2" -B "$p" >/dev/null 2>&1 & local s=$!
  sleep 0.5
  pair 1 fi_pingpong -p shm -e rdm -m tagged -S "$1" -I "$2" -P "$p" 127.0.0.1 2>/dev/null | awk '$1 ~ /^[0-9.]+[kmg]?$/ {v = $(NF-1)} END {print v}'
  wait $s 2>/dev/null
}
ucx() { # test size iterations field of the final row: 5 microseconds, 9 messages a second
  local p; p=$(port)
  UCX_TLS=posix,sysv,cma,self pair 0 ucx_perftest -p "$p" -t "$1" -s "$2" -n "$3" >/dev/null 2>&1 & local s=$!
  sleep 0.5
  UCX_TLS=posix,sysv,cma,self pair 1 ucx_perftest -p "$p" -t "$1" -s "$2" -n "$3" 127.0.0.1 2>/dev/null | awk -v f="$4" '/^Final:/ {print $f}'
  wait $s 2>/dev/null
}
rate() { ucx "$@" 9 | awk '$1 > 0 {print 1e6 / $1}'; } # microseconds a message

# row NAME BAR OURS -- OTHER: the ratio of the times ours/other is at most BAR.
# row NAME BAR OURS: ours is at most BAR.
row() {
  local name=$1 bar=$2 a=() b=() x y; shift 2
  grep -qE "$filter" <<<"$name" || return 0
  while [ $# -gt 0 ] && [ "$1" != -- ]; do a+=("$1"); shift; done
  [ $# -gt 0 ] && shift && b=("$@")
  case ${b[0]-} in
    pingpong) has fi_pingpong || { printf '%-58s no fi_pingpong: apt-get install libfabric-bin\n' "$name"; return; } ;;
    ucx | rate) has ucx_perftest || { printf '%-58s no ucx_perftest: apt-get install ucx-utils\n' "$name"; return; } ;;
  esac
  for _ in $(seq "$starts"); do
    x+=" $("${a[@]}")"
    [ ${#b[@]} -gt 0 ] && y+=" $("${b[@]}")"
  done
  awk -v name="$name" -v bar="$bar" -v x="$x" -v y="${y-}" -v two="${#b[@]}" '
    function best(s,   w, n, i, m) { n = split(s, w, " "); m = ""; for (i = 1; i <= n; i++) if (m == "" || w[i] + 0 < m) m = w[i] + 0; return m }
    BEGIN {
      o = best(x); p = best(y)
      if (o == "" || (two && p == "")) { printf "%-58s failed\n", name; exit }
      if (two) { r = p > 0 ? o / p : 0; printf "%-58s %10.4f / %10.4f = %6.3f  at most %-6s %s\n", name, o, p, r, bar, r <= bar ? "ok" : "MISSED" }
      else printf "%-58s %10.4f                       at most %-6s %s\n", name, o, bar, o <= bar ? "ok" : "MISSED"
    }'
}

echo "# $("$scratch/fabtests" floor --starts 1 2>&1 >/dev/null | sed 's/^# //'), best of $starts"
s=(--threading safe)
for n in 8 32; do row "small: $n B tagged, us, against a cache line" 1.4 shm rdm_tagged_pingpong "${s[@]}" -S $n -- floor; done
row "small: 64 B tagged against fi_pingpong" 0.333 shm rdm_tagged_pingpong "${s[@]}" -S 64 -- pingpong 64 20000
for n in 8 64 1024 8192 65536 1048576; do
  i=20000; [ $n -ge 65536 ] && i=1000
  row "latency: $n B tagged against ucx_perftest" 1 shm rdm_tagged_pingpong "${s[@]}" -S $n -- ucx tag_lat $n $i 5
done
for n in 65536 1048576; do
  row "large: $n B, road cma, against fi_pingpong" 1 shm rdm_tagged_pingpong "${s[@]}" --road cma -S $n -- pingpong $n 1000
  bar=0.4; [ $n = 1048576 ] && bar=0.667
  row "large: $n B from mr.Alloc memory against fi_pingpong" $bar shm rdm_tagged_pingpong "${s[@]}" --alloc -S $n -- pingpong $n 1000
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
figure() { "${prio[@]}" "$scratch/fabtests" "$@" 2>/dev/null; }
grep -qE "$filter" <<<depth && figure match_depth -p shm
grep -qE "$filter" <<<empty && figure cq_empty -p shm
grep -qE "$filter" <<<wakeup && figure wakeup -p shm
grep -qE "$filter" <<<barrier && figure barrier -p shm -n 4
grep -qE "$filter" <<<memory && figure memory -p shm
exit 0
