# opsweep check on a GPU of operators that are registered with torch: what
# torch.library.opcheck and torch.compile find of each.
#
# takes 80 s

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: its operators are not checked"
export OPSWEEP_PYTHON
"$OPSWEEP_PYTHON" -c 'import torch; torch.library.opcheck' ||
    skip "torch of $OPSWEEP_PYTHON has no opcheck: its sub-tests are not run"
root=$TMP/registered/scale
mkdir -p "$root"
cp tests/fixtures/check/scale/scale_reference.c "$root/"
cat >"$root/gen_input.json" <<'J'
{"correctness": ["((T([4, 6], f32), 2.0), {})"]}
J
cat >"$root/operators.py" <<'PY'
import torch


@torch.library.custom_op("osw_gpu::right", mutates_args=())
def right(x: torch.Tensor, a: float) -> torch.Tensor:
    return x * a


@right.register_fake
def _(x, a):
    return torch.empty_like(x)


@torch.library.custom_op("osw_gpu::writes", mutates_args=())
def writes(x: torch.Tensor, a: float) -> torch.Tensor:
    y = x * a
    x.zero_()
    return y


@writes.register_fake
def _(x, a):
    return torch.empty_like(x)


@torch.library.custom_op("osw_gpu::no_fake", mutates_args=())
def no_fake(x: torch.Tensor, a: float) -> torch.Tensor:
    return x * a


@torch.library.custom_op("osw_gpu::bad_fake", mutates_args=())
def bad_fake(x: torch.Tensor, a: float) -> torch.Tensor:
    return x * a


@bad_fake.register_fake
def _(x, a):
    return x.new_empty((*x.shape, 1))


# Gradients from a kernel of the device, where autograd never looks.
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a):
        ctx.a = a
        return x * a

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.a, None


library = torch.library.Library("osw_gpu_old", "DEF")
library.define("scale(Tensor x, float a) -> Tensor")
for key in "CPU", "CUDA":
    library.impl("scale", Scale.apply, key)
library.impl("scale", lambda x, a: torch.empty_like(x), "Meta")
PY
cat >"$root/library.cpp" <<'C'
#include <torch/library.h>
#include <ATen/ATen.h>

static at::Tensor scale(const at::Tensor &x, double a) { return x * a; }
static at::Tensor like(const at::Tensor &x, double) { return at::empty_like(x); }

TORCH_LIBRARY(osw_gpu_cpp, m) { m.def("scale(Tensor x, float a) -> Tensor"); }
TORCH_LIBRARY_IMPL(osw_gpu_cpp, CPU, m) { m.impl("scale", scale); }
TORCH_LIBRARY_IMPL(osw_gpu_cpp, CUDA, m) { m.impl("scale", scale); }
TORCH_LIBRARY_IMPL(osw_gpu_cpp, Meta, m) { m.impl("scale", like); }
C
cpp=
flags=$("$OPSWEEP_PYTHON" - <<'PY'
import sysconfig
import torch
from torch.utils import cpp_extension as c

print(*("-I" + p for p in c.include_paths()),
      "-I" + sysconfig.get_paths()["include"],
      "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI,
      *("-L" + p for p in c.library_paths()), "-lc10", "-ltorch_cpu")
PY
)
# shellcheck disable=SC2086
if c++ -std=c++20 -O1 -fPIC -shared -o "$root/library.so" \
    "$root/library.cpp" $flags 2>"$TMP/cpp.txt"; then
    cpp='"cpp": {"library": "library.so", "op": "osw_gpu_cpp::scale"},'
else
    echo "no library could be built against torch:"
    tail -n 3 "$TMP/cpp.txt"
fi
rm "$root/library.cpp"
cat >"$root/op.json" <<J
{"schema": "scale(Tensor x, float a) -> Tensor",
 "torch": {$cpp
  "right": {"module": "operators.py", "op": "osw_gpu::right"},
  "writes": {"module": "operators.py", "op": "osw_gpu::writes"},
  "no_fake": {"module": "operators.py", "op": "osw_gpu::no_fake"},
  "bad_fake": {"module": "operators.py", "op": "osw_gpu::bad_fake"},
  "gradient": {"module": "operators.py", "op": "osw_gpu_old::scale"}}}
J
expect_exit 1 "$OPSWEEP" check "$root" --device cuda --timeout 60
grep -E '(test_[a-z_]+|torch_compile): ' "$TMP/out"
tests="test_schema test_autograd_registration test_faketensor
test_aot_dispatch_dynamic torch_compile"
for test in $tests; do
    expect_out "^ok +scale__right +$test: "
    [ -z "$cpp" ] || [ "$test" = test_autograd_registration ] ||
        expect_out "^ok +scale__cpp +$test: "
done
[ -z "$cpp" ] ||
    expect_out "^FAILED +scale__cpp +test_autograd_registration: "
expect_out "^FAILED +scale__writes +test_schema: "
expect_out "^FAILED +scale__no_fake +test_faketensor: "
expect_out "^FAILED +scale__no_fake +torch_compile: "
expect_out "^FAILED +scale__bad_fake +test_faketensor: "
expect_out "^FAILED +scale__gradient +test_autograd_registration: "
