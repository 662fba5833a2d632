# tests/slurm/test_losses.sh - ranks and nodes that stop, go, or take the job with
# them
#
# takes turns: a second cluster
# mostly waits: until nodes count as lost
# takes 200 s

export CLUSTER=2 # beside that of other tests
. tests/slurm/cluster.sh
. tests/shell/losses.sh

prepare_losses cpu 0.04 # Slurm needs a second or two to do what it is told
cluster_up 3
words=("${losses[@]:1}")
export OPSWEEP_WORKERS=1

# begin: the campaign as a job; until some results are on disk
begin() {
    await_idle
    rm -rf "$TMP"/run.h5* "$TMP/job.log"
    submit "${words[@]}"
    (await_results 10) || {
        squeue
        sinfo -N -l
        cat "$TMP/job.log"
        fail 'the job does not begin'
    }
}

# is_whole WHAT: the job ends by the campaign's exit code, with all cells
is_whole() {
    await_job 1
    expect_exit 1 "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/run.csv"
    python3 tests/shell/same_cells.py "$TMP/whole.csv" "$TMP/run.csv"
    echo "$1: all cells as without it"
}

# everything_on NODE: its daemon, the steps, the ranks
everything_on() { ip netns pids "osw$CLUSTER-$1"; }

# Suspended for longer than a call may take, and a rank be silent, and resumed.
begin
scontrol suspend "$job"
sleep 3 # Slurm says TSTP first
results=$(count_in_journal 6)
sleep 8
expect_equal "$results" "$(count_in_journal 6)" 'results of a suspended job'
scontrol resume "$job"
is_whole 'a job that is suspended and resumed'
expect_no_grep 'silent|is lost|once more' "$TMP/job.log"

# A rank on another node, where nothing ends it.
begin
kill -STOP "$(rank_pid 1)"
is_whole 'a rank that is stopped for ever'
expect_grep 'rank 1 is lost: silent' "$TMP/job.log"

# Requeued, from where it was.
begin
scontrol requeue "$job"
is_whole 'a job that is requeued'
expect_grep 'resume: [0-9]+ of [0-9]+ cells are left, session 2' "$TMP/job.log"

# The first node, and script and coordinator with it: Slurm ends the job (with
# --no-kill it does not put it back), and another one goes on.
begin
scontrol update nodename=node1 state=down reason=test
await_end
submit --resume "$TMP/run.h5"
is_whole 'a first node that goes down'
expect_grep 'resume: [0-9]+ of [0-9]+ cells are left, session 2' "$TMP/job.log"

# The coordinator, beside a rank on another node that never ends: the step would
# not, either.
begin
acknowledged=$(count_in_journal 6)
kill -STOP "$(rank_pid 1)"
kill -KILL "$(rank_pid 0)"
await_job 4
[ "$(count_in_journal 6)" -ge "$acknowledged" ] || fail 'results are gone'
submit --resume "$TMP/run.h5"
is_whole 'a coordinator that is killed beside a rank that is stopped for ever'

# A node that crashes.
begin
# shellcheck disable=SC2046
kill -KILL $(everything_on node3)
is_whole 'a node that is lost'
# What is beside a worker may say how it ended before it is killed, too.
expect_grep 'rank [0-9] is lost: (silent|its process has ended)' "$TMP/job.log"
