# tests/slurm/test_stop.sh - the warning before the time limit saves the sweep
#
# takes turns: a cluster
# mostly waits: for jobs
# takes 10 s

. tests/slurm/cluster.sh

export XDG_CACHE_HOME=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}], f32), {a}), {})",
                  "for": {"n": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
                          "a": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]}}]}
JSON
sed -i 's/    y = osw_output/    usleep(500000);\n&/; 1i #include <unistd.h>' \
    "$TMP/ops/scale/scale_plain.c"

cluster_up 2
export SBATCH_NO_REQUEUE=1 # test_submit.sh has the job that goes on
submit --suite custom_ops --custom-ops-root "$TMP/ops" --device cpu \
    --profile smoke -o "$TMP/run.h5"

# Once something was judged, the batch shell is warned, as Slurm would do it.
for ((i = 0; i < 300; i++)); do
    grep -qs ' pass' "$TMP/job.log" && break
    sleep 0.1
done
expect_grep ' pass' "$TMP/job.log"
scancel --batch --signal=USR1 "$job"
await_job 4

# Slurm signals every process of the step; to op code that is no crash.
expect_no_grep 'error|fail' <(grep -v '^srun:' "$TMP/job.log")
[ -d "$TMP/run.h5.journal" ] || fail "no journal to resume from"
