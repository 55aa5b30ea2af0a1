# What the measuring scripts beside share; they source it. It reads their options -n and -o.
set -u
starts=8 filter=.
while getopts n:o:h f; do case $f in n) starts=$OPTARG ;; o) filter=$OPTARG ;; *) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac; done
cd "$(dirname "$0")/../.." || exit
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/fabtests" ./fabtests || exit
prio=(); nice -n -20 true 2>/dev/null && prio=(nice -n -20)
port() { echo $((20000 + RANDOM % 20000)); }
has() { command -v "$1" >/dev/null; }

# One number a run: microseconds a transfer, or the value of a figure.
ours() { "${prio[@]}" "$scratch/fabtests" "$@" --starts 1 -m 2>/dev/null | tail -1 | sed -n 's/.*usec\/xfer: \([0-9.]*\).*/\1/p; s/.*value: \([0-9.]*\).*/\1/p'; }
pair() { local cpu=$1; shift; timeout -s KILL 60 "${prio[@]}" taskset -c "$cpu" "$@"; }
peer="shm -e rdm -m tagged" # of fi_pingpong: provider, endpoint, kind of message
pingpong() { # size iterations
  local p; p=$(port)
  pair 0 fi_pingpong -p $peer -S "$1" -I "$2" -B "$p" >/dev/null 2>&1 & local s=$!
  sleep 0.5
  pair 1 fi_pingpong -p $peer -S "$1" -I "$2" -P "$p" 127.0.0.1 2>/dev/null | awk '$1 ~ /^[0-9.]+[kmg]?$/ {v = $(NF-1)} END {print v}'
  wait $s 2>/dev/null
}
tls=posix,sysv,cma,self # of ucx_perftest
ucx() { # test size iterations field of the final row: 5 microseconds, 9 messages a second
  local p; p=$(port)
  UCX_TLS=$tls pair 0 ucx_perftest -p "$p" -t "$1" -s "$2" -n "$3" >/dev/null 2>&1 & local s=$!
  sleep 0.5
  UCX_TLS=$tls pair 1 ucx_perftest -p "$p" -t "$1" -s "$2" -n "$3" 127.0.0.1 2>/dev/null | awk -v f="$4" '/^Final:/ {print $f}'
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

figure() { "${prio[@]}" "$scratch/fabtests" "$@" 2>/dev/null; }
