# A disk that fails: writes and syncs that return an error end the campaign
# with a message, nothing that was not synced was acknowledged, and --resume finishes it.
#
# mostly waits: until ranks and disks count as lost
# takes 100 s

. tests/shell/losses.sh

prepare_losses
run=(env LD_PRELOAD="$B/tests/chaos/bad_disk.so:$B/tests/chaos/ack_spy.so" OSW_BAD_DISK="$TMP/rule"
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
    for ((i = 0; i < 3600; i++)); do
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

# is_resumed WHAT: on a disk that works, with what was acknowledged in it
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
    expect_no_grep 'may have ended a session' "$TMP/log2"
done <<TABLE
a sync that fails once:fdatasync .journal/ 0 1 5:$io
syncs that fail for ever:fdatasync .journal/ 0 0 5:$io
a write that fails:write .jnl 0 0 5:$io
a full disk:write .jnl 0 0 28:No space left .*; [0-9.]+ MiB are waiting to be written
TABLE

# The file: all results are there, none is judged again.
for rule in 'write .h5.tmp. 3 0 28' 'fsync .h5.tmp. 0 0 5'; do
    fails "the file: $rule" "$rule" \
        "'.*run.h5' was not written; what was recorded is in '.*run.h5.journal' \(--resume goes on\): cannot write '.*run.h5.tmp"
    expect_exit 4 "$OPSWEEP" status "$TMP/run.h5"
    expect_out 'run.h5: incomplete, not written; opsweep run --resume .*run.h5 writes it'
    expect_exit 4 "$OPSWEEP" report "$TMP/run.h5" --fail-on none --format json
    expect_err "run.h5' is not there: its run ended without writing it, .* --resume .*run.h5 writes it"
    expect_out '"complete": *false'
    is_resumed "the file: $rule"
    expect_grep 'resume: 0 of [0-9]+ cells are left' "$TMP/log2"
done

# Before anything is recorded: nothing is left.
while IFS=: read -r rule message; do
    fails "the start: $rule" "$rule" "cannot write the result file '.*run.h5': .*$message"
    expect_no_file "$TMP"/run.h5*
done <<TABLE
write .journal.new/lock 0 0 28:No space left on device
fsync .journal 0 0 5:$io
write .jnl 0 0 5:$io
fsync .jnl 0 0 5:$io
TABLE

# A build cache that cannot be written is only its node's fault: an error
# before there are ranks, with the folder and the cure ...
cure='; cure: name another folder by OPSWEEP_CACHE'
mkdir -p "$TMP/two/twice"
cp tests/fixtures/ops/twice/{gen_input.json,op.json,twice.h,twice_reference.c,twice_pass__{plain,workspace}.c} "$TMP/two/twice/"
twice=(run --custom-ops-root "$TMP/two" --profile smoke -o "$TMP/cache.h5")
refused() {
    local message=$1
    shift
    expect_exit 5 env "$@" "$OPSWEEP" "${twice[@]}" -n 3
    expect_err "^opsweep: build cache '$message$cure\$"
    expect_equal 1 "$(wc -l <"$TMP/err")" 'lines on it'
    expect_no_file "$TMP/cache.h5" "$TMP/cache.h5.journal"
}
touch "$TMP/file"
refused "$TMP/file' is no folder" OPSWEEP_CACHE="$TMP/file"
refused "$TMP/file/x': cannot make '.*': Not a directory" OPSWEEP_CACHE="$TMP/file/x"
refused "/proc': cannot make a folder: .*" OPSWEEP_CACHE=/proc
bad=(LD_PRELOAD="$B/tests/chaos/bad_disk.so" OSW_BAD_DISK="$TMP/rule" OPSWEEP_CACHE="$TMP/cache")
echo 'posix_fallocate /cache/ 0 0 28' >"$TMP/rule"
refused "$TMP/cache': cannot write 4 MiB: No space left on device" "${bad[@]}"
OPSWEEP_CACHE=$TMP/file expect_exit 5 "$OPSWEEP" check "$TMP/two/twice"
expect_err "build cache '.*/file' is no folder$cure"

# ... but one that holds all that is needed may be read-only, and one that does not
# is an error as soon as something must be compiled ...
readable=()
[ "$(id -u)" != 0 ] ||
    readable=(setpriv --bounding-set=-dac_override,-dac_read_search)
rm "$TMP/rule"
OPSWEEP_CACHE=$TMP/ready expect_exit 0 "$OPSWEEP" "${twice[@]}" -n 1
cp -r "$TMP/two" "$TMP/three"
sed '$a /* another */' "$TMP/two/twice/twice_pass__plain.c" \
    >"$TMP/three/twice/twice_pass__other.c"
mkdir "$TMP/empty"
chmod 0500 "$TMP/ready" "$TMP/empty"
rm -rf "$TMP"/cache.h5*
OPSWEEP_CACHE=$TMP/ready expect_exit 0 "${readable[@]}" "$OPSWEEP" "${twice[@]}" -n 1
expect_out '4 cells, 4 pass'
OPSWEEP_CACHE=$TMP/ready expect_exit 4 "${readable[@]}" "$OPSWEEP" run -n 1 \
    --custom-ops-root "$TMP/three" --profile smoke -o "$TMP/three.h5"
expect_err "build cache '$TMP/ready': cannot make a folder: Permission denied$cure"
rm -rf "$TMP"/cache.h5*
OPSWEEP_CACHE=$TMP/empty expect_exit 5 "${readable[@]}" "$OPSWEEP" "${twice[@]}" -n 1
expect_err "build cache '$TMP/empty': cannot make a folder: Permission denied$cure"

# ... on another node its worker leaves, and the others judge its cells ...
mpi=(mpirun --enable-recovery --allow-run-as-root --oversubscribe --bind-to none)
expect_exit 0 "${mpi[@]}" -x OPSWEEP_CACHE="$TMP/cache" -n 2 "$OPSWEEP" "${twice[@]}" : \
    -x OPSWEEP_CACHE="$TMP/file" -n 1 "$OPSWEEP" "${twice[@]}"
expect_out '4 cells, 4 pass'
expect_err "rank 2 stops judging: build cache '$TMP/file' is no folder$cure"

# ... and one that fills up during the run leaves cells open, for --resume.
rm -rf "$TMP/cache" "$TMP"/cache.h5*
echo 'fsync /cache/ 1 0 28' >"$TMP/rule"
expect_exit 4 env "${bad[@]}" "$OPSWEEP" "${twice[@]}" -n 2
expect_err "rank 1 stops judging: build cache '$TMP/cache': cannot write 4 MiB: No space left on device$cure"
expect_out '4 cells, 4 not run'
expect_exit 0 env OPSWEEP_CACHE="$TMP/cache" "$OPSWEEP" run --resume "$TMP/cache.h5" -n 2
expect_out '4 cells, 4 pass'
