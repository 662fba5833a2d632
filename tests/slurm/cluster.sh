# tests/slurm/cluster.sh - sourced by the tests that need a cluster

# cluster_up NODES [GPUS...]: until the test ends, whatever way it ends
cluster_up() {
    needs_namespaces slurmctld slurmd srun sbatch munged
    trap 'exit 143' TERM
    trap 'tests/slurm/down "$TMP/cluster"' EXIT
    CLUSTER_USER=$$ tests/slurm/up "$TMP/cluster" "$@"
    export SLURM_CONF=$TMP/cluster/slurm.conf
    n_nodes=$1
}

# await_idle: until all nodes can take a job.  Slurm drains a node where a killed
# task is slow to go; that is put back, and said.
await_idle() {
    local i
    for ((i = 0; i < 600; i++)); do
        [ "$(sinfo -h -N -t idle -o %n | sort -u | wc -l)" -lt "$n_nodes" ] ||
            return 0
        if sinfo -h -R -o '%E' | grep -q 'Kill task failed'; then
            sinfo -h -R
            scontrol update nodename=ALL state=resume
        fi
        sleep 0.25
    done
    sinfo -N -l >&2
    sinfo -R >&2
    squeue >&2
    fail "not all $n_nodes nodes are idle after 150 s"
}

# submit WORDS...: opsweep.sbatch with them on all nodes; sets $job
submit() {
    export OPSWEEP
    job=$(sbatch --parsable --nodes="$n_nodes" --ntasks-per-node=1 \
        --chdir="$PWD" --output="$TMP/job.log" slurm/opsweep.sbatch "$@")
}

# await_end: until it has ended, somehow; sets $state, Slurm's words for it
await_end() {
    local i
    for ((i = 0; i < 960; i++)); do # a start may fail, and be tried again
        state=$(scontrol --oneliner show job "$job")
        case $state in *JobState=PENDING* | *JobState=RUNNING* | *COMPLETING*) ;;
        *) break ;;
        esac
        sleep 0.25
    done
}

# await_job CODE: until it has ended, by that exit code; shows its log
await_job() {
    await_end
    cat "$TMP/job.log"
    grep -oE '(JobState|Reason|Restarts|ExitCode)=[^ ]*' <<<"$state" | paste -sd ' '
    expect_equal "$1:0" "$(sed 's/.* ExitCode=\([^ ]*\).*/\1/' <<<"$state")" \
        'exit code of the job'
}
