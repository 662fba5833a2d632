# A cell that failed on a GPU: again, dumped, shrunk, under the toolkit's tools.
#
# takes 80 s

op=$TMP/ops/scale
mkdir -p "$op"
cp tests/fixtures/check/scale/{scale.cuh,scale_ok.cu,op.json,scale_reference.c} "$op/"
cat >"$op/gen_input.json" <<'JSON'
{"correctness": ["((T([300], f32), 2.0), {})"],
 "performance": ["((T([1048576], f32), 2.0), {})"]}
JSON
sed 's/y\[i\] = a \* x\[i\]/y[i] = (i >= 37 ? 1 : 0) + a * x[i]/' \
    "$op/scale.cuh" >"$op/wrong.cuh"
sed 's/scale.cuh/wrong.cuh/' "$op/scale_ok.cu" >"$op/scale_wrong.cu"
cat >"$op/scale_beyond.cu" <<'CU'
#include "scale.cuh"

static __global__ void write_past(float *y)
{
    y[4] = 1;
}

extern "C" int scale_kernel_impl(const osw_call *call)
{
    static float *own;

    if (!own && cudaMalloc((void **)&own, 16) != cudaSuccess)
        return OSW_ERROR;
    write_past<<<1, 1, 0, (cudaStream_t)call->stream>>>(own);
    return scale_on(call, (cudaStream_t)call->stream);
}
CU
file=$TMP/run.h5
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --device cuda -n 1 \
    --profile smoke --seed 5 -o "$file"
show() { "$OPSWEEP" show "$file" "$@"; }

expect_exit 0 show scale.default/wrong/0 --rerun
expect_out '^again, here: value, as in the file$'
expect_exit 0 show scale.default/wrong/0 --dump "$TMP/bad"
"$(python_with numpy)" - "$TMP/bad" <<'PY'
import json, sys
import numpy as np
folder = sys.argv[1] + "/"
cell = json.load(open(folder + "cell.json"))
x, got, expected = (np.load(folder + f + ".npy")
                    for f in ("input_x", "got_0", "expected_0"))
assert np.array_equal(expected, 2 * x.astype("f8"))
bad = np.flatnonzero(got != expected)
assert bad.min() == 37 and bad.size == 263, bad
assert cell["first_bad"]["index"] == 37
print("dumped:", x.shape, bad.size, "bad elements from", bad.min())
PY
expect_exit 0 show scale.default/wrong/0 --shrink
expect_equal '((T([38], f32), 2.0), {})' \
    "$(sed -n '/^the smallest/{n;p}' "$TMP/out")" 'the smallest case'

if command -v compute-sanitizer >/dev/null || [ -x /usr/local/cuda/bin/compute-sanitizer ]; then
    expect_exit 1 show scale.default/beyond/0 --sanitize=memcheck
    expect_out 'Invalid __global__ write of size 4'
    expect_out 'scale_beyond.cu:5'
    expect_out '^memcheck: errors found$'
    expect_exit 0 show scale.default/ok/0 --sanitize=memcheck
    expect_out '^memcheck: no errors found$'
    for tool in racecheck synccheck initcheck; do
        expect_exit 0 show scale.default/ok/0 --sanitize=$tool
        expect_out "^$tool: no errors found$"
    done
else
    echo "no compute-sanitizer here: --sanitize is not run"
fi
if command -v ncu >/dev/null || [ -x /usr/local/cuda/bin/ncu ]; then
    expect_exit 0 show scale.default/ok/1 --profile=ncu -o "$TMP/ok"
    [ -s "$TMP/ok.ncu-rep" ] || fail "no report: $(ls "$TMP")"
    ncu --import "$TMP/ok.ncu-rep" | grep -A3 scale_all | head -n 5
else
    echo "no ncu here: --profile is not run"
fi
