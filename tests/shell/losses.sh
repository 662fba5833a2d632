# tests/shell/losses.sh - sourced by tests that take ranks from a campaign

. tests/shell/stops.sh

# prepare_losses [DEVICE [SECONDS]]: ops of which one implementation is slow (a call
# takes 0.02 s, or SECONDS), one wrong, and one crashes; sets $losses, the words
# that run them, and leaves an undisturbed run in $TMP/whole.csv.
prepare_losses() {
    export XDG_CACHE_HOME=$TMP/cache
    make_slow_op "$TMP/ops" "${2:-0.02}" 80
    sed 's/= a \* /= 0.001f * x->shape[0] + a * /; s/usleep([^;]*/(void)0/' \
        "$TMP/ops/scale/scale_plain.c" >"$TMP/ops/scale/scale_wrong.c"
    sed 's/    y = osw_output/    if (x->shape[0] % 16 == 0) abort();\n&/
         1i #include <stdlib.h>' \
        "$TMP/ops/scale/scale_plain.c" >"$TMP/ops/scale/scale_crash.c"
    losses=(run --suite custom_ops --custom-ops-root "$TMP/ops" --device "${1:-cpu}"
        --profile correct --seed 7 --heartbeat 0.2 --silence 1.5 --keep-going
        -o "$TMP/run.h5")
    expect_exit 1 "$OPSWEEP" "${losses[@]}" -n 1
    expect_exit 1 "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/whole.csv"
}

# start COMMAND...: in the background, until some results are on disk; sets
# $pid, its lines go to $TMP/log
start() {
    rm -rf "$TMP"/run.h5*
    : >"$TMP/log"
    "$@" >"$TMP/log" 2>&1 &
    pid=$!
    await_results 10
}

# finishes WHAT [CODE]: by that exit code (1: cells failed), with all cells,
# each as in the undisturbed run, and nothing left running once the process
# $wakes, if there is one, goes on
finishes() {
    local rc=0
    wait "$pid" || rc=$?
    [ -z "${wakes:-}" ] || kill -CONT "$wakes"
    expect_equal "${2:-1}" "$rc" "exit code after: $1; $(cat "$TMP/log")"
    await_gone 5
    expect_exit 1 "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/run.csv"
    python3 tests/shell/same_cells.py "$TMP/whole.csv" "$TMP/run.csv"
    echo "$1: all cells as without it"
}

# is_left_resumable WHAT CODE: it ends by that exit code, incomplete, with a
# journal of at least $acknowledged results, and nothing left running; --resume
# finishes it, with $ranks [3] ranks
is_left_resumable() {
    local rc=0
    wait "$pid" || rc=$?
    expect_equal "$2" "$rc" "exit code after: $1; $(cat "$TMP/log")"
    await_gone 5
    [ "$(count_in_journal 6)" -ge "$acknowledged" ] ||
        fail "$1: $(count_in_journal 6) results in the journal, there were $acknowledged"
    echo "$1: $(count_in_journal 6) results kept"
    unset TWIN_FAULT_FILE # another node's device is sound
    "$OPSWEEP" run --resume "$TMP/run.h5" -n "${ranks:-3}" >"$TMP/log2" 2>&1 &
    pid=$!
    finishes "$1, resumed"
}
