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
        python3 - "$op" "$root/$op" <<'PY'
import json, sys

op, to = sys.argv[1:]
spec = json.load(open("ops/library/%s/op.json" % op))
for key in ("baseline", "build"):  # name implementations that are not here
    spec.pop(key, None)
json.dump(spec, open(to + "/op.json", "w"))
cases = json.load(open("ops/library/%s/gen_input.json" % op))
json.dump({"correctness": cases["correctness"]}, open(to + "/gen_input.json", "w"))
PY
    done
}

# build_twin LIBRARY ROOT OP: what sorts has tiles of 64 elements, so that small rows
# are merged from many
build_twin() {
    local how=(-include tensor_core_twin.h -Itests/twin/hopper)
    case $3 in sort* | topk)
        how=(-include cuda_runtime.h -Itests/twin/cuda -DOSW_SORTING_TILE=64) ;;
    esac
    how+=(-fsanitize=alignment -fno-sanitize-recover=all) # as on a GPU
    g++ -std=c++17 -O1 -Wall -Wno-unknown-pragmas -Wno-unused-variable \
        -Wno-maybe-uninitialized -fPIC -shared -x c++ "${how[@]}" \
        -Iinclude -o "$2/$3/${3}_fast.so" "$1/$3/${3}_fast.cu"
}

# judge ROOT CODE [WORD...]
judge() {
    expect_exit "$2" "$OPSWEEP" run --suite custom_ops --custom-ops-root "$1" \
        --device cpu -n 3 --profile correct --max-work 0.01 --seed 1 -f -o "$1.h5" "${@:3}"
    expect_exit 0 "$OPSWEEP" report "$1.h5" --fail-on none --format csv -o "$1.csv"
}

make_root "$TMP/root" "${ops[@]}"
for op in "${ops[@]}"; do
    build_twin ops/library "$TMP/root" "$op"
done
judge "$TMP/root" 0
for op in convolution.default:40 native_batch_norm.default:20 avg_pool2d.default:40 \
    max_pool2d_with_indices.default:30 sort.default:100 sort.stable:120 topk.default:120; do
    [ "$(grep "aten.${op%:*}," "$TMP/root.csv" | grep -c ',pass,')" -ge "${op#*:}" ] ||
        fail "${op%:*}: fewer than ${op#*:} cases pass"
done

# Tensors that begin elsewhere.
judge "$TMP/root" 0 --offset 1

# What is wrong is seen.
# change OP FILE SED: the op with one line changed
change() {
    local library="$TMP/library_$1" root="$TMP/changed_$1"
    rm -rf "$library" "$root" "$root.h5"
    mkdir -p "$library"
    cp -r ops/library/shared "ops/library/$1" "$library/"
    sed -i "$3" "$library/$2"
    ! cmp -s "$library/$2" "ops/library/$2" || fail "not changed: $1"
    make_root "$root" "$1"
    build_twin "$library" "$root" "$1"
    judge "$root" 1
    expect_wrong "$root.csv"
}
change convolution shared/convolution_gather.cuh 's/ \* c.dilation\[d\]//'
change convolution convolution/convolution_fast.cu 's/j . c.positions \* c.x.batch/0/'
change native_batch_norm native_batch_norm/native_batch_norm_fast.cu 's/i < v.parts; i += THREADS/i < 1; i += THREADS/'
change max_pool2d_with_indices max_pool2d_with_indices/max_pool2d_with_indices_fast.cu 's/v > largest ||/v >= largest ||/'
change avg_pool2d avg_pool2d/avg_pool2d_fast.cu 's/max(from, -pad)/from/'
change sort__stable shared/sorting_fast.cuh 's/ || (!left \&\& codes\[middle\] == code)//'
change sort shared/sorting_fast.cuh 's/(i \& run) == 0 || run == part/1/'
change topk shared/sorting_codes.cuh 's/o.descending ? (U)~bits : bits/bits/'
