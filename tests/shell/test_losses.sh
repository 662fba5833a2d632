# Ranks that die, stop or come back cost nothing but the cells in their hands.
#
# mostly waits: until ranks count as silent
# takes 140 s

. tests/shell/losses.sh

prepare_losses
run=("$OPSWEEP" "${losses[@]}" -n 4)

start "${run[@]}"
kill -KILL "$(rank_pid 2)"
finishes 'kill -9 of a worker'
expect_grep 'rank 2 is lost: its process has ended' "$TMP/log"

start "${run[@]}"
kill -STOP "$(rank_pid 2)"
finishes 'a worker that is stopped for ever'
expect_grep 'rank 2 is lost: silent for [0-9.]+ s' "$TMP/log"

# Its results from before it was lost, and those of cells that others have by
# now, arrive all at once.
start "${run[@]}"
stopped=$(rank_pid 2)
kill -STOP "$stopped"
await 'rank 2 is lost' "$TMP/log"
kill -CONT "$stopped"
finishes 'a worker that comes back'
expect_grep 'rank 2 is back' "$TMP/log"
grep -v 'this worker said nothing for' "$TMP/log" >"$TMP/other"
expect_no_grep 'rank 2: ' "$TMP/other"

start "${run[@]}"
for r in 1 2; do kill -KILL "$(rank_pid $r)"; done
finishes 'kill -9 of all workers but one'

start "${run[@]}"
stopped=$(rank_pid 0)
kill -STOP "$stopped"
sleep 3
kill -CONT "$stopped"
finishes 'a coordinator that pauses for 3 s'
expect_no_grep 'is lost' "$TMP/log"

# The other ranks cannot go on, and must end.
start "${run[@]}"
for r in 1 2 3; do kill -KILL "$(rank_pid $r)"; done
acknowledged=$(count_in_journal 6)
is_left_resumable 'kill -9 of all workers' 4

start "${run[@]}"
stopped=$(rank_pid 3)
kill -STOP "$stopped"
acknowledged=$(count_in_journal 6)
kill -KILL "$(rank_pid 0)"
await "rank 1: the coordinator's process has ended" "$TMP/log" 3
kill -CONT "$stopped"
is_left_resumable 'kill -9 of the coordinator' 4
expect_grep 'ended before it was done' "$TMP/log"

# mpirun alone would wait for a rank that never ends.
start "${run[@]}"
kill -STOP "$(rank_pid 3)"
acknowledged=$(count_in_journal 6)
kill -KILL "$(rank_pid 0)"
is_left_resumable 'kill -9 of the coordinator beside a rank that is stopped for ever' 4
expect_grep 'ended before it was done' "$TMP/log"

start "${run[@]}"
acknowledged=$(count_in_journal 6)
kill -STOP "$(rank_pid 1)"
kill -KILL "$(pgrep -P "$pid" mpirun)"
is_left_resumable 'kill -9 of mpirun' 4

start "${run[@]}"
acknowledged=$(count_in_journal 6)
kill -KILL "$pid"
is_left_resumable 'kill -9 of what was started' 137

start "${run[@]}"
kill -STOP "$(pgrep -P "$pid" mpirun)"
finishes 'an mpirun that is stopped'

# Under an mpirun of one's own only the coordinator ends a rank that is
# stopped; its exit status says nothing.
start mpirun --enable-recovery --allow-run-as-root --oversubscribe --bind-to none -n 4 \
    "$OPSWEEP" "${losses[@]}"
kill -STOP "$(rank_pid 2)"
wait "$pid" || true
await_gone 5
expect_exit 1 "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/run.csv"
python3 tests/shell/same_cells.py "$TMP/whole.csv" "$TMP/run.csv"

# What op code, or a compiler, of a worker that is killed by -9 started does not
# outlive it, and what other workers started goes on.
cp -r "$TMP/ops" "$TMP/forks"
cp tests/attacks/outputs.h "$TMP/forks/scale"
sed -e 's|#include <unistd.h>|&\n#include <sys/prctl.h>\n#include <signal.h>\n#include "outputs.h"|' \
    -e 's|    y = osw_output|    static int made;\n    if (!made++ \&\& fork() == 0) {\n        leave_outputs();\n        prctl(PR_SET_NAME, "left-over");\n        signal(SIGTERM, SIG_IGN);\n        for (;;) pause();\n    }\n&|' \
    "$TMP/forks/scale/scale_plain.c" >"$TMP/forks/scale/scale_forks.c"
rm "$TMP/forks/scale/scale_wrong.c" "$TMP/forks/scale/scale_crash.c"

# made_by PID: those of its sandboxes that are left
made_by() {
    local pid
    for pid in $(pgrep -x left-over || true); do
        if [ "$(ps -o ppid= -p "$(ps -o pgid= -p "$pid" | tr -d ' ')" | tr -d ' ')" = "$1" ]; then
            echo "$pid"
        fi
    done
}

# await_left N PID: until so many of them are there
await_left() {
    local i
    for ((i = 0; i < 100; i++)); do
        [ "$(made_by "$2" | wc -l)" -lt "$1" ] || return 0
        sleep 0.1
    done
    fail "process $2 has no $1 processes of op code"
}

start "$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/forks" --device cpu \
    --profile correct --seed 7 --heartbeat 0.2 --silence 1.5 --keep-going -o "$TMP/run.h5" -n 3
one=$(rank_pid 1) other=$(rank_pid 2)
await_left 1 "$one"
await_left 1 "$other"
left=$(made_by "$one")
kept=$(made_by "$other")
kill -KILL "$one"
for ((i = 0; i < 50; i++)); do
    # shellcheck disable=SC2086
    ps -o stat= -p $left | grep -q '^[^ZX]' || break
    sleep 0.1
done
# shellcheck disable=SC2086
if ps -o pid,ppid,stat,comm -p $left | grep -v 'PID' | grep -v ' [ZX]'; then
    fail 'what op code of a killed worker started is still there'
fi
# shellcheck disable=SC2086
ps -o stat= -p $kept | grep -q '^[^ZX]' || fail "another worker's processes are gone"
rc=0
wait "$pid" || rc=$?
expect_equal 0 "$rc" "exit code; $(cat "$TMP/log")"
await_gone 5
