# opsweep run --series on a GPU: the device stays open, code is read anew, and a
# campaign takes less than one that starts by itself.
#
# takes 40 s

export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
rm "$TMP/ops/scale/scale_plain.c"
cat >"$TMP/ops/scale/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([4097], f32), 3.0), {})"]}
J
# kernel EXPRESSION
kernel() {
    cat >"$TMP/ops/scale/scale_plain.cu" <<C
#include <opsweep/op.h>

static __global__ void scale(const float *in, float *out, float a, int64_t n)
{
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = $1;
}

extern "C" int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    scale<<<1, 256, 0, (cudaStream_t)call->stream>>>(
        (const float *)osw_data(x), (float *)osw_data(y),
        (float)osw_arg_float(call, 1, 1.0), osw_numel(x));
    return 0;
}
C
}
cd "$TMP"
for name in a b c d; do
    echo "{\"custom_ops_root\": \"$TMP/ops\", \"device\": \"cuda\", \"profile\": \"smoke\", \"ranks\": 2, \"output\": \"$name.h5\"}" >$name.json
done

# await N: so many campaigns have ended
await() {
    local i
    for ((i = 0; i < 6000; i++)); do
        [ "$(grep -s '^campaign ended with exit code' said | wc -l)" -lt "$1" ] ||
            return 0
        kill -0 "$series" 2>/dev/null || break
        sleep 0.02
    done
    fail "campaign $1 did not end: $(cat said log)"
}

kernel 'a * in[i]'
expect_exit 0 "$OPSWEEP" run a.json -f # compiles
start=$EPOCHREALTIME
expect_exit 0 "$OPSWEEP" run a.json -f
alone=$EPOCHREALTIME
mkfifo next
"$OPSWEEP" run a.json --series -f --fail-on none <next >said 2>log &
series=$!
exec 3>next
await 1
again=$EPOCHREALTIME
echo b.json >&3
await 2
end=$EPOCHREALTIME
kernel 'a + in[i]'
echo c.json >&3
await 3
kernel 'a * in[i]'
echo d.json >&3
await 4
exec 3>&-
rc=0
wait "$series" || rc=$?
expect_equal 0 $rc 'exit code'
for name in a:2 b:2 c:0 d:2; do
    expect_exit $((${name#*:} == 0)) "$OPSWEEP" report "${name%:*}.h5"
    expect_out "^cells .* = ${name#*:} pass \+ $((2 - ${name#*:})) fail \+ 0 error"
done
python3 - "$start" "$alone" "$again" "$end" <<'P'
import sys

start, alone, again, end = map(float, sys.argv[1:])
print("two cells: %.2f s by a run of their own, %.2f s in a series" %
      (alone - start, end - again))
assert end - again < alone - start
P
