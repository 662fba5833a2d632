# tests/shell/test_library_values.sh - the library's implementations, those for a GPU by
# way of tests/twin/cuda, where random inputs do not show what they do: NaN, infinities,
# values that cancel, integers that no double holds
#
# takes 40 s

command -v g++ >/dev/null || skip "needs g++"

# build SOURCE: the object of an implementation, optimised little
build() {
    local folder=${1%/*} name=${1##*/}
    local op=${folder##*/} to
    to=$TMP/$op/${name%.*}
    case $name in
    *_fast.cu)
        g++ -std=c++17 -O1 -w -fPIC -shared -x c++ -include tensor_core_twin.h \
            -Itests/twin/hopper -Iinclude -o "$to.so" "$1" ;;
    *.cu)
        g++ -std=c++17 -O0 -w -fPIC -shared -x c++ -include cuda_runtime.h \
            -Itests/twin/cuda -Iinclude -o "${to}_cuda.so" "$1" ;;
    *)
        cc -std=gnu11 -O1 -march=native -fopenmp -fPIC -shared -Iinclude -o "$to.so" "$1" \
            -lm $(case $name in *_openblas.c) echo -lopenblas ;; esac) ;;
    esac
}
export -f build
export TMP

sources=()
for op in $(python3 -c "
import sys; sys.path.insert(0, 'tests/shell')
from library_cases import CASES
print(*sorted({c[0] for c in CASES}))"); do
    mkdir -p "$TMP/$op"
    for source in "ops/library/$op/${op}"_{reference,plain,simd,runs,rows,blocked,flash,openblas}.c \
        "ops/library/$op/${op}_plain.cu"; do
        [ ! -e "$source" ] || sources+=("$source")
    done
done
[ -e /usr/include/cblas.h ] || [ -e /usr/include/x86_64-linux-gnu/cblas.h ] ||
    for i in "${!sources[@]}"; do
        [[ ${sources[i]} != *_openblas.c ]] || unset "sources[i]"
    done
sources+=(ops/library/native_batch_norm/native_batch_norm_{chunks.c,fast.cu})
printf '%s\n' "${sources[@]}" | xargs -n 1 -P 2 bash -c 'build "$1"' bash
expect_exit 0 python3 tests/shell/library_values.py "$TMP"
