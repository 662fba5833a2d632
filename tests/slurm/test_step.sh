# tests/slurm/test_step.sh - the step of the ranks, whatever options the job and its
# environment have for others
#
# takes turns: a cluster
# mostly waits: for jobs
# takes 10 s

. tests/slurm/cluster.sh

export XDG_CACHE_HOME=$TMP/cache
make_op "$TMP/ops"
campaign=(--suite custom_ops --custom-ops-root "$TMP/ops" --device cpu --profile smoke --threads 1)
cluster_up 1 3
export OPSWEEP

# --- of the environment, ranks get that of the script --------------------------------
# The program says what ranks miss of it.
cat >"$TMP/opsweep" <<RANK
#!/bin/sh
[ -n "\${OPSWEEP_OUTCOME:-}" ] || echo 'no OPSWEEP_OUTCOME'
exec $OPSWEEP "\$@"
RANK
chmod +x "$TMP/opsweep"
mkdir "$TMP/work"
own=OPSWEEP=$TMP/opsweep
for words in --sbatch=--export=NONE "--sbatch=--export=$own" "SBATCH_EXPORT=$own" SLURM_EXPORT_ENV=NONE; do
    echo "--- $words"
    await_idle
    case $words in -*) variable=$own ;; *) variable=$words words=--force ;; esac
    rm -f "$TMP/job.log"
    (cd "$TMP/work" && env "$own" "$variable" "$OPSWEEP" submit --force \
        --sbatch="--output=$TMP/job.log" "$words" "${campaign[@]}" -o run.h5) >"$TMP/queued"
    job=$(sed -n 's/^job \([0-9]*\) writes .*/\1/p' "$TMP/queued")
    await_job 0
    expect_no_grep 'no OPSWEEP_OUTCOME' "$TMP/job.log"
done

# --- srun's options come from the script alone ----------------------------------------
names=(SLURM_MEM_PER_CPU SLURM_MEM_PER_NODE SLURM_GPUS_PER_TASK SLURM_NTASKS_PER_NODE
    SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK SLURM_NTASKS_PER_GPU)
for name in "${names[@]}"; do export "$name=1"; done
rm -f "$TMP/job.log"
SLURM_GPU_BIND=single:1 SBATCH_GPUS=3 submit "${campaign[@]}" -o "$TMP/gpus.h5"
await_job 0
expect_grep 'workers: 3, nodes: 1 ' "$TMP/job.log"
unset "${names[@]}"

# --- from an interactive shell, the only task of a step -----------------------------------
# With PMIx as the default it looks like a rank that was started alone.
rm -f "$TMP/job.log"
shell() { srun --chdir="$TMP/work" --output="$TMP/job.log" "$OPSWEEP" run "${campaign[@]}" --force "$@"; }
for i in 1 2 3; do # MPI may fail to come up, now and then
    shell -n 3 -o three.h5 && break
    cat "$TMP/job.log"
done
cat "$TMP/job.log"
expect_grep '2 cells, 2 pass; 2 workers' "$TMP/job.log"
shell -o one.h5
expect_grep '2 cells, 2 pass; 1 worker' "$TMP/job.log"
