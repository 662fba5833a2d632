# tests/shell/test_live.sh - a campaign that is going on is reported
#
# mostly waits: for an op that sleeps
# takes 45 s

. tests/shell/slow_op.sh
make_slow_op "$TMP/ops" 12 400
file=$TMP/run.h5
"$OPSWEEP" run -n 2 --device cpu --custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.1 \
    --silence 1 -o "$file" >"$TMP/run.out" 2>&1 &
pid=$!
wait_results "$file" 2 $pid

# Incomplete, with how many cells of how many, and which process writes it.
expect_no_file "$file"
mkdir "$TMP/tmp"
TMPDIR=$TMP/tmp expect_exit 4 "$OPSWEEP" report "$file"
expect_out "^.*run\.h5: INCOMPLETE, [0-9]+ of 36 cells recorded$"
expect_err "^opsweep: '.*/run\.h5' is being written by process [0-9]+ on host .*: [0-9]+ of 36 cells recorded so far$"
expect_equal '' "$(ls "$TMP/tmp")" 'files left'
first=$(sed -n 's/.*: \([0-9]*\) of 36 .*/\1/p' "$TMP/err")
for format in markdown csv json junit html; do
    expect_exit 4 "$OPSWEEP" report "$file" -f $format
done
expect_exit 0 "$OPSWEEP" show "$file" 0
expect_out 'scale'

# Later there is more of it; the run itself is not disturbed by readers.
wait_results "$file" $((first + 1)) $pid
kill -0 $pid || fail "the campaign ended: $(cat "$TMP/run.out")"
expect_exit 4 "$OPSWEEP" report "$file"
later=$(sed -n 's/.*: \([0-9]*\) of 36 .*/\1/p' "$TMP/err")
[ "$later" -gt "$first" ] || fail "recorded: $first, then $later"
"$OPSWEEP" journal verify "$file" >"$TMP/verify" || true
expect_no_grep DAMAGED "$TMP/verify"

expect_exit 2 "$OPSWEEP" run --suite smoke -n 1 --device cpu -o "$file"
expect_err "run.h5.journal' is held by process [0-9]+.*: its run goes on; expected another name"
# Nor does another command write there: the run would replace it at its end.
for command in "merge --force $file $TMP/other.h5" "report $TMP/other.h5 -o $file" \
    "export $TMP/other.h5 -f csv -o $file"; do
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" $command
    expect_err "run.h5.journal' is held by process [0-9]+.*: its run goes on; expected another name"
done

# Cut off: the same from its journal, with what goes on with it.
kill -9 "$(coordinator "$file")"
rc=0
wait $pid || rc=$?
expect_equal 4 $rc 'exit code'
expect_grep "recorded is in '.*/run\.h5\.journal', and opsweep run --resume .*/run\.h5 goes on" "$TMP/run.out"
expect_no_file "$file"
expect_exit 4 "$OPSWEEP" report "$file"
expect_out 'INCOMPLETE, [0-9]+ of 36 cells recorded'
expect_err "warning: '.*/run\.h5' is not there: its run was cut off, and its journal holds [0-9]+ of 36 cells; opsweep run --resume .*/run\.h5 goes on"
expect_no_file "$file"
expect_exit 2 "$OPSWEEP" export "$file"
expect_err "run.h5' is not there yet: .*run.h5.journal' has its results \\(opsweep status"

# Resumed, the journal counts, not the older file beside it.
expect_exit 4 "$OPSWEEP" journal recover "$file"
"$OPSWEEP" run --resume "$file" -n 2 >"$TMP/run.out" 2>&1 &
pid=$!
while [ ! -e "$file.journal/lock" ] && kill -0 $pid; do
    sleep 0.05
done
wait_results "$file" $((later + 2)) $pid
if [ -e "$file.journal/lock" ]; then
    expect_exit 4 "$OPSWEEP" report "$file"
    now=$(sed -n 's/.*: \([0-9]*\) of 36 .*/\1/p' "$TMP/err")
    [ "$now" -gt "$later" ] || fail "recorded after resuming: $now, before $later"
fi
rc=0
wait $pid || rc=$?
expect_equal 1 $rc 'exit code of the resumed run'
expect_exit 1 "$OPSWEEP" report "$file"
expect_out 'run\.h5: complete$'
expect_equal '' "$(cat "$TMP/err")" 'words on a file that is complete'
expect_exit 2 "$OPSWEEP" report "$TMP/none.h5"
expect_err "none\.h5': No such file"

# A case that hangs is named in the progress line, which tells no time that is
# left: its prediction has passed.
make_slow_op "$TMP/hang" 1 1
rm "$TMP/hang/scale/scale_wrong.c" "$TMP/hang/scale/scale_plain.c"
sed -i 's/{0, 1000000}/{100, 0}/' "$TMP/hang/scale/scale_slow.c"
expect_exit 1 "$OPSWEEP" run -n 2 --device cpu --custom-ops-root "$TMP/hang" --profile correct \
    --timeout 22 -o "$TMP/hang.h5"
expect_err '0/1 cell  1 case running, for 0:[12][0-9] \(scale\.default/slow\), time left unknown$'
