# tests/slurm/test_status.sh - an array of jobs, one shard each, looked at while they run
#
# takes turns: a cluster

. tests/slurm/cluster.sh
. tests/shell/slow_op.sh
cluster_up 2
await_idle
make_slow_op "$TMP/ops" 8 200
export OPSWEEP OPSWEEP_CACHE=$TMP/cache
options=(--suite custom_ops --custom-ops-root "$TMP/ops" --profile correct)
cat >"$TMP/shard.sbatch" <<'SH'
#!/bin/bash
exec "$OPSWEEP" run "$@" -n 1 --shard "$SLURM_ARRAY_TASK_ID/2" -o "run.$SLURM_ARRAY_TASK_ID.h5"
SH
job=$(sbatch --parsable --array=1-2 --nodes=1 --chdir="$TMP" --output="$TMP/%a.log" \
    --comment=opsweep:run.%a.h5 "$TMP/shard.sbatch" "${options[@]}")

# While they run: from a node that is neither's, by the number of the array.
for i in 1 2; do
    for _ in $(seq 600); do
        [ "$(results "$TMP/run.$i.h5")" -lt 1 ] || break
        sleep 0.1
    done
done
expect_exit 0 "$OPSWEEP" status "$job"
expect_out "^job ${job}_1: RUNNING on "
expect_out "^job ${job}_2: RUNNING on "
expect_out 'run.1.h5: running, written by process [0-9]+ '
expect_out '^shard    1/2$'
expect_out '^shard    2/2$'
expect_exit 0 "$OPSWEEP" status "${job}_2"
expect_out '^shard    2/2$'
expect_grep '^cells    [0-9]+ of [0-9]+' "$TMP/out"

# After them: the shards are the campaign.
for _ in $(seq 1200); do
    [ -n "$(squeue -h -j "$job" 2>/dev/null)" ] || break
    sleep 0.1
done
cat "$TMP"/[12].log
expect_exit 0 "$OPSWEEP" status "$TMP/run.1.h5"
expect_out 'run.1.h5: complete$'
expect_exit 0 "$OPSWEEP" merge "$TMP/run.h5" "$TMP/run.1.h5" "$TMP/run.2.h5"
expect_out 'run.h5: 24 cells of 2 files$'
expect_exit 2 "$OPSWEEP" status 99999
expect_err 'job 99999: .*Invalid job id specified'
