#!/bin/bash
# tests/bench/bench_call.sh - what a call of an exported operator costs, beside
# torch's own and one of torch.library.custom_op, in turns
#
# 8 floats; the least of 25 rounds of 2,000 calls each, in time of this thread's
# processor, which work beside it lengthens less than the clock's.  TIMES_ATEN [none]
# is the most that an exported operator may cost as a multiple of aten's, if no
# gradient is wanted.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/shell/lib.sh
trap - ERR
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-call.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
python=${OPSWEEP_PYTHON:-$(python_with torch)} ||
    { echo "no python3 with torch: not measured"; exit 0; }
opsweep=${OPSWEEP:-$PWD/opsweep}

"$opsweep" new "$tmp/ops/plus" --schema 'plus(Tensor x, float a=1) -> Tensor' >"$tmp/log"
"$opsweep" export-ops "$tmp/ops/plus" tanh -o "$tmp/pkg" --unjudged \
    --namespace called >>"$tmp/log"
make -s -C "$tmp/pkg" NVCC= OPENMP= >>"$tmp/log"
PYTHONPATH=$tmp/pkg "$python" - <<'PY'
import os, sys, time
import torch
import called  # noqa: F401

torch.set_num_threads(1)
x, a = torch.randn(8), 0.5
g = torch.randn(8, requires_grad=True)
aten, ours = torch.ops.aten, torch.ops.called
calls = {
    "aten.leaky_relu": lambda: aten.leaky_relu(x, a),
    "exported, no gradient": lambda: ours.plus(x, a),
    "aten.tanh": lambda: aten.tanh(x),
    "exported, with a gradient": lambda: ours.tanh(x),
    "aten.tanh, wanted": lambda: aten.tanh(g),
    "exported, wanted": lambda: ours.tanh(g),
}
if hasattr(torch.library, "custom_op"):
    @torch.library.custom_op("called::custom", mutates_args=())
    def custom(x: torch.Tensor, a: float) -> torch.Tensor:
        return x.clone()
    calls["torch.library.custom_op"] = lambda: ours.custom(x, a)

def least(inference):
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(25):
        for name, call in calls.items():
            with torch.inference_mode(inference):
                start = time.thread_time()
                for _ in range(2000):
                    call()
                best[name] = min(best[name], (time.thread_time() - start) / 2000 * 1e6)
    return best

plain, inference = least(False), least(True)
print(f"torch {torch.__version__}, us per call: ordinary, inference mode")
for name in calls:
    print(f"{name:26} {plain[name]:8.2f} {inference[name]:8.2f}")
worst = 0
for ours, theirs in ("exported, no gradient", "aten.leaky_relu"), ("exported, with a gradient", "aten.tanh"):
    ratio = plain[ours] / plain[theirs]
    worst = max(worst, ratio)
    print(f"{ours}: {ratio:.2f} x {theirs}")
sys.exit(worst > float(os.environ.get("TIMES_ATEN", "inf")))
PY
