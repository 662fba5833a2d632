# tests/slurm/test_sweep.sh - a campaign judges the same under srun and mpirun

export XDG_CACHE_HOME=$TMP/cache
make_op "$TMP/ops"
cp "$TMP/ops/scale/scale_plain.c" "$TMP/ops/scale/scale_wrong.c"
sed -i 's/= a \* /= 2 + a * /' "$TMP/ops/scale/scale_wrong.c"

campaign=(--suite custom_ops --custom-ops-root "$TMP/ops" --device cpu
    --profile smoke --seed 7)

# Cell by cell: what was judged, and how.
verdicts() {
    "$OPSWEEP" report --format csv "$1" | python_h5 -c '
import csv, sys
for row in sorted((r["op"], r["impl"], r["case"], r["status"])
                  for r in csv.DictReader(sys.stdin)):
    print(*row, sep=" | ")'
}

trap 'exit 143' TERM
trap 'tests/slurm/down "$TMP/cluster"' EXIT
tests/slurm/up "$TMP/cluster" 4
export SLURM_CONF=$TMP/cluster/slurm.conf

# One implementation is wrong, so both campaigns end by 1.
rc=0
OPSWEEP=$OPSWEEP sbatch --wait --nodes=4 --ntasks-per-node=1 \
    --chdir="$PWD" --output="$TMP/job.log" \
    slurm/opsweep.sbatch "${campaign[@]}" -o "$TMP/slurm.h5" || rc=$?
cat "$TMP/job.log"
expect_equal 1 "$rc" 'exit code of the job'
expect_exit 1 "$OPSWEEP" run "${campaign[@]}" -n 5 -o "$TMP/mpirun.h5"

verdicts "$TMP/slurm.h5" >"$TMP/slurm.txt"
verdicts "$TMP/mpirun.h5" >"$TMP/mpirun.txt"
expect_same_file "$TMP/slurm.txt" "$TMP/mpirun.txt"
expect_equal 4 "$(wc -l <"$TMP/slurm.txt")" 'cells (2 cases, 2 implementations)'
expect_equal 2 "$(grep -c 'plain.*| pass$' "$TMP/slurm.txt")" 'cells passed'
expect_equal 2 "$(grep -c 'wrong.*| value$' "$TMP/slurm.txt")" 'cells failed'
