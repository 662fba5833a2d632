# The process that starts mpirun: what it is asked to do reaches the coordinator,
# and what the coordinator leaves reaches it.
#
# mostly waits: for ops that sleep
# takes 15 s

. tests/shell/stops.sh

make_slow_op "$TMP/ops" 0.03 100
campaign=(run --custom-ops-root "$TMP/ops" --device cpu --profile correct -n 3 -o "$TMP/run.h5")

# A request to stop that comes while mpirun starts, before any rank is there: the
# campaign went on to its end.
mkdir "$TMP/bin"
cat >"$TMP/bin/mpirun" <<MPIRUN
#!/bin/sh
trap '' USR1
echo begun >"$TMP/begun"
sleep 1
exec $(command -v mpirun) "\$@"
MPIRUN
chmod +x "$TMP/bin/mpirun"
PATH=$TMP/bin:$PATH "$OPSWEEP" "${campaign[@]}" >"$TMP/log" 2>&1 &
pid=$!
await . "$TMP/begun"
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
expect_equal 4 "$rc" "exit code; $(cat "$TMP/log")"
await_gone
expect_grep '^opsweep run --resume .*/run.h5 goes on from there' "$TMP/log"

# Under nohup the end of a terminal is no request.
rm -r "$TMP"/run.h5*
nohup "$OPSWEEP" "${campaign[@]}" >"$TMP/log" 2>&1 &
pid=$!
await_begun
kill -HUP "$pid"
rc=0
wait "$pid" || rc=$?
expect_equal 0 "$rc" "exit code under nohup; $(cat "$TMP/log")"

# A rank that hangs ends with mpirun, also with one that is killed.  One that is
# stopped before it loses its parent would be continued.
rm -r "$TMP"/run.h5*
"$OPSWEEP" "${campaign[@]}" >"$TMP/log" 2>&1 &
pid=$!
await_begun
hung=$(rank_pid 2)
kill -KILL "$(ps -o ppid= -p "$hung")"
sleep 0.3
kill -STOP "$hung" || :
rc=0
wait "$pid" || rc=$?
expect_equal 4 "$rc" "exit code without mpirun; $(cat "$TMP/log")"
await_gone 10

# A folder for temporary files that is full by the end of the campaign: its exit
# code is told all the same.
needs_namespaces mount
mkdir "$TMP/small"
export OMPI_MCA_orte_tmpdir_base=$TMP
rm -r "$TMP"/run.h5*
# shellcheck disable=SC2016
expect_exit 0 unshare --mount bash -c '
    mount -t tmpfs -o size=64k none "$TMP/small"
    TMPDIR=$TMP/small "$OPSWEEP" "$@" &
    until [ -e "$TMP/run.h5.journal" ]; do sleep 0.05; done
    ! head -c 1M /dev/zero >"$TMP/small/fill" || exit 9
    wait $!' - "${campaign[@]}"
expect_err 'No space left on device'
expect_out 'run.h5: 100 cells, 100 pass'
