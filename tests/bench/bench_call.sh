#!/bin/bash
# tests/bench/bench_call.sh - what a call of an exported operator costs, beside
# torch's own and one of torch.library.custom_op, in turns
#
# 8 floats; the least of 25 rounds of 2,000 calls each.  TIMES_ATEN [none] is the
# most that the operator without a gradient may cost, as a multiple of aten.
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
"$opsweep" export-ops "$tmp/ops/plus" relu _softmax_backward_data -o "$tmp/pkg" --unjudged \
    --namespace called >>"$tmp/log"
make -s -C "$tmp/pkg" NVCC= >>"$tmp/log"
PYTHONPATH=$tmp/pkg "$python" - <<'PY'
import os, sys, time
import torch
import called  # noqa: F401

x, a = torch.randn(8), 0.5
ways = {"aten.leaky_relu": torch.ops.aten.leaky_relu, "exported, no gradient": torch.ops.called.plus,
        "aten.relu": torch.ops.aten.relu, "exported, with a gradient": torch.ops.called.relu}
if hasattr(torch.library, "custom_op"):
    @torch.library.custom_op("called::custom", mutates_args=())
    def custom(x: torch.Tensor, a: float) -> torch.Tensor:
        return x.clone()
    ways["torch.library.custom_op"] = torch.ops.called.custom
calls = {n: (lambda f=f: f(x)) if "relu" in str(f) and "leaky" not in str(f) else (lambda f=f: f(x, a))
         for n, f in ways.items()}

def least(inference):
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(25):
        for name, call in calls.items():
            with torch.inference_mode(inference):
                start = time.perf_counter()
                for _ in range(2000):
                    call()
                best[name] = min(best[name], (time.perf_counter() - start) / 2000 * 1e6)
    return best

plain, inference = least(False), least(True)
print(f"torch {torch.__version__}, us per call: ordinary, inference mode")
for name in calls:
    print(f"{name:26} {plain[name]:8.2f} {inference[name]:8.2f}")
ratio = plain["exported, no gradient"] / plain["aten.leaky_relu"]
print(f"exported, no gradient: {ratio:.2f} x aten.leaky_relu")
sys.exit(ratio > float(os.environ.get("TIMES_ATEN", "inf")))
PY
