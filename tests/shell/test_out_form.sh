# tests/shell/test_out_form.sh - `opsweep check` compares an `.out` op with its
# functional op, wherever `out` lies
#
# takes 2 s

cd "$TMP"
mkdir -p ops/scale ops/scale__out
echo '{"schema": "scale(Tensor x, float a=2) -> Tensor"}' >ops/scale/op.json
echo '{"correctness": ["((T([3, 5], f32), 0.5), {})"]}' >ops/scale/gen_input.json
echo '{"schema": "scale.out(Tensor x, float a=2, *, Tensor(a!) out) -> Tensor(a!)"}' >ops/scale__out/op.json
echo '{"correctness": ["((T([3, 5], f32), 0.5), {'"'out'"': T([3, 5], f32)})"]}' >ops/scale__out/gen_input.json
cat >ops/scale/scale_reference.c <<'C'
#include <opsweep/elements.h>

int scale_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        osw_set(y, i, osw_arg_float(call, 1, 2) * osw_get(x, i));
    return y ? 0 : OSW_ERROR;
}
C
sed 's/scale_reference/scale__out_reference/; s/osw_output(.*/osw_output_alias(call, 0, 2);/' \
    ops/scale/scale_reference.c >ops/scale__out/scale__out_reference.c
for impl in right adds flat trusting zeroes crashes near lone; do
    sed 's/scale_reference/scale_kernel_impl/' ops/scale/scale_reference.c >ops/scale/scale_"$impl".c
done
rm ops/scale/scale_lone.c

# out NAME CHECK LOOP: an implementation that refuses what CHECK says
out() {
    cat >ops/scale__out/scale__out_"$1".c <<C
#include <stdlib.h>
#include <string.h>

#include <opsweep/elements.h>

int scale__out_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output_alias(call, 0, 2);
    double a = osw_arg_float(call, 1, 2);
    float *to = (float *)osw_data(y);
    int64_t n = osw_numel(x);

    (void)to;
    if ($2)
        return OSW_UNSUPPORTED;
    for (int64_t i = 0; i < n; i++) {
        $3
    }
    return 0;
}
C
}
shape='osw_numel(y) != n'
other="$shape || y->dtype.bits != 32"
out right "$other" 'osw_set(y, i, a * osw_get(x, i));'
out lone "$other" 'osw_set(y, i, a * osw_get(x, i));'
out adds "$other" 'osw_set(y, i, osw_get(y, i) - osw_get(y, i) + a * osw_get(x, i));'
out flat "$other" 'to[i] = (float)(a * osw_get(x, i));'
out trusting 'y->dtype.bits != 32' 'osw_set(y, i, a * osw_get(x, i));'
out zeroes "$other" 'if (i == 0) for (int64_t k = 0; k < n; k++) osw_set(y, k, 0);
        osw_set(y, i, osw_get(y, i) + a * osw_get(x, i));'
out crashes "$shape" 'if (y->dtype.bits != 32) abort();
        osw_set(y, i, a * osw_get(x, i));'
out near "$other" 'osw_set(y, i, a * osw_get(x, i) * (i == 7 ? 1.0000002 : 1));'

expect_exit 1 "$OPSWEEP" check ops/scale__out
grep ' out: ' out
said() { expect_out "^$1 +scale__out_$2.c +out: $3"; }
said ok right "same bits as 'scale' over two poisons; strided: right; at an offset: right; an argument: right; of another shape: refused; of another dtype: refused"
said skipped lone "'scale' has no implementation of that name"
said FAILED adds "an out of NaN: 15 of 15 values are not those of 'scale'"
said FAILED flat 'strided: (wrote to a gap of argument .out.|[0-9]+ of 15 values)'
said FAILED trusting 'of another shape: it is taken: expected an error, or OSW_UNSUPPORTED'
said FAILED zeroes "an argument: 15 of 15 values are not those of 'scale'"
said FAILED crashes 'of another dtype: killed by signal 6'
said FAILED near "an out of NaN: 1 of 15 values are not those of 'scale'"

# What no functional op stands beside is said, and fails nothing.
rm ops/scale__out/scale__out_[acfntz]*.c
mv ops/scale ops/other
expect_exit 0 "$OPSWEEP" check ops/scale__out
said skipped right 'no functional op: .*ops/scale'
