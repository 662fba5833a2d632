# Requests to stop: cells in work end, what was recorded is saved, exit code 4.
#
# takes 100 s

. tests/shell/stops.sh

export XDG_CACHE_HOME=$TMP/cache
make_slow_op "$TMP/ops" 0.03 60    # a cell takes 0.2 s
make_slow_op "$TMP/stuck" 600 60   # or 10 minutes
campaign=(run --suite custom_ops --custom-ops-root "$TMP/ops" --device cpu
    --profile correct --force -o "$TMP/run.h5")
stuck=(run --suite custom_ops --custom-ops-root "$TMP/stuck" --device cpu
    --profile correct --timeout 600 --force -o "$TMP/run.h5")

# start WORDS...: in the background; sets $pid, its lines go to $TMP/log
start() {
    rm -rf "$TMP"/run.h5*
    : >"$TMP/log"
    "$@" >"$TMP/log" 2>&1 &
    pid=$!
}

# ends CODE SECONDS: it does, by that code and within that time
ends() {
    local rc=0 since
    since=$(date +%s%N)
    wait "$pid" || rc=$?
    expect_equal "$1" "$rc" "exit code; $(cat "$TMP/log")"
    [ "$(seconds_since "$since")" -lt "$2" ] || fail "took over $2 s to stop"
    await_gone
}

# is_kept: an incomplete campaign and its journal
is_kept() {
    [ -d "$TMP/run.h5.journal" ] || fail "no journal to resume from"
    expect_exit 4 "$OPSWEEP" report "$TMP/run.h5"
    expect_grep 'asked to stop' "$TMP/log"
}

# is_saved: an incomplete file, too, and not a single wrong word
is_saved() {
    is_kept
    expect_grep 'run.h5: 60 cells(, [0-9]+ pass)?, [0-9]+ not run; ' "$TMP/log"
    expect_grep '^opsweep run --resume .*/run.h5 goes on from there' "$TMP/log"
}

# Any process, by any signal: the process itself, ...
for words in '-n 1' '-n 3'; do
    for signal in INT TERM USR1 HUP; do
        # shellcheck disable=SC2086
        start "$OPSWEEP" "${campaign[@]}" $words
        await_results 3
        kill "-$signal" "$pid"
        ends 4 6
        is_saved
    done
done

# ... also where mpirun keeps signals to itself, ...
mkdir -p "$TMP/bin"
cat >"$TMP/bin/mpirun" <<EOF
#!/bin/bash
trap : USR1
$(command -v mpirun) "\$@" &
while kill -0 \$! 2>/dev/null; do wait \$!; done
EOF
chmod +x "$TMP/bin/mpirun"
start env PATH="$TMP/bin:$PATH" "$OPSWEEP" "${campaign[@]}" -n 3
await_results 3
kill -TERM "$pid"
ends 4 6
is_saved

# ... rank 0 alone, or an mpirun of the user's own: it hands on USR1.  For others
# it kills the ranks after 2 s, which is not enough on a busy machine.
start "$OPSWEEP" "${campaign[@]}" -n 3
await_results 3
kill -TERM "$(rank_pid 0)"
ends 4 6
is_saved
mpirun=(mpirun --enable-recovery --bind-to none --oversubscribe
    --allow-run-as-root -n 3)
start "${mpirun[@]}" "$OPSWEEP" "${campaign[@]}"
await_results 3
kill -USR1 "$pid"
ends 0 6 # under --enable-recovery it always is
is_saved
start "${mpirun[@]}" "$OPSWEEP" "${campaign[@]}"
await_results 3
kill -TERM "$pid"
ends 1 6
is_kept

# A Ctrl-C at a terminal reaches every process of the foreground, sandboxes and
# compilers, too; here while the first file is compiled, and later.
for words in '-n 1' '-n 3'; do
    for regex in 'planned|cells' '[1-9][0-9]* pass'; do
        rm -rf "$TMP/cache" "$TMP"/run.h5*
        # shellcheck disable=SC2086
        expect_exit 4 python3 tests/shell/on_terminal.py "$regex" 1 \
            "$OPSWEEP" "${campaign[@]}" $words
        cp "$TMP/out" "$TMP/log"
        await_gone
        is_saved
    done
done

# If no cell ends in time: after --grace, or at the second request.  Compiled before,
# so that the op is called soon.
expect_exit 0 "$OPSWEEP" build "$TMP/stuck"
for words in '-n 1' '-n 3'; do
    # shellcheck disable=SC2086
    start "$OPSWEEP" "${stuck[@]}" $words --grace 1
    await_stuck
    kill -TERM "$pid"
    ends 4 6
    expect_grep 'rank 1 is not waited for' "$TMP/log"
    # shellcheck disable=SC2086
    start "$OPSWEEP" "${stuck[@]}" $words
    await_stuck
    kill -INT "$pid"
    await 'asked to stop' "$TMP/log"
    kill -INT "$pid"
    ends 4 6
    # shellcheck disable=SC2086
    expect_exit 4 python3 tests/shell/on_terminal.py '0/60 cells' 2 \
        "$OPSWEEP" "${stuck[@]}" $words
    await_gone
done

# Killed by its launcher before it could save: the journal stays.
start "${mpirun[@]}" "$OPSWEEP" "${stuck[@]}"
await_stuck
kill -TERM "$pid"
ends 1 6
expect_no_file "$TMP/run.h5"
[ -d "$TMP/run.h5.journal" ] || fail "no journal to resume from"

# A job that is suspended, as Slurm does for another one's sake, goes on: no
# rank was silent or late, though its first calls took longer than they may; these
# compute, for a third of the time, others are quick.
make_slow_op "$TMP/busy" 0 2
sed -i 's/usleep(.*);/static int n_calls;\n    for (clock_t nap = 0; !n_calls \&\& clock() < 0.7 * CLOCKS_PER_SEC;)\n        if (clock() >= nap) {\n            usleep(40000);\n            nap = clock() + CLOCKS_PER_SEC \/ 50;\n        }\n    n_calls++;/
    1i #include <time.h>' "$TMP/busy/scale/scale_plain.c"
start "$OPSWEEP" run --custom-ops-root "$TMP/busy" --device cpu -n 3 \
    --profile correct --timeout 5 --silence 6 --heartbeat 1 -o "$TMP/run.h5"
await_begun
stopped=$(family "$pid")
# shellcheck disable=SC2086
kill -STOP $stopped
sleep 7
# shellcheck disable=SC2086
kill -CONT $stopped
ends 0 150
expect_grep '2 cells, 2 pass; 2 workers' "$TMP/log"
expect_no_grep 'silent|lost|once more' "$TMP/log"

# So does one that is asked to stop and then suspended for longer than --grace:
# cells in work are waited for.
make_slow_op "$TMP/slow" 0.5 60
start "$OPSWEEP" run --custom-ops-root "$TMP/slow" --device cpu -n 3 \
    --profile correct --grace 8 -o "$TMP/run.h5"
await_begun
sleep 2 # the op is being called
kill -TERM "$pid"
await 'asked to stop' "$TMP/log"
stopped=$(family "$pid")
# shellcheck disable=SC2086
kill -STOP $stopped
sleep 9
# shellcheck disable=SC2086
kill -CONT $stopped
ends 4 30
expect_no_grep 'not waited for|silent|lost' "$TMP/log"
expect_grep '60 cells, [1-9][0-9]* pass' "$TMP/log"

# If only one worker is asked, it ends; the others do its work.
start "$OPSWEEP" "${campaign[@]}" -n 3
await_results 3
kill -TERM "$(rank_pid 2)"
ends 0 150
expect_grep 'rank 2 stops judging: this rank alone was asked to stop' "$TMP/log"
expect_grep '60 cells, 60 pass; 2 workers' "$TMP/log"
