# Hosts that are cut off, for a while or for ever, cost nothing but the cells in
# their hands, and no process stays on them.
#
# takes turns: a network
# mostly waits: until hosts count as lost
# takes 150 s

. tests/shell/losses.sh
. tests/net/hosts.sh

prepare_losses
hosts_up 3
# Open MPI's daemons on a host that is cut off see it after this, not after
# minutes.
export OMPI_MCA_oob_tcp_keepalive_time=1 OMPI_MCA_oob_tcp_keepalive_intvl=1
export OMPI_MCA_oob_tcp_keepalive_probes=3
run=(on h0 "$OPSWEEP" "${losses[@]}" -n 4)
ranks=1 # of those resumed, here and without MPI

start "${run[@]}"
finishes 'nothing at all'
hosts=$("$OPSWEEP" report --fail-on none --format csv "$TMP/run.h5" | python3 -c '
import csv, sys
print(*sorted({r["host"] for r in csv.DictReader(sys.stdin)}))')
expect_equal 'h0 h1 h2' "$hosts" 'hosts that judged'

start "${run[@]}"
kill -KILL "$(rank_pid 3)"
finishes 'kill -9 of a worker elsewhere'
expect_grep 'rank 3 is lost: (silent for|its process has ended)' "$TMP/log"

start "${run[@]}"
kill -KILL "$(pid_on h2 orted)"
finishes 'kill -9 of a daemon of mpirun'

start "${run[@]}"
daemon=$(pid_on h2 orted)
kill -STOP "$daemon"
wakes=$daemon finishes 'a daemon of mpirun that is stopped'

# Calls take longer here, so that there are cells left when it is back.
sed -i.fast 's/usleep([^;]*/usleep(300000)/' "$TMP/ops/scale/scale_plain.c"
start "${run[@]}"
unplug h2
await 'rank 3 is lost' "$TMP/log"
plug h2
await 'rank 3 is back' "$TMP/log"
finishes 'a link that is down for a while'
mv "$TMP/ops/scale/scale_plain.c.fast" "$TMP/ops/scale/scale_plain.c"

start "${run[@]}"
unplug h2
finishes 'a link that is cut for ever'
expect_grep 'rank 3 is lost' "$TMP/log"
plug h2

start "${run[@]}"
unplug h0
finishes "the coordinator's link that is cut"
expect_grep 'rank 2 is lost' "$TMP/log"
expect_grep 'rank 3 is lost' "$TMP/log"
plug h0

start "${run[@]}"
acknowledged=$(count_in_journal 6)
kill -KILL "$(rank_pid 0)"
is_left_resumable 'kill -9 of the coordinator' 4

start "${run[@]}"
acknowledged=$(count_in_journal 6)
kill -KILL "$(pid_on h0 mpirun)"
is_left_resumable 'kill -9 of mpirun' 4
