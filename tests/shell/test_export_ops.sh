# tests/shell/test_export_ops.sh - op folders become a package that torch runs: by
# what was judged, with the results that the references gave
#
# takes 60 s

python=${OPSWEEP_PYTHON:-$(python_with torch || true)}
ops=$TMP/ops
mkdir -p "$ops"
# For packages of many ops; a small one is built by the flags that it comes with.
quick='-std=gnu11 -O0'

# --- what is refused ----------------------------------------------------------

refused() {
    local why=$1
    shift
    expect_exit 2 "$OPSWEEP" export-ops "$@"
    expect_err "$why"
}
refused "'--output' is missing: expected a folder" relu --unjudged
refused "expected '--results FILE'.*or '--unjudged'" relu -o "$TMP/x"
refused "is there: expected the name of a new folder" relu -o "$TMP" --unjudged
refused "'aten' is torch's own" relu -o "$TMP/x" --unjudged --namespace aten
refused "did you mean 'relu'" rellu -o "$TMP/x" --unjudged
refused "did you mean '--unjudged'" relu -o "$TMP/x" --unjuged
refused "expected an op's folder" "$TMP/none/relu" -o "$TMP/x" --unjudged

# What the library has, without a package.
expect_exit 1 "$OPSWEEP" export-ops convolution all_reduce split.Tensor relu --dry-run --unjudged
expect_out '^can be    aten.convolution.default$'
expect_out '^can be    aten.relu.default$'
expect_out '^left out  .*all_reduce: the op is collective: 4 ranks'
expect_out '^left out  .*split__Tensor: return 0 is Tensor\[\]: expected Tensor'
expect_out 'left out; nothing was written$'

# All of it but collectives, views, lists, and results that a mask leaves out or
# whose sizes depend on values.
expect_exit 1 "$OPSWEEP" export-ops ops/library --dry-run --unjudged
expect_equal 'convolution_backward grid_sampler_2d_backward index__Tensor native_batch_norm_backward native_group_norm_backward native_layer_norm_backward' \
    "$(sed -nE "s|^left out .*/([^/]+): op.json has no 'outputs'.*|\1|p" "$TMP/out" | sort -u | paste -sd ' ')" \
    'ops without outputs'

# An op without outputs: what to add.
make_op "$ops"
expect_exit 3 "$OPSWEEP" export-ops "$ops/scale" -o "$TMP/x" --unjudged
expect_out "^left out +[^ ]+/scale: op.json has no 'schema': expected one"
echo '{"schema": "scale(Tensor x, float a) -> Tensor"}' >"$ops/scale/op.json"
expect_exit 3 "$OPSWEEP" export-ops "$ops" -o "$TMP/x" --unjudged
expect_out "^left out .*has no 'outputs': expected a list of 1, such as \[\"x\"\]"
expect_no_file "$TMP/x" "$TMP"/x.part*

# --- `outputs` is checked against the reference ---------------------------------

echo '{"schema": "scale(Tensor x, float a) -> Tensor",
 "outputs": [{"shape": "x.shape[1:]", "dtype": "x.dtype"}]}' >"$ops/scale/op.json"
expect_exit 1 "$OPSWEEP" check "$ops/scale"
expect_out '^FAILED +op.json +outputs\[0\] says f32 \[8\], the reference makes f32 \[4, 8\]; case '
expect_out '^note +op.json +outputs is wrong for 2 of 2 cases'
echo '{"schema": "scale(Tensor x, float a) -> Tensor", "outputs": ["x"]}' >"$ops/scale/op.json"
expect_exit 0 "$OPSWEEP" check "$ops/scale"
expect_out '^ok +op.json +outputs is what the reference makes, 2 cases'

# --- by results: the fastest, none that failed ----------------------------------

cat >"$ops/scale/scale_wrong.c" <<'C'
#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = 1;
    return y ? 0 : OSW_ERROR;
}
C
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$ops" --ops scale -n 1 --profile correct \
    -f -o "$TMP/run.h5"
expect_exit 0 "$OPSWEEP" export-ops "$ops/scale" -o "$TMP/with blank" --results "$TMP/run.h5"
expect_out "next: make -C '.*/with blank' test\$"
expect_exit 0 "$OPSWEEP" export-ops "$ops/scale" -o "$TMP/judged" --results "$TMP/run.h5"
cat "$TMP/out"
expect_no_grep 'wrong' "$TMP/out"
expect_no_file "$TMP/judged/csrc/ops/scale/scale_wrong.c"
expect_grep '"judged": ?"2 cells passed, none failed' "$TMP/judged/ops.json"
expect_exit 3 "$OPSWEEP" export-ops relu -o "$TMP/x" --results "$TMP/run.h5"
expect_out '^left out  aten.relu.default: none was judged in the result file'

# What passed was this file, byte by byte.
cp "$ops/scale/scale_plain.c" "$TMP/plain.c"
echo '/* another */' >>"$ops/scale/scale_plain.c"
expect_exit 3 "$OPSWEEP" export-ops "$ops/scale" -o "$TMP/x" --results "$TMP/run.h5"
expect_out '^left out  scale.default: what passed has been changed since: judge it again'
cp "$TMP/plain.c" "$ops/scale/scale_plain.c"
rm "$ops/scale/scale_wrong.c"

# --- several outputs, lists, optionals, in place, strided -----------------------

# One that torch 2.7 and newer call without Python, with arguments that may be None.
expect_exit 0 "$OPSWEEP" new "$ops/maybe" \
    --schema 'maybe(Tensor x, Tensor? w=None, int? k=None, float? f=None, bool b=True) -> (Tensor, Tensor)'
# One that returns nothing.
expect_exit 0 "$OPSWEEP" new "$ops/quiet_" --schema 'quiet_(Tensor(a!) x, Tensor(b!) y, Tensor? w) -> ()'
shipped="relu relu_ _softmax mm native_layer_norm embedding mean__dim where__self"
expect_exit 0 "$OPSWEEP" new "$ops/many" \
    --schema 'many(Tensor[] xs, Tensor? w=None, *, Scalar f=1, int[2] k=0, str mode="a") -> (Tensor, Tensor)'
expect_exit 0 "$OPSWEEP" check "$ops/many"
# shellcheck disable=SC2086
expect_exit 0 "$OPSWEEP" export-ops $shipped "$ops/many" "$ops/maybe" "$ops/quiet_" "$ops/scale" -o "$TMP/all" --unjudged \
    --namespace mine --cases 40
expect_out '14 ops, 0 left out'

# It needs a compiler and nothing of opsweep.
mv "$TMP/all" "$TMP/moved"
expect_exit 0 env -i PATH="$PATH" HOME="$TMP" make -s -C "$TMP/moved" NVCC= CFLAGS="$quick"
expect_exit 0 make -s -C "$TMP/judged" NVCC=
[ -f "$TMP/moved/mine/libmine.so" ] || fail 'no library was built'

[ -n "$python" ] || skip 'packages were built, not run: no torch'
expect_exit 0 make -s -C "$TMP/moved" NVCC= CFLAGS="$quick" PYTHON="$python" test
expect_out '^torch .*: [0-9]{3,} ok, 0 failed'
cat "$TMP/out"
expect_exit 0 make -s -C "$TMP/judged" NVCC= PYTHON="$python" test

# Errors have words; a wrong kernel is found by the package's own tests.
# Two packages live side by side.
expect_exit 0 "$python" - "$TMP/moved" "$TMP/judged" <<'PY'
import os
import platform
import sys
import torch
sys.path[:0] = sys.argv[1:]

# In a process of its own: by Python alone.
if os.fork() == 0:
    os.environ["OPSWEEP_EXPORT_PYTHON"] = "1"
    import mine
    assert not any(o.direct for o in mine._table.OPS)
    try:
        torch.ops.mine.scale(torch.arange(3), 2.0)
    except Exception as e:
        os._exit("no implementation takes these arguments (int64[3], 2.0)" not in str(e))
    os._exit(2)
assert os.wait()[1] == 0, "words where Python calls"

import mine, myops  # noqa: F401

ops = torch.ops.mine

def says(words, call):
    try:
        call()
    except Exception as e:
        assert words in str(e), e
    else:
        sys.exit("no error: " + words)

x = torch.randn(4, 6)
assert torch.equal(torch.ops.myops.scale(x, 2.0), ops.scale(x, 2.0))
if hasattr(torch.library, "opcheck"):
    # One number on a processor goes to the device of the other arguments.
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        yes, one = torch.tensor(True), torch.tensor(1.0)
        assert ops.where.self(yes, one, torch.empty(3, device="cuda")).device.type == "cuda"
says("mine::scale: no implementation takes these arguments", lambda: ops.scale(torch.arange(3), 2.0))
says("out: expected torch.float32 [4, 6], found", lambda: ops.scale.out(x, 2.0, out=torch.empty(3)))
native = platform.machine() == "x86_64" and \
    next(o for o in mine._table.OPS if o.name == "mine::scale").direct
says("derivative for mine::scale is not implemented" if native else "mine::scale has no gradient",
     lambda: ops.scale(x.clone().requires_grad_(), 2.0).sum().backward())
assert torch.equal(ops.scale(x.t(), 2.0), 2 * x.t())   # a contiguous copy, then

# No Python is passed where no gradient is wanted, and a kernel's words are kept.
def passed(call):
    names = set()
    sys.setprofile(lambda frame, event, arg: names.add(frame.f_code.co_filename))
    try:
        call()
    finally:
        sys.setprofile(None)
    return any(n.startswith(sys.argv[1]) for n in names)

g = x.clone().requires_grad_()
relu = ops.relu.default
if next(o for o in mine._table.OPS if o.name == "mine::relu").direct and mine._runtime._autograd_keys():
    assert not passed(lambda: relu(x)) and not passed(lambda: relu(x.t()))
    with torch.no_grad():
        assert not passed(lambda: relu(g)) and not relu(g).requires_grad
    assert passed(lambda: relu(g))
    print("gradients are asked for in C")
assert torch.equal(relu(g), relu(x)) and relu(g).requires_grad and not relu(x).requires_grad
relu(g).sum().backward()
assert torch.equal(g.grad, (x > 0).float())
for wanted in False, True:
    says("mine::relu: no implementation takes these arguments",
         lambda: relu(torch.zeros(2, dtype=torch.complex64, requires_grad=wanted)))
out = torch.empty(6, 4).t()
assert ops.scale.out(x, 2.0, out=out) is not None and torch.equal(out, 2 * x)
assert torch.equal(ops.scale.out(x, 2.0, out=x), 2 * (out / 2))  # over its own input
y = torch.randn(5, 3).t()
z = y.clone()
assert ops.relu_(y).data_ptr() == y.data_ptr() and torch.equal(y, z.clamp(min=0))
says("mine::relu_ writes in place and has no gradient, and argument 'self' requires one",
     lambda: ops.relu_(g * 1))
says("argument 'w' requires one", lambda: ops.quiet_(x.clone(), x.clone(), g))
with torch.no_grad():
    ops.relu_(g * 1)
y, z = torch.ones(3, 2).t(), torch.ones(2, 3)  # strided: written through a copy
assert ops.quiet_(y, z, None) is None
assert torch.equal(y, torch.full((2, 3), 3.0)) and torch.equal(z, 2 * y), (y, z)
PY
sed -i 's/= a \* /= (a + 1) * /' "$TMP/judged/csrc/ops/scale/scale_plain.c"
rm -r "$TMP/judged/obj"
expect_exit 2 make -s -C "$TMP/judged" NVCC= PYTHON="$python" test
expect_out '^FAILED +myops::scale .*: 32 of 32 values differ, by '
expect_out '2 failed'

# --- sizes of a convolution; arguments that are written and not returned ----------

# And what sizes come to, of fakes and of results.
expect_exit 1 "$OPSWEEP" export-ops convolution native_batch_norm avg_pool2d constant_pad_nd repeat \
    upsample_nearest2d.vec cat argmax any div.Tensor_mode -o "$TMP/nets" --unjudged \
    --namespace nets --cases 30
expect_out 'nets: 10 ops, 2 left out'
expect_out '^left out .*convolution_backward: op.json has no .outputs'
expect_exit 0 make -s -C "$TMP/nets" NVCC= CFLAGS="$quick" PYTHON="$python" test
expect_out '^torch .*: [0-9]{3,} ok, 0 failed'
# Sums may be off by what their norms allow, not only by the tolerance of f32.
python3 - "$TMP/nets/tests/cases.json" <<'PY'
import json, sys


def outputs(v):
    if isinstance(v, dict):
        if "atol" in v:
            yield v
        v = list(v.values())
    for i in v if isinstance(v, list) else []:
        yield from outputs(i)


ops = [o for o in json.load(open(sys.argv[1]))["ops"]
       if o["op"] in ("aten.convolution.default", "aten.native_batch_norm.default")]
found = [v["atol"] for v in outputs(ops) if v["dtype"] == "f32"]
assert len(ops) == 2 and min(found) >= 1e-5 and max(found) > 1e-5, found
PY
expect_exit 0 "$python" - "$TMP/nets" <<'PY'
import sys
import torch
sys.path.insert(0, sys.argv[1])
import nets  # noqa: F401

x, w = torch.randn(2, 4, 9, 7), torch.randn(4, 3, 3, 2)
got = torch.ops.nets.convolution(x, w, None, [2, 1], [1], [1, 2], True, [1, 0], 2)
assert torch.allclose(got, torch.convolution(x, w, None, [2, 1], [1, 1], [1, 2], True, [1, 0], 2), atol=1e-4)

for training in True, False:
    for room in torch.zeros(4), torch.zeros(8)[::2]:  # strided: written through a copy
        mean, var = room, torch.ones(4)
        mean.fill_(0.5)
        want_mean, want_var = mean.clone(), var.clone()
        got = torch.ops.nets.native_batch_norm(x, None, None, mean, var, training, 0.1, 1e-5)
        want = torch.native_batch_norm(x, None, None, want_mean, want_var, training, 0.1, 1e-5)
        for g, v in zip((*got, mean, var), (*want, want_mean, want_var)):
            assert g.shape == v.shape and torch.allclose(g, v, atol=1e-4), (training, g, v)
outs = [torch.empty_like(t) for t in torch.ops.nets.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)]
torch.ops.nets.native_batch_norm.out(x, None, None, None, None, True, 0.1, 1e-5,
                                     out0=outs[0], out1=outs[1], out2=outs[2])
assert torch.allclose(outs[1], x.mean((0, 2, 3)), atol=1e-5)
PY
