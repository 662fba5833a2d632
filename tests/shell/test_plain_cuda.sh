# The library's plain CUDA kernels run here without a GPU: a compiler for C++ compiles
# each <op>_plain.cu with the headers of tests/twin/cuda, and the object is judged as
# an implementation for the processor.  It shows wrong results; not races,
# memory errors or what only nvcc refuses.
#
# takes 120 s

. tests/shell/cuda_twin.sh

# make_root FOLDER OP...: op folders with the library's cases and references
make_root() {
    local root=$1 op
    shift
    mkdir -p "$root"
    (cd ops/library && find . -name '*.h' -exec cp --parents -t "$root" {} +)
    for op in "$@"; do
        mkdir -p "$root/$op"
        cp "ops/library/$op/${op}_reference.c" "$root/$op/"
    done
    # Cases that are timed on a GPU are left out: they are large.
    python3 - "$root" "$@" <<'PY'
import json, sys

root, ops = sys.argv[1], sys.argv[2:]
for op in ops:
    spec = json.load(open("ops/library/%s/op.json" % op))
    spec.pop("baseline", None)  # names implementations that are not here
    spec.pop("build", None)
    json.dump(spec, open("%s/%s/op.json" % (root, op), "w"))
    cases = json.load(open("ops/library/%s/gen_input.json" % op))
    json.dump({"correctness": cases["correctness"]},
              open("%s/%s/gen_input.json" % (root, op), "w"))
PY
}

# judge ROOT CODE [WORD...]: the ops of a root; their cells to ROOT.csv.  Cases of more than
# 10 ms are for kernels with large tiles.  A block has 8 threads here, so that smaller
# ones give every loop of a plain kernel several turns.
judge() {
    expect_exit "$2" "$OPSWEEP" run --suite custom_ops --custom-ops-root "$1" \
        --device cpu -n 3 --profile correct --max-work 0.01 --seed 1 -o "$1.h5" "${@:3}"
    expect_exit 0 "$OPSWEEP" report "$1.h5" --fail-on none --format csv -o "$1.csv"
}

# Every op has something to be compared with on a GPU: a vendor's library or a
# plain kernel.
without=
for source in ops/library/*/gen_input.json; do
    folder=${source%/*}
    op=${folder##*/}
    ls "$folder/${op}"_{cublaslt,cudnn,cub,nccl,memcpy,memset,plain}.cu >"$TMP/found" \
        2>/dev/null || [ -s "$TMP/found" ] || without="$without $op"
done
expect_equal '' "$without" 'ops without a baseline on a GPU'

ops=()
for source in ops/library/*/*_plain.cu; do
    op=${source%/*}
    ops+=("${op##*/}")
done
make_root "$TMP/root" "${ops[@]}"
# Most kernels compile for longer than they run, and are not optimised.  These are.
slow=(convolution{,_backward} scaled_dot_product_attention
    _scaled_dot_product_flash_attention_for_cpu{,_backward}
    sort{,__stable} topk embedding_dense_backward)
OPTIMIZE=-O2 build_twins ops/library "$TMP/root" "${slow[@]}"
printf '%s\n' "${ops[@]}" | grep -vxF "$(printf '%s\n' "${slow[@]}")" | xargs -n 16 -P 2 \
    bash -c 'build_twins ops/library "$0" "$@"' "$TMP/root"
judge "$TMP/root" 0
python3 - "$TMP/root.csv" ${#ops[@]} <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
by_status = collections.Counter(r["status"] for r in rows)
passed = {r["op"] for r in rows if r["status"] == "pass"}
# The one target whose elements share a place: threads keep no order.
shared = "stride=(1056, 352, 33, 1)"
for r in rows:
    if r["status"] != "pass":
        print("%s: %s %s %s" % (r["status"], r["op"], r["case"], r["reason"]))
    assert r["status"] in ("pass", "skipped") or (
        r["status"] == "unsupported" and shared in r["case"]), "not judged"
assert len(passed) == int(sys.argv[2]), "ops: %d" % len(passed)
print(len(passed), "ops:", dict(by_status))
PY

# Rows that one thread adds up: here, the small ones, too; of tensors that begin
# elsewhere.
cp -r ops/library "$TMP/library"
sed -i 's/^    if (n_rows >= .* n <= 32))$/    if (n_rows >= 0)/' "$TMP/library/shared/plain_rows.cuh"
! cmp -s "$TMP/library/shared/plain_rows.cuh" ops/library/shared/plain_rows.cuh || fail "not changed"
rows=(_{,log_}softmax{,_backward_data} native_layer_norm{,_backward} cumsum
    mean__dim sum__dim_IntList)
make_root "$TMP/threads" "${rows[@]}"
build_twins "$TMP/library" "$TMP/threads" "${rows[@]}"
judge "$TMP/threads" 0 --offset 1
cp ops/library/shared/plain_rows.cuh "$TMP/library/shared/"

# faults [OP FILE EXPRESSION]...: FILE of the library, changed by sed, makes OP fail.
# They are compiled and judged together: no OP includes the FILE of another.
faults() {
    local root=$TMP/wrong_$1 ops=() files=()
    while [ $# -gt 0 ]; do
        sed -i "$3" "$TMP/library/$2"
        ! cmp -s "$TMP/library/$2" "ops/library/$2" || fail "not changed: $2: $3"
        ops+=("$1")
        files+=("$2")
        shift 3
    done
    make_root "$root" "${ops[@]}"
    build_twins "$TMP/library" "$root" "${ops[@]}"
    (cd ops/library && cp --parents -t "$TMP/library" "${files[@]}")
    judge "$root" 1
    python3 - "$root.csv" "${ops[@]}" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
for op in sys.argv[2:]:
    name, _, overload = op.partition("__")
    found = collections.Counter(r["status"] for r in rows if r["op"] ==
                                "aten.%s.%s" % (name, overload or "default"))
    print(op, dict(found))
    assert found["value"] + found["unwritten"] + found["crash"], "not found"
    assert not found["reference"] and not found["load"], "not judged"
PY
}
faults relu shared/plain.cuh 's/i += osw_plain_step<I>()/i += 2 * osw_plain_step<I>()/' \
    flip shared/plain_copy.cuh 's/job.from)\[at\[1\]\]/job.from)[at[0]]/' \
    cumsum shared/plain_rows.cuh 's/by = 1; by/by = 2; by/'
faults sum__dim_IntList shared/plain_rows.cuh 's/half = blockDim.x \/ 2/half = blockDim.x \/ 4/' \
    gather shared/plain_picking.cuh 's/p.n) \* p.stride/p.n)/'
OPTIMIZE=-O2 faults convolution shared/convolution.cuh 's/stride\[d\] - c.padding\[d\]/stride[d]/' \
    index_add shared/plain_picking.cuh 's/, a \* b);/, b);/' \
    embedding_dense_backward \
    embedding_dense_backward/embedding_dense_backward_plain.cu 's/j = i - 1;/j = i - 2;/'

# The convolutions' references on a GPU are products of matrices: here, as
# implementations, by blocks as large as there.
# products LIBRARY ROOT CODE OP...: judged
products() {
    local library=$1 root=$2 code=$3 op open do
    shift 3
    make_root "$root" "$@"
    for op in "$@"; do
        open=osw_conv_open do=osw_conv_forward
        [ $op = convolution ] || open=osw_conv_open_backward do=osw_conv_backward
        cat >"$library/$op/${op}_products.cu" <<CODE
#include "../shared/convolution_calls.cuh"

extern "C" int ${op}_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {};
    int rc = $open(call, &c);

    return rc ? rc : $do<osw_plain_mixed<double>>(call, &c, 0);
}
CODE
        g++ -std=c++17 -O2 -Wall -Wno-unknown-pragmas -Wno-unused-variable -fPIC \
            -DTWIN_THREADS=256 -Itests/twin/cuda -Iinclude -x c++ -shared \
            -include cuda_runtime.h -o "$root/$op/${op}_products.so" \
            "$library/$op/${op}_products.cu"
    done
    judge "$root" "$code"
}
products "$TMP/library" "$TMP/products" 0 convolution convolution_backward
[ "$(grep -c ',pass,' "$TMP/products.csv")" -ge 150 ] ||
    fail "fewer than 150 cells of products pass"
sed -i 's/at % s.step\[d\] == 0/1/' "$TMP/library/shared/convolution_exact.cuh"
! cmp -s {"$TMP/library",ops/library}/shared/convolution_exact.cuh || fail "not changed"
products "$TMP/library" "$TMP/unaligned" 1 convolution
