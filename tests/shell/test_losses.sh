# Ranks that die, stop or come back cost nothing but the cells in their hands.

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
expect_grep 'rank 2 is lost: silent for 1\.[5-9] s' "$TMP/log"

# Its results from before it was lost, and those of cells that others have by
# now, arrive all at once.
start "${run[@]}"
stopped=$(rank_pid 2)
kill -STOP "$stopped"
await 'rank 2 is lost' "$TMP/log"
kill -CONT "$stopped"
finishes 'a worker that comes back'
expect_grep 'rank 2 is back' "$TMP/log"
expect_no_grep 'rank 2: ' "$TMP/log"

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

# The rest cannot go on, and must not stay behind.
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
