# opsweep generate on a GPU: scripted models improve a kernel step by step, in CUDA
# and in Triton, by what they are told: an error of a compiler, a crash, wrong
# values, then times; with tools where code is not isolated from them.
#
# takes 120 s

export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
rm "$TMP/ops/scale/scale_plain.c"
cat >"$TMP/ops/scale/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([33], f32), -0.5), {})",
                 "((T([4097], f32), 3.0), {})", "((T([257], f32), 3.0), {})"],
 "performance": ["((T([16777216], f32), 2.0), {})"]}
J

# launch GRID EXPRESSION [START]: a kernel in CUDA
mkdir "$TMP/models"
cat >"$TMP/models/launch.sh" <<'S'
launch() {
    cat <<C
#include <opsweep/op.h>

static __global__ void scale(const float *in, float *out, float a, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    ${3:-int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;}
    for (; i < n; i += step)
        out[i] = $2;
}

extern "C" int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);

    if (!y)
        return OSW_ERROR;
    if (n > 0)
        scale<<<$1, 256, 0, (cudaStream_t)call->stream>>>(
            (const float *)osw_data(x), (float *)osw_data(y), a, n);
    return cudaGetLastError() == cudaSuccess ? 0 : osw_error(call, "launch");
}
C
}
S
. "$TMP/models/launch.sh"
launch 8 'a * in[i]' >"$TMP/ops/scale/scale_plain.cu"

# The model that writes CUDA: a compiler's error, a wild pointer, a wrong value, one
# block, many blocks, vectors.
cat >"$TMP/models/cuda" <<'S'
#!/bin/bash
. "$(dirname "$0")/launch.sh"
prompt=$(cat)
wide='int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, n4 = n / 4;
    for (; i < n4; i += step) {
        float4 v = ((const float4 *)in)[i];
        ((float4 *)out)[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
    }
    i = 4 * n4 + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;'
echo '```cuda'
case $prompt in
*'It is right. Write a faster'*'float4'*'Result of'*) launch '(int)((n + 1023) / 1024)' 'a * in[i]' "$wide" ;;
*'It is right. Write a faster'*'scale<<<64,'*) launch 2112 'a * in[i]' "$wide" ;;
*'It is right. Write a faster'*) launch 2112 'a * in[i]' ;;
*'state  value'*) launch 64 'a * in[i]' ;;
*'state  cuda'* | *'state  crash'* | *'state  guard'*) launch 32 'i > 40 ? 9 : a * in[i]' ;;
*'state  build'* | *'state  load'*) launch 32 '((volatile float *)16)[i]' ;;
*) launch 32 'a * in[i' ;;
esac
echo '```'
S

cat >"$TMP/models/triton" <<'S'
#!/bin/bash
# kernel BLOCK EXPRESSION
kernel() {
    cat <<P
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, y, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(y + at, $2, mask=at < n)


def scale_kernel_impl(x, a):
    y = torch.empty_like(x)
    if x.numel():
        scale[(triton.cdiv(x.numel(), $1),)](x, y, a, x.numel(), BLOCK=$1)
    return y
P
}
prompt=$(cat)
echo '```python'
case $prompt in
*'It is right. Write a faster'*) kernel 2048 'a * v' ;;
*'state  value'*) kernel 32 'a * v' ;;
*'state  returned'*) kernel 32 'a + v' ;;
*'state  load'*) kernel 32 'a * tl.no_such_function(v)' ;;
*) kernel 32 'a * v)' ;;
esac
echo '```'
S
chmod +x "$TMP/models/cuda" "$TMP/models/triton"

# generate LANG RUN OPTION...
generate() {
    local lang=$1 name=$2
    shift 2
    expect_exit 0 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --lang "$lang" \
        --device cuda -n 2 --profile smoke --seed 3 --width 1 --attempts 8 \
        --model-command "$TMP/models/$lang" --generated-dir "$TMP/g" \
        --run-id "$name" "$@"
    cat "$TMP/g/run_$name/OVERALL_SUMMARY.txt"
    run=$TMP/g/run_$name/scale__default
}
told() { echo "$run/attempts/$1/feedback.txt"; }

# has TOOL: of the CUDA toolkit
has() { command -v "$1" >/dev/null || [ -x "/usr/local/cuda/bin/$1" ]; }

generate cuda cuda
expect_err 'compute-sanitizer and ncu cannot watch isolated code'
expect_out '^correctness +1.000  1 of 1 op'
expect_out 'chosen  g00[5-8]_[0-9a-f]{8}  5 of 5 cells pass, 1 of 1 held out; speedup'
expect_grep '^state  (build|load)' "$(told 001)"
expect_grep "error: " "$(told 001)"
expect_grep '^state  (cuda|crash|guard)' "$(told 002)"
expect_no_grep 'sanitizer|ncu' "$(told 002)"
expect_grep '^state  value' "$(told 003)"
expect_grep 'got 9, expected ' "$(told 003)"
expect_grep '^The smallest case found that fails so' "$(told 003)"
expect_grep 'at index 41 ' "$(told 003)"
expect_grep 'GB/s, .* % of the speed of light' "$(told 004)"
python3 - "$run" <<'P'
import glob, json, sys

speedup = {}
for path in glob.glob(sys.argv[1] + "/attempts/*/verdict.json"):
    cells = json.load(open(path))["cells"]
    speedup[int(path.split("/")[-2])] = max(c["speedup"] or 0 for c in cells)
print("speedups by attempt:", speedup)
assert speedup[5] > 2 * speedup[4] > 0, speedup
P

# Tools run code without isolation where that is wanted: what a sanitizer says of the
# wild pointer, and what ncu measured of one block and of many.
generate cuda tools --unisolated-tools
if has compute-sanitizer; then
    expect_grep '^What a sanitizer says' "$(told 002)"
    expect_grep 'Invalid __global__ write|Invalid __global__ read' "$(told 002)"
fi
if grep 'feedback has nothing from ncu: ' "$TMP/err"; then
    echo 'ncu is not there, or may not read counters'
else
    expect_grep '^What ncu measured in the slowest timed case' "$(told 004)"
    expect_grep '^kernel scale \(64, 1, 1\)x\(256, 1, 1\)' "$(told 004)"
    expect_grep '^  Duration ' "$(told 004)"
    expect_grep '^  Registers Per Thread ' "$(told 004)"
    sed -n '/^What ncu/,$p' "$(told 004)"
fi

OPSWEEP_PYTHON=$(python_with triton) ||
    skip 'no python3 with Triton: CUDA was tested, Triton not'
export OPSWEEP_PYTHON
# Not Python, then no Triton, then wrong, slow and fast.
generate triton triton
expect_out 'chosen  g005_[0-9a-f]{8}  5 of 5 cells pass, 1 of 1 held out; speedup'
expect_grep '^state  load' "$(told 001)"
expect_grep '^why    SyntaxError' "$(told 001)"
expect_grep '^state  returned' "$(told 002)"
expect_grep '^why    (CompilationError|AttributeError)' "$(told 002)"
expect_grep '^state  value' "$(told 003)"
expect_grep 'got .*, expected ' "$(told 003)"
expect_grep '^The smallest case found that fails so|^wrong  ' "$(told 003)"
expect_grep 'GB/s, .* % of the speed of light' "$(told 004)"
expect_grep 'It is right\. Write a faster' "$run/attempts/005/prompt.txt"
python3 - "$run" <<'P'
import json, sys

def speedup(n):
    cells = json.load(open("%s/attempts/%03d/verdict.json" % (sys.argv[1], n)))["cells"]
    return max(c["speedup"] or 0 for c in cells)

slow, fast = speedup(4), speedup(5)
print("speedups of Triton's attempts 4 and 5: %.3g, %.3g" % (slow, fast))
assert fast > 1.5 * slow > 0
P
