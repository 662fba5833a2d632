# Collective ops on GPUs, a rank on each: messages of the host, NCCL in sandboxes
# without a network, kernels that read the other rank's memory.  Times are those
# of the slowest rank, and wrong ops end in the state of their name.
#
# One gang at a time: kernels of two gangs that wait for the other GPU take turns
# there, and right ones miss their deadline.  It ends within 9 minutes, and says
# what it could not do.
#
# needs 2 GPUs
# runs alone: ranks of a gang wait for each other, on cores and GPUs
# takes 100 s

. tests/gpus.sh
n=$(n_visible_gpus)
[ "$n" -ge 2 ] || skip "collective ops need 2 GPUs, there is $n"
gang=$(dirname "$OPSWEEP")/tests/gang/gang
[ -x "$gang" ] || skip "no $gang was built"

cannot() { echo "not done: $*" >&3; }

# within SECONDS FILE COMMAND...: its output in FILE; whatever it starts ends by then
within() {
    local rc=0
    timeout -k 5 "$1" "${@:3}" >"$2" 2>"$2.err" || rc=$?
    [ $rc -lt 124 ] && return 0
    touch "$TMP/late"
    cannot "${*:3}: not at its end after $1 s; its last words: $(tail -n 1 "$2" "$2.err" | tr '\n' ' ')"
}

# some_pass CELLS ERRORS WHAT: one of the cells passes, or time was over
some_pass() {
    if [ ! -e "$TMP/late" ] && ! grep -q '	pass	' "$1"; then
        tail -n 20 "$1" "$2"
        fail "no cell of $3 passes"
    fi
}

# A case or two of each op of the library, by two ranks.
mkdir "$TMP/lib" "$TMP/times"
cp -r ops/library/shared ops/library/all_reduce ops/library/all_gather \
    ops/library/reduce_scatter ops/library/broadcast ops/library/all_to_all \
    ops/library/all_reduce_rms_norm ops/library/all_gather_matmul \
    ops/library/matmul_reduce_scatter "$TMP/lib"
sed -i 's/"world": 4/"world": 2/; s/"4 \* dim/"2 * dim/; s/"8 \* numel/"4 * numel/; s! / 4"! / 2"!' \
    "$TMP"/lib/*/op.json
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
echo '{"correctness": ["((T([7, 1024], bf16), T([7, 1024], bf16), T([1024], bf16)), {})",
    "((T([5, 33], f32), T([5, 33], f32), T([33], f32)), {})"]}' >"$TMP/lib/all_reduce_rms_norm/gen_input.json"
for op in all_gather_matmul matmul_reduce_scatter; do
    echo '{"correctness": ["((T([28, 33], f32), T([33, 65], f32)), {})", "((T([8, 300], f32), T([300, 5], f32)), {})"]}' \
        >"$TMP/lib/$op/gen_input.json"
done
for root in "$TMP/lib" tests/gang/nccl; do
    expect_exit 0 timeout -k 5 150 "$OPSWEEP" build --device cuda "$root"
done

# report NAME: op, impl, state, bytes of x, ns, reason of each cell
report() {
    [ -e "$TMP/$1.h5" ] || { cat "$TMP/log" "$TMP/log.err"; fail "no result file of '$1'"; }
    "$OPSWEEP" report "$TMP/$1.h5" --fail-on none --format csv -o "$TMP/$1.csv" || [ $? = 3 ]
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

# NCCL may be missing here, or a way from GPU to GPU: that is said, and the rest is
# judged all the same.
impls=staged,oneshot,twoshot,ring,nccl
within 60 "$TMP/first" "$gang" -d cuda -t 30 tests/gang/nccl/nsum pass__all_reduce
cat "$TMP/first"
if grep -q 'no NCCL: libnccl.so.2 is not found' "$TMP/first"; then
    cannot 'what needs NCCL: libnccl.so.2 is not found'
    impls=staged,oneshot,twoshot,ring
else
    some_pass "$TMP/first" "$TMP/first.err" nsum
fi
nvidia-smi topo -p2p r >"$TMP/topo" 2>&1 || :
if ! grep -qE 'GPU0.*\bOK\b' "$TMP/topo"; then
    cannot "kernels that read memory of the other GPU: nvidia-smi topo -p2p r says '$(grep GPU0 "$TMP/topo" | tail -n 1)'"
    impls=${impls/,oneshot,twoshot,ring/}
fi

# Times.  Of n ranks, a byte that is reduced crosses 2 (n - 1) / n times.
within 90 "$TMP/log" "$OPSWEEP" run --device cuda --custom-ops-root "$TMP/times" --impls "${impls#staged,}" \
    --profile sweep -n 3 -o "$TMP/times.h5"
report times >"$TMP/cells"
awk -F'\t' '{ printf "%-10s %-8s %-11s %9d bytes %9.2f us %6.1f GB/s of the bus  %.99s\n",
    $1, $2, $3, $4, $5 / 1e3, $4 / $5, $6 }' "$TMP/cells" | tee /dev/fd/3
expect_equal '' "$(awk -F'\t' '$3 != "pass" && $3 != "skipped" && $3 != "unsupported"' "$TMP/cells")" 'timed cells'
some_pass "$TMP/cells" "$TMP/log.err" 'timed all_reduce'

# Right ones, then wrong ones.
for op in all_reduce all_gather reduce_scatter broadcast all_to_all \
    all_reduce_rms_norm all_gather_matmul matmul_reduce_scatter; do
    within 60 "$TMP/$op" "$gang" -d cuda -t 20 "$TMP/lib/$op"
    awk -F'\t' -v op=$op '{ n[$1 " " $3]++ } END { for (k in n) print op, k, n[k] }' "$TMP/$op"
    # NCCL rounds to 16 bits with each rank that it adds: the norm's declines bf16.
    expect_equal '' "$(awk -F'\t' -v impls=",$impls," -v declined="$([ $op != all_reduce_rms_norm ] || echo nccl0)" '
        index(impls, "," $1 ",") && $3 != ($1 $2 == declined ? "unsupported" : "pass")' "$TMP/$op")" $op
    # Without NCCL a GPU has only implementations of all_reduce.
    if [ $op = all_reduce ] || [ "$impls" != "${impls%nccl}" ]; then
        some_pass "$TMP/$op" "$TMP/$op.err" $op
    fi
done
# Right in each call that is judged, and without communication in timed ones: replayed
# from a graph, and made one by one.  Each has an honest twin.
# timed NAME ROOT OP
timed() {
    local impls
    impls=$(find "$2/$3" -name '*__*_timed.cu' -o -name '*__*_unused.cu' |
        sed -E 's/.*_(pass|value)__(.*)\.cu$/\1__\2/' | sort | paste -sd,)
    within 60 "$TMP/log" "$OPSWEEP" run --device cuda --custom-ops-root "$2" --ops "$3" --profile smoke \
        --impls "$impls" --timeout 20 -n 3 -o "$TMP/$1.h5"
    report "$1" | cut -c1-150
    python3 - "$TMP/$1.csv" <<'PY' || fail "timed calls of $1"
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) >= 2, rows
for r in rows:
    assert r["status"] == r["impl"].split("__")[0], r
    if r["status"] == "pass":
        assert r["n_inner"] == "1", r["n_inner"]
        print("timed by", r["timer"])
    else:
        assert "while it was timed" in r["reason"], r["reason"]
PY
}
mkdir "$TMP/peers"
cp -r "$TMP/times/shared" "$TMP/times/all_reduce" "$TMP/peers"
cp tests/gang/timed/peers/* "$TMP/peers/all_reduce"
echo '{"performance": ["((T([262144], f32),), {})"]}' >"$TMP/peers/all_reduce/gen_input.json"
[ "$impls" = "${impls/oneshot/}" ] || timed kernels "$TMP/peers" all_reduce
[ "$impls" = "${impls/nccl/}" ] || timed calls tests/gang/timed tsum
[ ! -e "$TMP/late" ] || fail 'some of it took too long, see above'
[ "$impls" != "${impls%nccl}" ] || return 0
for op in nsum ngather; do
    within 90 "$TMP/$op" "$gang" -d cuda -t 8 tests/gang/nccl/$op
    cut -c1-150 "$TMP/$op"
    expect_equal '' "$(awk -F'\t' '{ split($1, name, "__"); if ($3 != name[1]) print }' "$TMP/$op")" "mutants of $op"
    expect_equal "$(find tests/gang/nccl/$op -name "${op}_*__*.cu" | wc -l)" "$(wc -l <"$TMP/$op")" "cells of $op"
done

# What waits for a rank that died is aborted, long before its deadline.
t0=$SECONDS
within 60 "$TMP/out" "$gang" -d cuda -t 100 tests/gang/nccl/nsum crash__one_rank
expect_grep '^crash__one_rank.*	rank 1: ' "$TMP/out"
[ $((SECONDS - t0)) -lt 40 ] || fail "took $((SECONDS - t0)) s"

# Two ranks on one GPU: no NCCL.
CUDA_VISIBLE_DEVICES=$(visible_gpus | head -n 1) within 60 "$TMP/log" "$OPSWEEP" run --device cuda --share-gpus -n 3 \
    --profile correct --custom-ops-root tests/gang/nccl --ops nsum --impls pass__all_reduce \
    -o "$TMP/shared.h5"
report shared >"$TMP/cells"
expect_grep '	returned	.*no NCCL: ranks 0 and 1 share GPU ' "$TMP/cells"

[ ! -e "$TMP/late" ] || fail 'some of it took too long, see above'
