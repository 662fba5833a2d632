# tests/slurm/test_submit.sh - opsweep submit and cancel on a cluster whose nodes
# have different numbers of GPUs
#
# takes turns: a cluster
# mostly waits: for Slurm's timers
# takes 180 s

. tests/slurm/cluster.sh
. tests/shell/slow_op.sh

export XDG_CACHE_HOME=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}], f32), {a}), {})",
                  "for": {"n": [1, 2, 3, 4, 5, 6, 7, 8], "a": [1.5, 2.5, 3.5, 4.5, 5.5]}}]}
JSON
# A call takes 0.1 s, and 0.5 s while the file "slow" is there: a job is stopped
# long before it could end.
sed -i "s|    y = osw_output|    usleep(access(\"$TMP/slow\", F_OK) == 0 ? 500000 : 100000);\n&|
    1i #include <unistd.h>" "$TMP/ops/scale/scale_plain.c"
campaign=(--custom-ops-root "$TMP/ops" --device cpu --profile smoke --threads 1
    --heartbeat 0.2 --silence 3 --grace 5)

cluster_up 3 1 2 3
mkdir "$TMP/work"

# queue WORDS...: opsweep submit, in a folder of its own; sets $job, whose log is
# $TMP/job.log
queue() {
    rm -f "$TMP/job.log"
    (cd "$TMP/work" && OPSWEEP=$TMP/opsweep exec "$OPSWEEP" submit --sbatch="--output=$TMP/job.log" "$@") >"$TMP/queued"
    cat "$TMP/queued"
    job=$(sed -n 's/^job \([0-9]*\) writes .*/\1/p' "$TMP/queued")
    [ -n "$job" ] || fail 'opsweep submit named no job'
}

# queue_slow WORDS...: queue, for a job that is to be stopped
queue_slow() {
    touch "$TMP/slow"
    queue "$@"
}

# await_pass FILE: until the job has judged something for it; its log would say so
# 10 s after the start
await_pass() {
    local i
    for ((i = 0; i < 600; i++)); do
        [ "$(results "$TMP/work/$1")" -lt 1 ] || return 0
        sleep 0.1
    done
    cat "$TMP/job.log"
    fail "$1: nothing was judged"
}

# await_requeued: until the job waits again; then it starts, though not in the
# second in which it was ended: a node refuses it then
await_requeued() {
    local i
    for ((i = 0; i < 300; i++)); do
        case $(squeue --noheader --jobs="$job" --format=%T) in PENDING) break ;; esac
        sleep 0.1
    done
    sleep 2
    for ((i = 0; i < 300; i++)); do
        scontrol update jobid="$job" StartTime=now 2>/dev/null && break
        sleep 0.1
    done
}
requeue() {
    scontrol requeue "$job"
    rm "$TMP/slow"
    await_requeued
}

# --- what Slurm refuses: its words, and what to change ------------------------
refused() {
    local code=$1 words=$2
    shift 2
    expect_exit "$code" "$OPSWEEP" submit "${campaign[@]}" -o "$TMP/no.h5" "$@"
    expect_err "$words"
}
refused 2 'invalid partition specified: nowhere.*--partition names one of `sinfo -s`' --partition nowhere
refused 2 'not submitted: sbatch: error: .*--nodes is at most that' --nodes 9
refused 2 'not submitted: sbatch: error: .*--gpus-per-node' --gpus-per-node 4
refused 2 'Invalid --time specification .--time is as 30' --sbatch=--time=99x
refused 2 "option '--time': expected minutes, or a time such as .*found '99x'" --time 99x
refused 2 "unrecognized option '--no-such-option'.*--sbatch takes options" --sbatch=--no-such-option
refused 2 "option '--partition': expected letters.*found 'a b'" --partition 'a b'
refused 2 "option '--after': expected the number of a job" --after run.h5
refused 2 "option '--sbatch': expected an option of sbatch" --sbatch=exclusive
refused 2 "option '--ranks' is not for submit: the job has a rank for each GPU" --ranks 4
refused 2 "option '--array': expected a whole number from 2 to 1000, found '1'" --array 1
refused 2 "no op 'scalr' \(did you mean 'scale'\?\)" --ops scalr
refused 2 "unknown option '--prfile' \(did you mean '--profile'\?\)" --prfile smoke
refused 2 "found neither 'gone.h5' nor" --resume gone.h5
mkdir "$TMP/empty"
expect_exit 5 env PATH="$TMP/empty" "$OPSWEEP" submit "${campaign[@]}" -o "$TMP/no.h5"
expect_err 'no sbatch in PATH'
expect_no_file "$TMP/no.h5"
expect_exit 2 "$OPSWEEP" cancel 999
expect_err 'Invalid job id specified .*squeue --me'
expect_exit 2 "$OPSWEEP" cancel "$TMP/no.h5"
expect_err 'expected a result file, or one that a job of yours in squeue writes, found neither'
expect_exit 5 env PATH="$TMP/empty" "$OPSWEEP" cancel 1
expect_err 'no squeue in PATH'

# --- a worker per GPU, on nodes with 1, 2 and 3; a step before it --------------
# Each rank says where it is; the site file checks the nodes in a step of its own,
# so that the ranks are not step 0.
cat >"$TMP/opsweep" <<RANK
#!/bin/sh
[ -z "\${PMIX_RANK:-}" ] || echo "rank \$PMIX_RANK step \$SLURM_STEP_ID on \$SLURMD_NODENAME of \$SLURM_GPUS_ON_NODE"
exec $OPSWEEP "\$@"
RANK
chmod +x "$TMP/opsweep"
echo 'srun --ntasks-per-node=1 --overcommit true || { echo site: $?; exit 1; }' >"$TMP/site.conf"
export OPSWEEP OPSWEEP_SITE=$TMP/site.conf

OPSWEEP_SRUN=--label queue "${campaign[@]}" --nodes 3 --sbatch=--gpus=6 --job-name mixed -o "a 'b' \$c.h5"
await_job 0
expect_grep "^job $job writes '$TMP/work/a '.''b'.'' [$]c.h5'" "$TMP/queued"
[ -s "$TMP/work/a 'b' \$c.h5" ] || fail 'no result file'
expect_grep "job $job: workers: 6, nodes: 3 " "$TMP/job.log"
expect_grep '^0: rank 0 step 1 on node1 ' "$TMP/job.log" # srun labels lines
# Where MPI does not come up, the job tries once more: each rank says it again.
for line in '2 node1 of 1' '2 node2 of 2' '3 node3 of 3'; do
    expect_equal "${line%% *}" \
        "$(sed -n "s/^[0-9]: \(rank [0-9]*\) .* on ${line#* }\$/\1/p" "$TMP/job.log" | sort -u | wc -l)" \
        "ranks on ${line#* }"
done

# --- cancel: what runs is saved, by file; what waits leaves the queue ----------
# await_comment ERE [NOT]: until the comment of the running job is that, and is not
# NOT; sets $comment
await_comment() {
    local i
    for ((i = 0; i < 900; i++)); do
        comment=$(squeue --noheader --jobs="$running" --format=%k) || comment=
        ! grep -qxE "$1" <<<"$comment" || [ "$comment" = "${2:-}" ] || return 0
        sleep 0.1
    done
    squeue --format='%i %T %k'
    cat "$TMP/first.log"
    fail "the comment of job $running: expected '$1'${2:+, not '$2'}"
}

export OPSWEEP_COMMENT_S=1
queue_slow "${campaign[@]}" --nodes 1 -o run.h5
running=$job
await_pass run.h5
mv "$TMP/job.log" "$TMP/first.log"
queue "${campaign[@]}" --after "$running" -o later.h5
expect_equal PENDING "$(squeue --noheader --jobs="$job" --format=%T)" 'a job after another'
(cd "$TMP/work" && expect_exit 2 "$OPSWEEP" submit "${campaign[@]}" -o later.h5)
expect_err "'later.h5': job $job \\(PENDING\\) writes it: expected another --output, or --after $job\$"
expect_exit 0 "$OPSWEEP" cancel "$TMP/work/later.h5"
expect_out "job $job: taken out of the queue"
progress="opsweep [0-9]+ % [0-9]+/40 cells:$TMP/work/run.h5"
await_comment "$progress"
await_comment "$progress" "$comment"
expect_exit 0 "$OPSWEEP" cancel "$TMP/work/run.h5"
expect_out "job $running: asked to stop"
expect_out "opsweep submit --resume $TMP/work/run.h5"
job=$running
mv "$TMP/first.log" "$TMP/job.log"
await_job 4
rm "$TMP/slow"
[ -d "$TMP/work/run.h5.journal" ] || fail 'no journal to resume from'
expect_exit 3 "$OPSWEEP" cancel "$TMP/work/run.h5"
expect_err 'none of your jobs in squeue writes it'

# At once: running cells are not waited for, here for 5 minutes.
queue_slow "${campaign[@]}" --grace 300 --nodes 1 -o now.h5
await_pass now.h5
expect_exit 0 "$OPSWEEP" cancel --now "$job"
expect_out "job $job: asked to stop at once"
await_job 4
rm "$TMP/slow"
[ "$(grep -c 'the job is asked to stop' "$TMP/job.log")" -ge 2 ] || fail 'asked once'
[ -d "$TMP/work/now.h5.journal" ] || fail 'no journal to resume from'

# await_running: until Slurm says that the job runs
await_running() {
    local i
    for ((i = 0; i < 300; i++)); do
        [ "$(squeue --noheader --jobs="$job" --format=%T)" != RUNNING ] || return 0
        sleep 0.02
    done
    fail "job $job does not run"
}

# A job that was just started, and has no ranks yet or some.
queue "${campaign[@]}" --nodes 3 -o early.h5
await_running
expect_exit 0 "$OPSWEEP" cancel "$job"
expect_out 'asked to stop'
await_job 4

# One that runs, for Slurm, and has no script yet that could hear a signal: the
# first five or so are lost.
echo 11 >"$TMP/cluster/prolog_s"
queue "${campaign[@]}" --nodes 1 -o earlier.h5
await_running
[ ! -e "$TMP/job.log" ] || fail 'the script runs already'
expect_exit 0 "$OPSWEEP" cancel "$job"
await_job 4
rm "$TMP/cluster/prolog_s"

# One that is just writing down its nodes.
cat >"$TMP/site.conf" <<'SITE'
scontrol() {
    [ "$1 $2" != "show hostnames" ] || sleep 2
    command scontrol "$@"
}
SITE
OPSWEEP_SITE=$TMP/site.conf queue "${campaign[@]}" --nodes 3 -o nodes.h5
await_running
sleep 1
expect_exit 0 "$OPSWEEP" cancel "$job"
await_job 4
expect_grep 'the job is asked to stop' "$TMP/job.log"

# A job that is none of ours is left alone.
other=$(sbatch --parsable --output=/dev/null --wrap 'sleep 60')
expect_exit 2 "$OPSWEEP" cancel "$other"
expect_err "job $other: expected a job of opsweep submit"
scancel "$other"

# --- resumed, and requeued meanwhile ------------------------------------------
queue --nodes 1 --resume run.h5
await_job 0
expect_grep 'resume: [0-9]+ of 40 cells are left, session 2' "$TMP/job.log"
grep -q "Comment=opsweep 100 % 40/40 cells:$TMP/work/run.h5 " <<<"$state" ||
    fail "the comment of the job that ended: $state"

# --- near the time limit: saved, and queued again until it is done -------------
# near_limit: what Slurm sends the batch script then
near_limit() { scancel --batch --signal=USR1 "$job"; }

queue_slow "${campaign[@]}" --nodes 1 -o long.h5
await_pass long.h5
near_limit
rm "$TMP/slow"
await_requeued
await_job 0
expect_grep 'opsweep: queued again, to go on' "$TMP/job.log"
expect_grep 'resume: [0-9]+ of 40 cells are left, session 2' "$TMP/job.log"
expect_equal "$(grep -c 'resume: ' "$TMP/job.log")" 1 'sessions after the first'

# Not where the site, or the user, does not want it.
queue_slow "${campaign[@]}" --nodes 1 --sbatch=--no-requeue -o once.h5
await_pass once.h5
near_limit
await_job 4
rm "$TMP/slow"
expect_grep 'opsweep: Slurm did not queue it again' "$TMP/job.log"

# The output's name comes from a campaign's JSON, and from the script.
cat >"$TMP/work/campaign.json" <<JSON
{"custom_ops_root": "$TMP/ops", "device": "cpu", "profile": "smoke", "threads": 1, "output": "json.h5"}
JSON
queue_slow campaign.json --nodes 1
expect_grep "writes $TMP/work/json.h5\$" "$TMP/queued"
await_pass json.h5
requeue
await_job 0
expect_grep 'resume: [0-9]+ of 40 cells are left, session 2' "$TMP/job.log"

rm -f "$TMP/job.log"
touch "$TMP/slow"
job=$(sbatch --parsable --chdir="$TMP/work" --output="$TMP/job.log" slurm/opsweep.sbatch "${campaign[@]}")
await_pass "opsweep-$job.h5"
requeue
await_job 0
expect_grep 'resume: [0-9]+ of 40 cells are left, session 2' "$TMP/job.log"
[ -s "$TMP/work/opsweep-$job.h5" ] || fail "no opsweep-$job.h5"

# --- an array: a job for each shard, and one that merges them ------------------
# A cell of the second op fails, so that one shard ends by 1.
cp -r "$TMP/ops/scale" "$TMP/ops/wrong"
for file in "$TMP"/ops/wrong/scale_*; do
    mv "$file" "${file/scale_/wrong_}"
done
sed -i 's/scale_/wrong_/g' "$TMP"/ops/wrong/wrong_*
sed -i 's/: 100000)/: 1000)/; s/= a \* /= 2 + a * /' "$TMP/ops/wrong/wrong_plain.c"
sed -i 's/: 100000)/: 20000)/' "$TMP/ops/scale/scale_plain.c"

# queue_array WORDS...: sets $array and $job, the one that merges
queue_array() {
    queue "${campaign[@]}" --array 4 -o array.h5 "$@"
    array=$job
    job=$(sed -n 's/^job \([0-9]*\) merges its 4 shards.*/\1/p' "$TMP/queued")
}

rm -f "$TMP"/job.log "$TMP/work/array"*
queue_array
expect_exit 0 "$OPSWEEP" cancel "$TMP/work/array.h5"
job_merge=$job
for job in "$array" "$job_merge"; do await_end; done
expect_equal '4:0' "$(sed 's/.* ExitCode=\([^ ]*\).*/\1/' <<<"$state")" 'exit code of a merge without all shards'

queue_array --resume-if-there
await_job 1
expect_exit 1 "$OPSWEEP" report "$TMP/work/array.h5" --format csv
expect_equal "40 pass, 40 value" \
    "$(grep -c ',pass,' "$TMP/out") pass, $(grep -c ',value,' "$TMP/out") value" 'cells of all shards'
expect_exit 2 "$OPSWEEP" submit "${campaign[@]}" --array 4 -o "$TMP/work/array.h5"
expect_err "array.h5' exists"
