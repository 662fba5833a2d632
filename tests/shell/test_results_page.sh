# The blocks of docs/RESULTS.md run as they stand: on a campaign in which a product
# of matrices is wrong.

python=$(python_with pandas) || python=python3

mkdir -p "$TMP/work/ops/mm" "$TMP/bin"
cp -r ops/library/shared "$TMP/work/ops/"
cp ops/library/mm/mm_reference.c "$TMP/work/ops/mm/"
echo '{"name": "aten.mm.default", "schema": "mm(Tensor self, Tensor mat2) -> Tensor"}' \
    >"$TMP/work/ops/mm/op.json"
cat >"$TMP/work/ops/mm/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}, 3], f32), T([3, 2], f32)), {})",
                  "for": {"n": [1, 2, 5, 9]}}]}
JSON
cat >"$TMP/work/ops/mm/mm_blocked.c" <<'C'
#include <opsweep/op.h>

/* The last product of each sum is lost from row 4 on. */
int mm_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0), *b = osw_arg_tensor(call, 1);
    int64_t m = a->shape[0], k = a->shape[1], n = b->shape[1];
    int64_t shape[2] = {m, n};
    osw_tensor *y = osw_output(call, 0, a->dtype, 2, shape, NULL);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < m * n; i++) {
        float sum = 0;
        for (int64_t l = 0; l < k - (i / n >= 4); l++)
            sum += ((const float *)osw_data(a))[i / n * k + l] *
                   ((const float *)osw_data(b))[l * n + i % n];
        ((float *)osw_data(y))[i] = sum;
    }
    return 0;
}
C
ln -s "$OPSWEEP" "$TMP/bin/opsweep"
export PATH=$TMP/bin:$PATH GITHUB_STEP_SUMMARY=$TMP/summary
page=$PWD/docs/RESULTS.md
runner=$PWD/tests/shell/doc_page.py
cd "$TMP/work"
expect_exit 1 opsweep run --custom-ops-root ops --profile correct -n 1 -o run.h5
expect_exit 0 "$python" "$runner" "$page"
cat "$TMP/out"
[ -s "$TMP/summary" ] || fail 'nothing is in the summary'
