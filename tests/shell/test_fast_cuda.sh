# The library's own kernels of convolution, batch norm, pooling and sorting run here
# without a GPU: g++ compiles <op>_fast.cu with the headers of tests/twin/hopper (those
# that sort: of tests/twin/cuda), and the objects are judged as implementations for the
# processor.  It shows wrong results; not races, or what only nvcc refuses.
#
# takes 45 s

command -v g++ >/dev/null || skip "needs g++"
ops=(convolution native_batch_norm max_pool2d_with_indices avg_pool2d sort sort__stable topk)

# make_root FOLDER OP...: op folders with the library's cases and references
make_root() {
    local root=$1 op
    shift
    mkdir -p "$root"
    (cd ops/library && find shared -name '*.h' -exec cp --parents -t "$root" {} +)
    for op in "$@"; do
        mkdir -p "$root/$op"
        cp "ops/library/$op/${op}_reference.c" "$root/$op/"
    done
    python3 - "$root" "$@" <<'PY'
import json, sys

root, ops = sys.argv[1], sys.argv[2:]
for op in ops:
    spec = json.load(open("ops/library/%s/op.json" % op))
    for key in ("baseline", "build"):  # name implementations that are not here
        spec.pop(key, None)
    json.dump(spec, open("%s/%s/op.json" % (root, op), "w"))
    cases = json.load(open("ops/library/%s/gen_input.json" % op))
    json.dump({"correctness": cases["correctness"]},
              open("%s/%s/gen_input.json" % (root, op), "w"))
PY
}

# build_twin LIBRARY ROOT OP IMPL: what sorts has tiles of 64 elements, so that small rows
# are merged from many
build_twin() {
    local how=(-include tensor_core_twin.h -Itests/twin/hopper)
    case $3 in sort* | topk)
        how=(-include cuda_runtime.h -Itests/twin/cuda -DOSW_SORTING_TILE=64) ;;
    esac
    how+=(-fsanitize=alignment -fno-sanitize-recover=all) # as on a GPU
    g++ -std=c++17 -O1 -Wall -Wno-unknown-pragmas -Wno-unused-variable \
        -Wno-maybe-uninitialized -fPIC -shared -x c++ "${how[@]}" \
        -Iinclude -o "$2/$3/${3}_$4.so" "$1/$3/${3}_fast.cu"
}

# judge ROOT CODE [WORD...]
judge() {
    expect_exit "$2" "$OPSWEEP" run --suite custom_ops --custom-ops-root "$1" \
        --device cpu -n 3 --profile correct --max-work 0.01 --seed 1 -f -o "$1.h5" "${@:3}"
    expect_exit 0 "$OPSWEEP" report "$1.h5" --fail-on none --format csv -o "$1.csv"
}

make_root "$TMP/root" "${ops[@]}"
for op in "${ops[@]}"; do
    build_twin ops/library "$TMP/root" "$op" fast
done
judge "$TMP/root" 0
for op in convolution.default:40 native_batch_norm.default:20 avg_pool2d.default:40 \
    max_pool2d_with_indices.default:30 sort.default:100 sort.stable:120 topk.default:120; do
    [ "$(grep "aten.${op%:*}," "$TMP/root.csv" | grep -c ',pass,')" -ge "${op#*:}" ] ||
        fail "${op%:*}: fewer than ${op#*:} cases pass"
done

# Tensors that begin elsewhere.
judge "$TMP/root" 0 --offset 1

# What is wrong is seen: kernels with one line changed each, judged together.
make_root "$TMP/changed" "${ops[@]}"
changed=()
# change OP NAME FILE SED: OP's implementation NAME is its kernel with FILE changed
change() {
    local library="$TMP/library_$2"
    mkdir -p "$library"
    cp -r ops/library/shared "ops/library/$1" "$library/"
    sed -i "$4" "$library/$3"
    ! cmp -s "$library/$3" "ops/library/$3" || fail "not changed: $1: $3"
    build_twin "$library" "$TMP/changed" "$1" "$2"
    changed+=("$2")
}
change convolution dilation shared/convolution_gather.cuh 's/ \* c.dilation\[d\]//'
change convolution batch convolution/convolution_fast.cu 's/j . c.positions \* c.x.batch/0/'
change native_batch_norm parts native_batch_norm/native_batch_norm_fast.cu 's/i < v.parts; i += THREADS/i < 1; i += THREADS/'
change max_pool2d_with_indices last max_pool2d_with_indices/max_pool2d_with_indices_fast.cu 's/v > largest ||/v >= largest ||/'
change avg_pool2d padding avg_pool2d/avg_pool2d_fast.cu 's/max(from, -pad)/from/'
change sort__stable unstable shared/sorting_fast.cuh 's/ || (!left \&\& codes\[middle\] == code)//'
change sort unmerged shared/sorting_fast.cuh 's/(i \& run) == 0 || run == part/1/'
change topk order shared/sorting_codes.cuh 's/o.descending ? (U)~bits : bits/bits/'
judge "$TMP/changed" 1
for name in "${changed[@]}"; do
    grep ",$name," "$TMP/changed.csv" >"$TMP/$name.csv" || fail "$name was not judged"
    expect_wrong "$TMP/$name.csv"
done
