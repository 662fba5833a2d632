# BackendBench's folders, and custom ops of torch as its guides write them, on a
# GPU: Triton kernels, torch.library.custom_op, and a library in CUDA.
#
# takes 100 s
OPSWEEP_PYTHON=$(python_with torch) || skip "no python3 with torch"
export OPSWEEP_PYTHON
"$OPSWEEP_PYTHON" -c 'import torch, triton; torch.library.custom_op' ||
    skip "torch of $OPSWEEP_PYTHON is older than 2.4, or there is no Triton"
BB=tests/fixtures/backendbench

states() { # FILE: "impl state" of each cell, to $TMP/states
    "$OPSWEEP" report "$1" --format csv -o "$TMP/cells.csv" >"$TMP/said" || true
    python3 - "$TMP/cells.csv" <<'PY' | tee "$TMP/states"
import csv, sys

for r in csv.DictReader(open(sys.argv[1], newline="")):
    print(r["op"], r["impl"], r["status"], r["reason"])
PY
}

# device="cuda" in gen_input.py; right, wrong, and Triton.
expect_exit 1 "$OPSWEEP" run --device cuda -n 1 --profile correct \
    --custom-ops-root $BB/custom_ops -o "$TMP/c.h5"
states "$TMP/c.h5"
expect_equal 20 "$(grep -cE ' (py|triton) pass ' "$TMP/states")" "passing cells"
expect_equal 10 "$(grep -c ' py_wrong value ' "$TMP/states")" "wrong cells"

# Custom ops of a project: dtypes and shapes, outputs, in place, optional, tuned.
expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile correct \
    --custom-ops-root $BB/cookiecutter -o "$TMP/p.h5"
states "$TMP/p.h5"
expect_equal 18 "$(grep -c ' pass ' "$TMP/states")" "passing cells"
expect_grep 'my_op_tuned.* scale_kernel runs with BLOCK_SIZE' "$TMP/states"
expect_exit 0 "$OPSWEEP" check $BB/cookiecutter/my_op --device cuda --timeout 60
grep -E '(test_[a-z_]+|torch_compile): ' "$TMP/out"
for test in test_schema test_faketensor torch_compile; do
    expect_out "^ok +my_op__registered +$test: "
done

# A library in CUDA: a fragment that declares, a file that implements.
root=$TMP/lib/your_custom_kernel
mkdir -p "$root"
cat >"$root/declare.cpp" <<'C'
#include <torch/library.h>

TORCH_LIBRARY_FRAGMENT(my_torchao, m)
{
    m.def("your_custom_kernel(Tensor x, float a) -> Tensor");
}
C
cat >"$root/kernel.cu" <<'C'
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/library.h>

__global__ void scale(const float *x, float a, float *y, long n)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i];
}

static at::Tensor your_custom_kernel(const at::Tensor &x, double a)
{
    at::Tensor y = at::empty_like(x);
    long n = x.numel();

    if (n)
        scale<<<(unsigned)((n + 255) / 256), 256, 0,
                at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<float>(), (float)a, y.data_ptr<float>(), n);
    return y;
}

TORCH_LIBRARY_IMPL(my_torchao, CUDA, m)
{
    m.impl("your_custom_kernel", your_custom_kernel);
}
C
flags=$("$OPSWEEP_PYTHON" - <<'PY'
import torch
from torch.utils import cpp_extension as c

print(*("-I" + p for p in c.include_paths()),
      "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI,
      *("-L" + p for p in c.library_paths()),
      "-lc10 -lc10_cuda -ltorch_cpu -ltorch_cuda")
PY
)
# shellcheck disable=SC2086
if ! "${NVCC:-nvcc}" -std=c++20 -O1 -Xcompiler -fPIC -shared -I"${CUDA_HOME:-/usr/local/cuda}/include" \
    -o "$root/kernel.so" "$root/declare.cpp" "$root/kernel.cu" $flags \
    2>"$TMP/nvcc.txt"; then
    tail -n 3 "$TMP/nvcc.txt"
    skip "no library could be built against torch: the rest has passed"
fi
rm "$root/declare.cpp" "$root/kernel.cu"
cat >"$root/op.json" <<'J'
{"name": "my_torchao::your_custom_kernel",
 "schema": "your_custom_kernel(Tensor x, float a) -> Tensor",
 "torch": {"cuda": {"library": "kernel.so",
                    "op": "my_torchao::your_custom_kernel"}}}
J
cat >"$root/gen_input.json" <<'J'
{"correctness": ["((T([1000], f32), 2.0), {})"]}
J
printf 'def your_custom_kernel_reference(x, a):\n    return x * a\n' \
    >"$root/your_custom_kernel_reference.py"
expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile correct \
    --custom-ops-root "$TMP/lib" -o "$TMP/l.h5"
expect_out '1 cell, 1 pass'
