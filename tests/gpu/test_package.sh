# tests/gpu/test_package.sh - the library's CUDA implementations as a package: by its
# own tests (values, outs, opcheck, captured graphs), and against torch's operators
#
# takes 240 s

command -v nvcc >/dev/null || skip "no nvcc"
OPSWEEP_PYTHON=$(python_with torch) || skip "no python3 with torch: packages are not run"
export OPSWEEP_PYTHON
. tests/gpus.sh
GPUS=$(smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
[ "$GPUS" != 90 ] || GPUS=90a # wgmma
export GPUS                   # read by the package's Makefile
shown() { tee /dev/fd/3; }
took() { echo "$1: $SECONDS s since the start" | shown; }

# --- all that can be exported ------------------------------------------------------

expect_exit 1 "$OPSWEEP" export-ops ops/library -o "$TMP/pkg" --unjudged --namespace osw \
    --cases 4 --max-bytes 256K
tail -n 1 "$TMP/out" | shown
sed -nE 's/^left out +(gradient of )?([^:]*\/)?([^:\/]+): /\3: /p' "$TMP/out" |
    sed -E "s/^[^:]*: //; s/: expected .*//; s/'.*\/(.*)'/\1/" | sort | uniq -c |
    sort -rn | shown
rc=0
make -s -k -j "$(nproc)" -C "$TMP/pkg" osw/libosw_cuda.so >"$TMP/make.txt" 2>&1 || rc=$?
[ "$rc" -eq 0 ] || { grep -m 20 -E 'error|Error' "$TMP/make.txt" | shown; fail "the package does not build"; }
took "built for sm_$GPUS"

# Meanwhile a package with a wheel is made.  Exit code 1: what this machine cannot
# build for processors (oneDNN's) is left out.
code=0
"$OPSWEEP" package _softmax _softmax_backward_data -o "$TMP/wheel" --unjudged \
    --namespace wheeled --cases 2 --no-openmp >"$TMP/wheel.txt" 2>&1 &
package=$!

# Both are run, whatever the first one finds.
"$OPSWEEP_PYTHON" "$TMP/pkg/tests/test_ops.py" >"$TMP/own.txt" 2>&1 || rc=1
grep -E '^FAILED' "$TMP/own.txt" | sort -u -k2,3 | cut -c 1-250 | shown || true
sed -n 's/^skipped *\([^ ]*\) .*/\1/p' "$TMP/own.txt" | sort | uniq -c |
    awk '{ print "skipped " $2 ": " $1 " cases that no implementation takes" }' |
    shown
tail -n 3 "$TMP/own.txt" | cut -c 1-250 | shown
took "the package's own tests"
"$OPSWEEP_PYTHON" tests/gpu/package_aten.py "$TMP/pkg" cuda 2>&1 | shown || rc=1
took "against torch's operators"

# --- a wheel: judged as it is packaged, installed, captured ---------------------------

wait "$package" || code=$?
cut -c 1-200 "$TMP/wheel.txt" | shown
[ "$code" -le 1 ] || fail "package ended with $code"
expect_grep '"packaged": ?"[0-9]+ cells passed, none failed"' "$TMP/wheel/ops.json"
"$OPSWEEP_PYTHON" -m zipfile -e "$TMP"/wheel/dist/*.whl "$TMP/installed"
PYTHONPATH="$TMP/installed" "$OPSWEEP_PYTHON" - <<'PY' 2>&1 | shown || rc=1
import torch
import wheeled

x = torch.randn(64, 300, device="cuda", requires_grad=True)
weights = torch.randn_like(x)


def step():
    grad, = torch.autograd.grad((torch.ops.wheeled._softmax(x, 1, False) * weights).sum(), x)
    return grad


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    got = step()
with torch.no_grad():
    x.copy_(torch.randn_like(x))
graph.replay()
want, = torch.autograd.grad((torch.softmax(x, 1) * weights).sum(), x)
assert torch.allclose(got, want, rtol=1e-4, atol=1e-6), (got - want).abs().max()
# Kernels may read 16 bytes at a time, wherever a tensor begins.
runtime = wheeled._runtime
plain_call = runtime._call


def call(op, a, outs, *rest):
    assert all(t.data_ptr() % 16 == 0 for t in (*runtime._tensors(a), *outs)), op.name
    return plain_call(op, a, outs, *rest)


runtime._call = call
for shift in range(1, 8):
    y = torch.randn(64 * 300 + shift, device="cuda")[shift:].view(64, 300)
    out = torch.empty(64 * 300 + shift, device="cuda")[shift:].view(64, 300)
    torch.ops.wheeled._softmax.out(y, 1, False, out=out)
    assert torch.allclose(out, torch.softmax(y, 1), atol=1e-6), shift
print("wheel: forward and backward captured and replayed, by", wheeled.__file__)
PY
took "the wheel"
[ "$rc" -eq 0 ] || fail "see above"
