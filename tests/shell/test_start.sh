# MPI waits for ever for a rank that dies while all start.  The others notice,
# nothing was done, and the job is started a second time.
#
# takes 35 s

make_op "$TMP/ops"
words=(run --custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.1 --silence 0.5 -n 3
    -o "$TMP/run.h5")

# An mpirun whose rank 2 dies at once in the first DEATHS starts.
mkdir "$TMP/bin"
real=$(command -v mpirun)
cat >"$TMP/bin/mpirun" <<MPIRUN
#!/bin/bash
words=()
for word; do
    [ "\$word" != run ] || words[-1]="$TMP/bin/rank"
    words+=("\$word")
done
echo >>"$TMP/starts"
exec $real "\${words[@]}"
MPIRUN
cat >"$TMP/bin/rank" <<RANK
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" != 2 ] || [ \$(wc -l <"$TMP/starts") -gt \$DEATHS ] ||
    kill -\${DEATH:-KILL} \$\$
exec $OPSWEEP "\$@"
RANK
chmod +x "$TMP/bin/mpirun" "$TMP/bin/rank"
PATH=$TMP/bin:$PATH

export DEATHS=1
expect_exit 0 "$OPSWEEP" "${words[@]}"
expect_err '^opsweep: MPI does not come up: a rank or a node was lost'
expect_err 'MPI did not come up, and nothing was done: a second try'
expect_equal 2 "$(wc -l <"$TMP/starts")" starts
expect_exit 0 "$OPSWEEP" report "$TMP/run.h5"

# Nor does it come up for a rank that is stopped while all start.  mpirun would wait
# for that for ever.
: >"$TMP/starts"
expect_exit 0 env DEATH=STOP timeout -k 5 120 "$OPSWEEP" "${words[@]}" --force
expect_err 'MPI did not come up, and nothing was done: a second try'
expect_equal 2 "$(wc -l <"$TMP/starts")" starts

# There is no third one.
: >"$TMP/starts"
export DEATHS=9
expect_exit 5 "$OPSWEEP" "${words[@]}" --force
expect_err '^opsweep: MPI did not come up; mpirun'
expect_equal 2 "$(wc -l <"$TMP/starts")" starts

# Rank 0 dies when all are there, before its first message: the workers see that
# its process has ended.  Else they would wait ten minutes for that message.
export DEATHS=0
expect_exit 4 timeout -k 5 120 \
    env LD_PRELOAD="$B/tests/chaos/root_dies.so" "$OPSWEEP" "${words[@]}" --force
expect_err "the coordinator's process has ended"
