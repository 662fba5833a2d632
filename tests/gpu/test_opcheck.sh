# opsweep check on a GPU: what cannot be captured into a graph is said, what can
# is replayed, and the shipped library's .cu files keep the whole contract.
expect_exit 1 "$OPSWEEP" check tests/fixtures/check/scale --device cuda --seed 3
cp "$TMP/out" "$TMP/scale.txt"
cat "$TMP/out"
python3 tests/shell/opcheck.py "$TMP/scale.txt"
expect_out "FAILED .*waits.cu +capture: a call cannot be captured"
expect_out "FAILED .*allocates.cu +capture: a call cannot be captured"
expect_out "ok +scale_ok.cu +capture: captured into a graph and replayed, same"

for op in gelu mm sum__dim_IntList; do
    expect_exit 0 "$OPSWEEP" check ops/library/$op --device cuda -n 1
    grep -E '\.cu ' "$TMP/out" || fail "$op: no .cu file was checked"
    expect_no_grep "^FAILED" "$TMP/out"
done

# torch's own operator as a baseline, compiled where torch can.
OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: the baselines aten and compile are not run"
export OPSWEEP_PYTHON
baselines=aten
"$OPSWEEP_PYTHON" -c 'import torch; torch.compile' &&
    baselines="aten compile" || echo "no torch.compile in $OPSWEEP_PYTHON"
for baseline in $baselines; do
    expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile smoke --seed 1 \
        --ops mm --case "((T([512, 768], bf16), T([768, 768], bf16)), {})" \
        --baseline $baseline --impls "fast,$baseline" --timeout 60 \
        -o "$TMP/$baseline.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/$baseline.h5" --format csv \
        -o "$TMP/$baseline.csv"
    python3 - "$TMP/$baseline.csv" $baseline <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
own = [r for r in rows if r["impl"] == sys.argv[2]]
timed = [r for r in rows if r["speedup"] and r["impl"] != sys.argv[2]]
for r in own[:3] + timed[:5]:
    print(r["op"], r["impl"], r["case"], r["status"], r["speedup"], r["reason"])
assert own and {r["status"] for r in own} == {"pass"}
assert timed and all(r["baseline"] == sys.argv[2] for r in timed)
PY
done

# Operators registered with torch: what torch.library.opcheck finds of each.
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
      "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI)
PY
)
# shellcheck disable=SC2086
if c++ -std=c++20 -O1 -fPIC -shared $flags -o "$root/library.so" \
    "$root/library.cpp" 2>"$TMP/cpp.txt"; then
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
    [ -z "$cpp" ] || expect_out "^ok +scale__cpp +$test: "
done
expect_out "^FAILED +scale__writes +test_schema: "
expect_out "^FAILED +scale__no_fake +test_faketensor: "
expect_out "^FAILED +scale__no_fake +torch_compile: "
expect_out "^FAILED +scale__bad_fake +test_faketensor: "
expect_out "^FAILED +scale__gradient +test_autograd_registration: "
