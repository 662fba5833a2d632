# tests/slurm/test_preempt.sh - a job that loses its nodes to one of a higher
# priority is queued again, and goes on
#
# takes turns: a cluster
# mostly waits: for Slurm's timers
# takes 35 s

. tests/slurm/cluster.sh
. tests/shell/slow_op.sh

export XDG_CACHE_HOME=$TMP/cache
export CLUSTER_CONF='PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=low Nodes=ALL PriorityTier=1 GraceTime=120
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF'
make_slow_op "$TMP/ops" 20 300
rm "$TMP"/ops/scale/scale_wrong.c

cluster_up 1
export OPSWEEP OPSWEEP_COMMENT_S=1
mkdir "$TMP/work"
job=$(sbatch --parsable --exclusive --partition=low --chdir="$TMP/work" --output="$TMP/job.log" \
    slurm/opsweep.sbatch --suite custom_ops --custom-ops-root "$TMP/ops" --device cpu \
    --profile correct --grace 5 --threads 1 -o "$TMP/work/run.h5")
for ((i = 0; i < 600; i++)); do
    [ "$(results "$TMP/work/run.h5")" -lt 1 ] || break
    sleep 0.1
done

# Slurm warns the ranks alone, and would take the nodes after two minutes.
sbatch --exclusive --partition=high --output=/dev/null --wrap true
for ((i = 0; i < 600; i++)); do
    ! grep -q 'opsweep: queued again' "$TMP/job.log" || break
    sleep 0.1
done
expect_grep 'opsweep: queued again, to go on' "$TMP/job.log"
for ((i = 0; i < 300; i++)); do
    case $(squeue --noheader --jobs="$job" --format=%T) in PENDING) break ;; esac
    sleep 0.1
done
sleep 2 # a node refuses it in the second in which it was ended
for ((i = 0; i < 300; i++)); do
    scontrol update jobid="$job" StartTime=now 2>/dev/null && break
    sleep 0.1
done
await_job 0
expect_grep 'resume: [0-9]+ of [0-9]+ cells are left, session 2' "$TMP/job.log"
expect_equal 1 "$(grep -c 'opsweep: queued again' "$TMP/job.log")" 'times that it was queued again'
