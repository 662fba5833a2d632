# Collective ops on GPUs, a rank on each: messages of the host, NCCL in sandboxes
# without a network, kernels that read the other rank's memory.  Times are those
# of the slowest rank, and wrong ops end in the state of their name.

n=$(nvidia-smi -L | wc -l)
[ "$n" -ge 2 ] || skip "collective ops need 2 GPUs, there is $n"
gang=$(dirname "$OPSWEEP")/tests/gang/gang
[ -x "$gang" ] || skip "no $gang was built"

# A case or two of each op of the library, by two ranks.
mkdir "$TMP/lib" "$TMP/times"
cp -r ops/library/shared ops/library/all_reduce ops/library/all_gather \
    ops/library/reduce_scatter ops/library/broadcast ops/library/all_to_all "$TMP/lib"
sed -i 's/"world": 4/"world": 2/' "$TMP"/lib/*/op.json
cp -r "$TMP/lib/shared" "$TMP/lib/all_reduce" "$TMP/times"
echo '{"performance": [{"case": "((T([{n}], f32),), {})", "for": {"n": [256, 16384, 262144, 16777216]}}]}' \
    >"$TMP/times/all_reduce/gen_input.json"
echo '{"correctness": ["((T([1025], bf16),), {})", "((T([7, 33], i64),), {\"reduce\": \"max\"})",
    "((T([200003], f32),), {})", "((T([0], f32),), {})"]}' >"$TMP/lib/all_reduce/gen_input.json"
echo '{"correctness": ["((T([1028, 3], f16),), {})", "((T([8, 33], i32),), {\"reduce\": \"max\"})"]}' \
    >"$TMP/lib/reduce_scatter/gen_input.json"
echo '{"correctness": ["((T([3, 5, 7], f32), 1), {})", "((T([1025], u8),), {})"]}' \
    >"$TMP/lib/broadcast/gen_input.json"
for op in all_gather all_to_all; do
    echo '{"correctness": ["((T([36, 3], u8),), {})", "((T([1028, 3], f32),), {})"]}' \
        >"$TMP/lib/$op/gen_input.json"
done
for root in "$TMP/lib" tests/gang/nccl; do
    expect_exit 0 "$OPSWEEP" build --device cuda "$root"
done

# report NAME: op, impl, state, bytes of x, ns, reason of each cell
report() {
    "$OPSWEEP" report "$TMP/$1.h5" --fail-on none --format csv -o "$TMP/$1.csv"
    python3 - "$TMP/$1.csv" <<'PY'
import csv, re, sys

for r in csv.DictReader(open(sys.argv[1])):
    n = 4
    for d in re.search(r"T\(\[([\d, ]*)\]", r["case"]).group(1).split(","):
        n *= int(d)
    print(r["op"].split(".")[0], r["impl"], r["status"], n,
          r["t_median_ns"] or "nan", r["reason"], sep="\t")
PY
}

# NCCL may be missing here: that is said, and the rest is judged all the same.
timeout 60 "$gang" -d cuda tests/gang/nccl/nsum pass__all_reduce >"$TMP/first" 2>&1 || :
cat "$TMP/first"
impls=staged,oneshot,twoshot,ring,nccl
! grep -q 'no NCCL: libnccl.so.2 is not found' "$TMP/first" || impls=staged,oneshot,twoshot,ring

# Times.  Of n ranks, a byte that is reduced crosses 2 (n - 1) / n times.
timeout 90 "$OPSWEEP" run --device cuda --custom-ops-root "$TMP/times" --impls "${impls#staged,}" \
    --profile sweep -n 3 -o "$TMP/times.h5" >"$TMP/log" 2>&1 || cat "$TMP/log"
report times >"$TMP/cells"
awk -F'\t' '{ printf "%-10s %-8s %-11s %9d bytes %9.2f us %6.1f GB/s of the bus  %.99s\n",
    $1, $2, $3, $4, $5 / 1e3, $4 / $5, $6 }' "$TMP/cells" | tee /dev/fd/3
expect_equal '' "$(awk -F'\t' '$3 != "pass" && $3 != "skipped" && $3 != "unsupported"' "$TMP/cells")" 'timed cells'

# Right ones, then wrong ones, several at a time: NCCL begins in a second for each
# cell.  Beside five more gangs, right ones missed a deadline of 5 s.
for op in all_reduce all_gather reduce_scatter broadcast all_to_all; do
    timeout 90 "$gang" -d cuda "$TMP/lib/$op" >"$TMP/$op" &
done
wait
case $impls in
*nccl) for op in nsum ngather; do
    timeout 90 "$gang" -d cuda -t 8 tests/gang/nccl/$op >"$TMP/$op" &
done ;;
esac
wait
for op in all_reduce all_gather reduce_scatter broadcast all_to_all; do
    awk -F'\t' -v op=$op '{ n[$1 " " $3]++ } END { for (k in n) print op, k, n[k] }' "$TMP/$op"
    expect_equal '' "$(awk -F'\t' -v impls=",$impls," 'index(impls, "," $1 ",") && $3 != "pass"' "$TMP/$op")" $op
done
case $impls in
*nccl) ;;
*) return 0 ;;
esac
for op in nsum ngather; do
    cut -c1-150 "$TMP/$op"
    expect_equal '' "$(awk -F'\t' '{ split($1, name, "__"); if ($3 != name[1]) print }' "$TMP/$op")" "mutants of $op"
    expect_equal "$(find tests/gang/nccl/$op -name "${op}_*__*.cu" | wc -l)" "$(wc -l <"$TMP/$op")" "cells of $op"
done

# What waits for a rank that died is aborted, long before its deadline.
t0=$SECONDS
timeout 60 "$gang" -d cuda -t 100 tests/gang/nccl/nsum crash__one_rank >"$TMP/out"
expect_grep '^crash__one_rank.*	rank 1: ' "$TMP/out"
[ $((SECONDS - t0)) -lt 40 ] || fail "took $((SECONDS - t0)) s"

# Two ranks on one GPU: no NCCL.
CUDA_VISIBLE_DEVICES=0 "$OPSWEEP" run --device cuda --share-gpus -n 3 --profile correct \
    --custom-ops-root tests/gang/nccl --ops nsum --impls pass__all_reduce \
    -o "$TMP/shared.h5" >"$TMP/log" 2>&1 || :
report shared >"$TMP/cells"
expect_grep '	returned	.*no NCCL: ranks 0 and 1 share GPU ' "$TMP/cells"
