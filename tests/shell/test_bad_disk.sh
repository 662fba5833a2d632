# A disk that fails: writes and syncs that return an error end the campaign in
# words, nothing that was not synced was acknowledged, and --resume finishes it.

. tests/shell/losses.sh

cc_so() { ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -shared -fPIC -o "$@" -ldl; }
cc_so "$TMP/bad_disk.so" tests/chaos/bad_disk.c
# shellcheck disable=SC2046
cc_so "$TMP/ack_spy.so" $(pkg-config --cflags ompi-c) tests/chaos/ack_spy_mpi.c
prepare_losses
run=(env LD_PRELOAD="$TMP/bad_disk.so:$TMP/ack_spy.so" OSW_BAD_DISK="$TMP/rule"
    OSW_ACK_LOG="$TMP/acks" "$OPSWEEP" "${losses[@]}" -n 3)

# acknowledged_sum: results that went out as acknowledged, of all ranks
acknowledged_sum() {
    sort -k1,1n -k2,2nr "$TMP/acks" 2>/dev/null | awk '!seen[$1]++ { n += $2 } END { print n + 0 }'
}

# fails WHAT RULE MESSAGE [CODE]: a run under that rule ends by it (5) and says so;
# with $later set the rule comes when something was acknowledged
fails() {
    local rc=0 i
    rm -rf "$TMP"/run.h5* "$TMP/acks" "$TMP"/rule*
    [ -n "${later:-}" ] || echo "$2" >"$TMP/rule"
    "${run[@]}" >"$TMP/log" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        if [ -s "$TMP/acks" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi
        sleep 0.05
    done
    [ -z "${later:-}" ] || echo "$2" >"$TMP/rule"
    wait "$pid" || rc=$?
    expect_equal "${4:-5}" "$rc" "exit code after: $1; $(cat "$TMP/log")"
    [ -s "$TMP/rule.struck" ] || fail "$1: it never happened"
    expect_grep "$3" "$TMP/log"
    rm "$TMP"/rule*
    expect_no_file "$TMP"/run.h5.tmp.*
}

# is_resumed WHAT: on a disk that is sound, with what was acknowledged in it
is_resumed() {
    acknowledged=$(acknowledged_sum)
    echo "$1: $acknowledged results were acknowledged"
    [ "$acknowledged" -ge 1 ] || fail "$1: nothing was acknowledged before"
    expect_exit 0 "$OPSWEEP" journal verify "$TMP/run.h5"
    (exit 5) &
    pid=$!
    ranks=2 is_left_resumable "$1" 5
}

io='Input/output error'
journal="cannot write journal '.*run.h5.journal': "

# A sync that fails once: the next one would claim success.
while IFS=: read -r what rule message; do
    later=yes fails "$what" "$rule" "$journal$message"
    is_resumed "$what"
done <<TABLE
a sync that fails once:fdatasync .journal/ 0 1 5:$io
syncs that fail for ever:fdatasync .journal/ 0 0 5:$io
a write that fails:write .jnl 0 0 5:$io
a full disk:write .jnl 0 0 28:No space left .*; [0-9.]+ MiB are waiting to be written
TABLE

# The file: all results are there, none is judged again.
for rule in 'write .h5.tmp. 3 0 28' 'fsync .h5.tmp. 0 0 5'; do
    fails "the file: $rule" "$rule" \
        "'.*run.h5' was not written; what was recorded is in '.*run.h5.journal': cannot write '.*run.h5.tmp"
    is_resumed "the file: $rule"
    expect_grep 'resume: 0 of [0-9]+ cells are left' "$TMP/log2"
done

# Before there is anything: nothing is left.
while read -r rule; do
    fails "the start: $rule" "$rule" "$io" 2
    expect_no_file "$TMP"/run.h5*
done <<'TABLE'
fsync .journal 0 0 5
write .jnl 0 0 5
fsync .jnl 0 0 5
TABLE
