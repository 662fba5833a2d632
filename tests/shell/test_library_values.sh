# tests/shell/test_library_values.sh - the library's implementations, those for a GPU by
# way of tests/twin/cuda, where random inputs do not show what they do: NaN, infinities,
# values that cancel, integers that no double holds
#
# takes 15 s

. tests/shell/cuda_twin.sh

command -v g++ >/dev/null || skip "needs g++"

# Objects for the processor are those that campaigns run, which make compiled.
expect_exit 0 "$OPSWEEP" build ops/library --list -o "$B/library-objects"
mv "$TMP/out" "$TMP/objects"
read -ra ops < <(PYTHONPATH=tests/shell python3 -c '
from library_cases import CASES
print(*sorted({c[0] for c in CASES}))')
batch_norm=ops/library/native_batch_norm/native_batch_norm
cuda=()
for op in "${ops[@]}"; do
    mkdir -p "$TMP/$op" "$TMP/cuda/$op"
    [ ! -e "ops/library/$op/${op}_plain.cu" ] || cuda+=("$op")
    for name in reference plain simd runs rows blocked flash openblas; do
        echo "ops/library/$op/${op}_$name.c"
    done
done >"$TMP/names"
echo "${batch_norm}_chunks.c" >>"$TMP/names"
while IFS=$'\t' read -r source object; do
    source=${source#"$PWD/"}
    ! grep -qxF "$source" "$TMP/names" ||
        ln -s "$(realpath "$object")" "$TMP/$(basename "$(dirname "$source")")/$(basename "$source" .c).so"
done < <(grep -F .c$'\t' "$TMP/objects")
# None that is there is left out; OpenBLAS may be missing.
while read -r source; do
    [ ! -e "$source" ] || [[ $source == *_openblas.c ]] || [ -e "$TMP/${source:12:-2}.so" ] ||
        fail "no object of $source: $(cat "$TMP/objects")"
done <"$TMP/names"

# Those for a GPU are optimised little.
build_twins ops/library "$TMP/cuda" "${cuda[@]}"
for op in "${cuda[@]}"; do mv "$TMP/cuda/$op/${op}_plain.so" "$TMP/$op/${op}_plain_cuda.so"; done
g++ -std=c++17 -O1 -w -fPIC -shared -x c++ -include tensor_core_twin.h \
    -Itests/twin/hopper -Iinclude -o "$TMP/native_batch_norm/native_batch_norm_fast.so" "${batch_norm}_fast.cu"
expect_exit 0 python3 tests/shell/library_values.py "$TMP"
cat "$TMP/out"
