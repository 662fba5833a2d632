# tests/slurm/test_sweep.sh - a campaign judges the same under srun and mpirun
#
# takes turns: a cluster
# mostly waits: for jobs
# takes 15 s

. tests/slurm/cluster.sh

export XDG_CACHE_HOME=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}], f32), {a}), {})",
                  "for": {"n": [1, 31, 1025, 4096], "a": [2.0, -0.5, 3.0]}}]}
JSON
# One implementation is slow enough for every worker to get some cases, the
# other is wrong.
sed 's/    y = osw_output/    usleep(50000);\n&/; 1i #include <unistd.h>' \
    "$TMP/ops/scale/scale_plain.c" >"$TMP/ops/scale/scale_slow.c"
sed 's/= a \* /= 2 + a * /' \
    "$TMP/ops/scale/scale_plain.c" >"$TMP/ops/scale/scale_wrong.c"
rm "$TMP/ops/scale/scale_plain.c"

# The first start of the job fails: one rank dies before it meets the others.
cat >"$TMP/opsweep" <<RANK
#!/bin/sh
[ "\$SLURM_STEP_ID\$SLURM_PROCID" != 02 ] || kill -KILL \$\$
exec $OPSWEEP "\$@"
RANK
chmod +x "$TMP/opsweep"

campaign=(--suite custom_ops --custom-ops-root "$TMP/ops" --device cpu
    --profile smoke --seed 7)

# Cell by cell: what was judged, and how.
verdicts() {
    "$OPSWEEP" report --fail-on none --format csv "$1" | python_h5 -c '
import csv, sys
for row in sorted((r["op"], r["impl"], r["case"], r["status"])
                  for r in csv.DictReader(sys.stdin)):
    print(*row, sep=" | ")'
}

# Cells fail, so both campaigns end by 1.
cluster_up 4
# MPI may crash while it starts, now and then, and the job has no third try.
for _ in 1 2 3; do
    rm -f "$TMP/job.log"
    OPSWEEP=$TMP/opsweep submit "${campaign[@]}" --heartbeat 0.2 --silence 1 \
        -o "$TMP/slurm.h5"
    await_end
    grep -qE 'Process received signal|this program crashed' "$TMP/job.log" || break
done
await_job 1
expect_grep 'MPI did not come up, and nothing was done: a second try' "$TMP/job.log"
expect_exit 1 "$OPSWEEP" run "${campaign[@]}" -n 5 -o "$TMP/mpirun.h5"

verdicts "$TMP/slurm.h5" >"$TMP/slurm.txt"
verdicts "$TMP/mpirun.h5" >"$TMP/mpirun.txt"
expect_same_file "$TMP/slurm.txt" "$TMP/mpirun.txt"

# Every node has a name of its own; the coordinator judges nothing.
hosts=$("$OPSWEEP" report --fail-on none --format csv "$TMP/slurm.h5" | python_h5 -c '
import csv, sys
print(*sorted({r["host"] for r in csv.DictReader(sys.stdin)}))')
expect_equal 'node1 node2 node3 node4' "$hosts" 'hosts that judged'

expect_equal 12 "$(grep -c '| slow |.*| pass$' "$TMP/slurm.txt")" 'cells passed'
expect_equal 12 "$(grep -c '| wrong |.*| value$' "$TMP/slurm.txt")" 'cells failed'
expect_equal 24 "$(wc -l <"$TMP/slurm.txt")" 'cells'
