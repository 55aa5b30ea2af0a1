#!/usr/bin/env bash
# Measures package mpi beside Debian's MPICH and Open MPI on this machine, and compares the best with the best.
#
#   docs/perf/measure-mpi.sh [-n ROUNDS] [-r RANKS]      e.g. measure-mpi.sh -n 5 -r 2
#
# Ours and theirs are started in turns, ROUNDS times (5), with RANKS ranks (2; with 2 bound to the processors 0 and 1). A row:
# the name, bytes, ours, MPICH, Open MPI, and ours as a part of the better one (of bandwidths the inverse), so that less than
# 1 is faster. Needs packages mpich, libmpich-dev, openmpi-bin and libopenmpi-dev. As root, processes go before others.

set -euo pipefail
rounds=5 ranks=2
while getopts n:r: o; do case $o in n) rounds=$OPTARG ;; r) ranks=$OPTARG ;; *) exit 2 ;; esac; done
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$here/../.."
CGO_ENABLED=0 go build -o "$out/" ./mpirun ./mpibench
mpicc.mpich -w -O2 -o "$out/mpich" "$here/mpi/peer.c"
mpicc.openmpi -w -O2 -o "$out/openmpi" "$here/mpi/peer.c"
first=()
if [ "$(id -u)" = 0 ]; then first=(nice -n -20); fi
bind=(none none none)
if [ "$ranks" = 2 ]; then bind=(core core core); fi
export BENCH_NO_CAS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # Open MPI 4.1 crashes in its compare-and-swap
run() { # name command...
  local name=$1
  shift
  timeout 300 taskset -c 0,1 "${first[@]}" "$@" >>"$out/$name.txt" 2>"$out/$name.err" || { cat "$out/$name.err" >&2; echo "$name failed" >&2; }
}
for _ in $(seq "$rounds"); do
  run ours "$out/mpirun" -n "$ranks" -bind-to "${bind[0]}" "$out/mpibench" suite
  run theirs.mpich mpiexec.hydra -n "$ranks" -bind-to "${bind[1]}" "$out/mpich"
  run theirs.openmpi mpirun.openmpi --oversubscribe --bind-to "${bind[2]}" -n "$ranks" "$out/openmpi"
done
printf '%-18s %9s %12s %12s %12s %7s\n' name bytes ours MPICH 'Open MPI' ratio
awk '
  FNR == 1 { file++ }
  /^[a-z-]+ [0-9]+ [0-9]+ [0-9.]+ / {
    k = $1 " " $2; rate[k] = $5 ~ /\/s$/
    if (!(k in seen)) { seen[k] = 1; order[++m] = k }
    i = file SUBSEP k
    if (!(i in best) || (rate[k] ? $4 > best[i] : $4 < best[i])) best[i] = $4
  }
  END {
    for (j = 1; j <= m; j++) {
      k = order[j]; split(k, p, " "); o = best[1, k]; a = best[2, k]; b = best[3, k]
      if (rate[k]) { t = a > b ? a : b; r = t ? t / o : 0 } else { t = !a ? b : !b ? a : a < b ? a : b; r = t ? o / t : 0 }
      printf "%-18s %9d %12.3f %12s %12s %7s\n", p[1], p[2], o, a == "" ? "-" : a, b == "" ? "-" : b, r ? sprintf("%.2f", r) : "-"
    }
  }' "$out/ours.txt" "$out/theirs.mpich.txt" "$out/theirs.openmpi.txt"
