# The library's kernels for Hopper's tensor cores run here without a GPU: g++
# compiles them with the headers of tests/twin/hopper, and the objects are judged
# as implementations for the processor.  It shows wrong results and deadlocks;
# not races, or what only nvcc refuses.
#
# takes 30 s

# make_root FOLDER OP...: op folders with half of the library's 16-bit cases
make_root() {
    local root=$1 op
    shift
    for op in "$@"; do
        mkdir -p "$root/$op"
        cp "ops/library/$op/${op}_reference.c" "$root/$op/"
    done
    (cd ops/library && find shared -name '*.h' -exec cp --parents -t "$root" {} +)
    python3 - "$root" "$@" <<'PY'
import json, sys

turn = -1

def wide(case):
    """With one value of `for` that is 16 bits: f16 and bf16 take turns, as the
    kernels are templates of both."""
    global turn
    if isinstance(case, dict) and "dtype" in case.get("for", {}):
        dtypes = [d for d in case["for"]["dtype"] if d in ("f16", "bf16")]
        turn += len(dtypes) > 1
        return {**case, "for": {**case["for"], "dtype": [dtypes[turn % len(dtypes)]]}} \
            if dtypes else None
    return case if "f16" in json.dumps(case) else None

root, ops = sys.argv[1], sys.argv[2:]
for op in ops:
    spec = json.load(open("ops/library/%s/op.json" % op))
    spec.pop("build", None)  # names implementations that are not here
    json.dump(spec, open("%s/%s/op.json" % (root, op), "w"))
    cases = json.load(open("ops/library/%s/gen_input.json" % op))
    cases = [c for c in map(wide, cases["correctness"]) if c]
    json.dump({"correctness": cases}, open("%s/%s/gen_input.json" % (root, op), "w"))
PY
}

# build_twin LIBRARY ROOT IMPL OP...: one object for the processor; what the OPs'
# kernels share takes most of a compilation
build_twin() {
    local library=$1 object=$2/$4/$4_$3.so op
    for op in "${@:4}"; do echo "#include \"$library/$op/${op}_$3.cu\""; done |
        g++ -std=c++17 -O2 -Wall -Wno-unknown-pragmas -Wno-unused-variable \
            -Wno-maybe-uninitialized -Wno-psabi -fPIC -shared \
            -include hopper_twin.h -I. -Itests/twin/hopper -Iinclude \
            -o "$object" -x c++ -
    for op in "${@:5}"; do ln "$object" "$2/$op/${op}_$3.so"; done
}

# judge ROOT CODE [WORD...]
judge() {
    expect_exit "$2" "$OPSWEEP" run --suite custom_ops --custom-ops-root "$1" \
        --device cpu -n 3 --profile correct --seed 1 -o "$1.h5" "${@:3}"
    expect_exit 0 "$OPSWEEP" report "$1.h5" --fail-on none --format csv -o "$1.csv"
}

attention=scaled_dot_product_attention
make_root "$TMP/root" mm bmm addmm $attention
build_twin ops/library "$TMP/root" wgmma mm bmm addmm
build_twin ops/library "$TMP/root" flash $attention
judge "$TMP/root" 0
for op in mm bmm addmm $attention; do
    [ "$(grep "aten.$op.default" "$TMP/root.csv" | grep -c ',pass,')" -ge 10 ] ||
        fail "$op: fewer than 10 cases pass"
done

# What is wrong is seen.
# change WHAT FILE IMPL OP CASE SED: the op with one line changed, on one case
change() {
    local library="$TMP/$1" root="$TMP/root_$1"
    mkdir -p "$library"
    cp -r ops/library/shared "ops/library/$4" "$library/"
    sed -i "$6" "$library/$2"
    ! cmp -s "$library/$2" "ops/library/$2" || fail "not changed: $1"
    make_root "$root" "$4"
    build_twin "$library" "$root" "$3" "$4"
    judge "$root" 1 --ops "$4" --case "$5"
    expect_wrong "$root.csv"
}
change edge shared/hopper_tiles.cuh wgmma bmm \
    '((T([3, 136, 72], f16), T([3, 72, 264], f16)), {})' \
    's/r < to.n_rows ? to.n_cols - 8 \* c : 0/64/'
change halves shared/product_wgmma.cuh wgmma mm \
    '((T([136, 200], f16), T([200, 328], f16)), {})' \
    's/(int)at.j + share, k/(int)at.j, k/'
